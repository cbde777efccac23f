"""`tellonce open`: opens the memory page and signs in with a one-time code that is valid for a minute."""

import webbrowser
from urllib.parse import urljoin

import httpx2

from tellonce.client_settings import RelaySettings
from tellonce.settings import load
from tellonce_cli.memory_server import running_token, why_none
from tellonce_cli.screen import CommandFailed, answer, console, hint

SECONDS = 10.0


async def run(*, only_print: bool) -> None:
    """Open the page, or print its address. Raises CommandFailed if no server answers."""
    address = await page_address(load(RelaySettings))
    answer({"address": address})
    given = only_print or console.quiet
    if given or not webbrowser.open(address):
        console.print(address)
        hint(
            "Open it within a minute; it can be used once."
            if given
            else "No browser was found here. Open this within a minute; it can be used once."
        )
    else:
        console.print("The memory page is open in your browser. `tellonce open --print` shows its address instead.")


async def page_address(settings: RelaySettings) -> str:
    """The address of the page with a new code. The code is in the fragment, which browsers do not send to servers."""
    headers = {"Authorization": f"Bearer {await running_token(settings, 'assistant')}"}
    try:
        async with httpx2.AsyncClient(timeout=SECONDS, trust_env=False) as http:
            answer = await http.post(urljoin(settings.url, "/page/code"), headers=headers)
    except httpx2.HTTPError as error:
        raise CommandFailed(await why_none(settings)) from error
    if answer.status_code == 503:
        raise CommandFailed(await why_none(settings))
    if answer.status_code != 200:
        raise CommandFailed(f"{settings.url} did not give a code: {_reason(answer)}")
    return f"{urljoin(settings.url, '/')}#code={answer.json()['code']}"


def _reason(answer: httpx2.Response) -> str:
    try:
        return str(answer.json()["error"])
    except (ValueError, LookupError, TypeError):
        return f"it answered {answer.status_code}; does the server have the same version as this command?"
