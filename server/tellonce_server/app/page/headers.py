"""The headers of everything the page is sent: nothing but its own files may load, and nothing of it leaves."""

from starlette.responses import JSONResponse

CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CSP,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def refused(status: int, sentence: str) -> JSONResponse:
    """An answer that is only a sentence."""
    return JSONResponse({"error": sentence}, status_code=status, headers=HEADERS)
