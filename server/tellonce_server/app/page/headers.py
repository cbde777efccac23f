"""The headers of every response for the page: only its own files may load, and no data may leave it."""

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
    """A response that consists of one sentence."""
    return JSONResponse({"error": sentence}, status_code=status, headers=HEADERS)
