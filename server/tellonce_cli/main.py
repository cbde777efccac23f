"""The command line: names, options and help. The work of each command is in a separate module, which is imported when
the command runs.

The late import keeps the start of `tellonce serve --stdio` well under a second, because clients wait for the handshake.

Exit codes: 0 done, 1 failed with a sentence that says what to do, 2 wrong usage, 70 an internal error, 130 interrupted.
"""

import sys
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperGroup

from tellonce.contract_types import TokenScope
from tellonce.import_formats import ImportKind
from tellonce.preload import imported
from tellonce_cli.hosts import ClientName
from tellonce_cli.memory_commands import memory_app
from tellonce_cli.screen import failure_message, flush_output, make_printable
from tellonce_cli.subcommand import Json, examples, run_module


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Run a command. A wrong argument is reported without pydantic's prefix."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix("Value error, ")
            raise


app = typer.Typer(
    name="tellonce",
    cls=_Commands,
    help="One memory for all your assistants.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
)
token_app = typer.Typer(help="Access tokens for remote clients.", no_args_is_help=True)
database_app = typer.Typer(help="Set up an external PostgreSQL; move a memory to another user.", no_args_is_help=True)
service_app = typer.Typer(help="Run the memory as a service, without an open terminal.", no_args_is_help=True)

app.add_typer(memory_app)
app.add_typer(token_app, name="token")
app.add_typer(database_app, name="database")
app.add_typer(service_app, name="service")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tellonce {imported('tellonce.connect').installed_version()}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of a failure: `tellonce --debug status`.")
    ] = False,
    _: Annotated[bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)] = False,
) -> None:
    """One memory for all your assistants.

    Exit codes: 0 (done), 1 (failed; a sentence says why), 2 (wrong usage), 70 (internal error), 130 (interrupted).
    """
    _debugging.append(debug)


_debugging: list[bool] = []


@app.command()
def up() -> None:
    """Start everything: database, server, summarizer and relay.

    Runs until Ctrl-C, and shows how to connect Claude Desktop and Claude Code. The relay runs if a bot token is set.
    """
    run_module("up")


@app.command(epilog=examples("serve", "serve --stdio"))
def serve(
    stdio: Annotated[bool, typer.Option("--stdio", help="Speak MCP on stdin and stdout.")] = False,
    http: Annotated[bool, typer.Option("--http", help="Speak MCP over HTTP (default).")] = False,
) -> None:
    """Run the MCP server alone.

    Claude Desktop starts it with --stdio. Any number of servers can share one memory.
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
    """Chat in the terminal with the same memory.

    Uses the running server, or starts one on the same data until the chat ends.
    """
    run_module("chat")


@app.command("open")
def open_(
    only_print: Annotated[
        bool, typer.Option("--print", help="Print the address instead, for another browser.")
    ] = False,
    _: Json = False,
) -> None:
    """Open the memory page in the browser.

    The page shows what is known and why. You can also change and forget memories, import files, and connect clients
    there. The server must be running.
    """
    run_module("open_", only_print=only_print)


@app.command(epilog=examples("connect claude-code", "connect cursor --print", "connect codex --undo"))
def connect(
    client: Annotated[ClientName, typer.Argument(help="The client to connect.")],
    only_print: Annotated[bool, typer.Option("--print", help="Print the entry; change nothing.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Remove this memory from the client's configuration.")] = False,
    _: Json = False,
) -> None:
    """Share this memory with another assistant on this machine.

    Changes the client's user-wide configuration and keeps a copy of the original.
    """
    run_module("connect", client, only_print=only_print, undo=undo)


@app.command(
    "import",
    epilog=examples("import result.json --dry-run", "import ~/.claude/projects", "import notes/ --kind markdown"),
)
def import_(
    named: Annotated[list[Path], typer.Argument(metavar="[KIND] FILE", help="The export: a file, a zip or a folder.")],
    kind: Annotated[ImportKind | None, typer.Option("--kind", help="Default: recognized.", show_default=False)] = None,
    chat_id: Annotated[int | None, typer.Option("--chat", help="Chat to import into; default: your own.")] = None,
    me: Annotated[
        str | None,
        typer.Option(
            "--me", help="Your name or id in the export, if it cannot be recognized or holds several persons."
        ),
    ] = None,
    assistant: Annotated[
        str | None,
        typer.Option("--assistant", help="The bot's name or id in a Telegram export; default: your own bot."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before the import.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show how long the import takes and what it costs.")
    ] = False,
    _: Json = False,
) -> None:
    """Import a history or memories from another program.

    Recognizes the files of all kinds that --kind lists. The kind markdown includes the notes of Obsidian and
    basic-memory. The kind jsonl is the format of `tellonce export`. `tellonce import KIND FILE` names the kind.

    Shows the number of messages, the time and the cost, and asks before it begins. A repeated import adds only what is
    new.
    """
    if len(named) > 2 or (len(named) == 2 and kind):
        raise typer.BadParameter("name one file")
    *kinds, file = named
    if kinds and str(kinds[0]) not in get_args(ImportKind):
        raise typer.BadParameter(f"{str(kinds[0])!r} is not one of {', '.join(get_args(ImportKind))}")
    run_module("import_", str(kinds[0]) if kinds else kind, file, chat_id, me, assistant, yes=yes, dry_run=dry_run)


@app.command(epilog=examples("export mine.jsonl"))
def export(
    file: Annotated[Path | None, typer.Argument(help="Output file; default and `-`: standard output.")] = None,
    _: Json = False,
) -> None:
    """Export everything that the memory knows about you.

    The file contains JSON Lines and can be imported again.
    """
    run_module("export", file)


@app.command()
def status(_: Json = False) -> None:
    """Show what is known, what is queued, and the cost of learning."""
    run_module("status")


@app.command(epilog=examples("doctor", "doctor --online"))
def doctor(
    online: Annotated[bool, typer.Option("--online", help="Also test the Claude key and the bot token.")] = False,
    _: Json = False,
) -> None:
    """Check every dependency and show how to fix each failure."""
    run_module("doctor", online=online)


@app.command(epilog=examples("send --chat 42 --routine daily-cost < report.txt"))
def send(
    chat_id: Annotated[int, typer.Option("--chat", help="Telegram chat.")],
    routine: Annotated[str, typer.Option("--routine", help="The routine's name.")],
    agent: Annotated[str | None, typer.Option("--agent", help="The agent that sends the message.")] = None,
    _: Json = False,
) -> None:
    """Send standard input to a Telegram chat and record it.

    Records a routine message: the full text is stored, and its summary is shown in contexts.
    """
    run_module("send", chat_id, routine, agent)


@app.command(epilog=examples("trace", "trace 4f1c"))
def trace(
    trace_id: Annotated[str | None, typer.Argument(help="A turn's id, or its beginning.")] = None, _: Json = False
) -> None:
    """Show the events of one turn, or list the last turns.

    Shows turns that ran with OBSERVABILITY_ENABLED=1. Run it in the folder where you started `tellonce up`.
    """
    run_module("trace", trace_id)


@app.command()
def reembed(_: Json = False) -> None:
    """Have all embeddings computed again.

    Deletes them; the running server computes them again. Until then, search finds texts by their words.
    `tellonce status` shows how many are left.
    """
    run_module("maintenance", "reembed")


@app.command()
def scrub(
    now: Annotated[bool, typer.Option("--now", help="Make others wait instead of stopping.")] = False,
    _: Json = False,
) -> None:
    """Rewrite the database files to remove forgotten text from them.

    Stops if another program needs the memory meanwhile. The running server then tries again later.
    """
    run_module("maintenance", "scrub now" if now else "scrub")


@app.command(epilog=examples("backup memory.zip", "backup /srv/backups --every 24"))
def backup(
    file: Annotated[Path, typer.Argument(help="A new file; with --every, a folder.")],
    every: Annotated[float | None, typer.Option("--every", min=0.01, help="Hours between backups.")] = None,
    keep: Annotated[int, typer.Option("--keep", min=1, help="With --every: number of backups to keep.")] = 7,
    _: Json = False,
) -> None:
    """Write the whole memory of all users to one file.

    The memory can be in use meanwhile. The file is not encrypted. With --every, it runs until it is stopped.
    """
    run_module("backup", file, every, keep)


@app.command(epilog=examples("restore memory.zip"))
def restore(
    file: Annotated[Path, typer.Argument(help="A file from `tellonce backup`.")],
    force: Annotated[bool, typer.Option("--force", help="Replace an existing memory.")] = False,
    _: Json = False,
) -> None:
    """Replace the memory with a backup.

    If something is wrong with the backup, nothing changes. Stop `tellonce up` and every client first.
    """
    run_module("restore", file, force=force)


@app.command()
def replay(_: Json = False) -> None:
    """Retry failed jobs.

    `tellonce status` lists the failed jobs and the reasons.
    """
    run_module("maintenance", "replay")


@database_app.command("setup")
def database_setup(_: Json = False) -> None:
    """Prepare the PostgreSQL server at DATABASE_URL.

    Creates the extension, the roles and the tables, or shows what an administrator must run.
    """
    run_module("database")


@database_app.command("move-user", epilog=examples("database move-user 1 4242", "database move-user 1 4242 --join"))
def database_move_user(
    old: Annotated[int, typer.Argument(help="The user whose memory moves; 1 if no Telegram id was set.")],
    new: Annotated[int, typer.Argument(help="The user who gets it.")],
    join: Annotated[bool, typer.Option("--join", help="Add it to the memory that the new user already has.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would move.")] = False,
    _: Json = False,
) -> None:
    """Give the memory and the access tokens of one user to another user.

    Stop Tellonce first. The move happens completely or not at all.
    """
    run_module("user_move", old, new, join=join, yes=yes, dry_run=dry_run)


@service_app.command("install")
def service_install(
    only_print: Annotated[bool, typer.Option("--print", help="Print the unit; change nothing.")] = False,
    _: Json = False,
) -> None:
    """Run `tellonce up` in the background, now and at every login.

    Installs a systemd user unit or, on macOS, a launchd agent. The service reads the `.env` of this folder.
    """
    run_module("service", "install", only_print=only_print)


@service_app.command("uninstall")
def service_uninstall(_: Json = False) -> None:
    """Stop and remove the service. The memory stays."""
    run_module("service", "uninstall")


@service_app.command("status")
def service_status(_: Json = False) -> None:
    """Show whether the service runs."""
    run_module("service", "status")


@service_app.command("logs")
def service_logs(
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Keep printing new lines.")] = False,
    _: Json = False,
) -> None:
    """Show the log of the service."""
    run_module("service", "logs", follow=follow)


@token_app.command("create", epilog=examples("token create laptop", "token create bot --scope relay"))
def token_create(
    name: Annotated[str, typer.Argument(help="A name for the token.")],
    scope: Annotated[TokenScope, typer.Option(help="What the token may do.")] = "assistant",
    user: Annotated[int | None, typer.Option(help="User for whom the token acts; default: you.")] = None,
    _: Json = False,
) -> None:
    """Create a token, which is shown once.

    A client sends it as `Authorization: Bearer TOKEN`. It replaces an existing token of that name.
    """
    run_module("tokens", "create", name=name, scope=scope, user=user)


@token_app.command("list")
def token_list(_: Json = False) -> None:
    """List the names of tokens, never their text."""
    run_module("tokens", "list")


@token_app.command("revoke")
def token_revoke(name: Annotated[str, typer.Argument(help="The token's name.")], _: Json = False) -> None:
    """Revoke a token."""
    run_module("tokens", "revoke", name=name)


def main() -> None:
    """Entry point. Every failure is reported as one sentence; `--debug` shows the traceback instead."""
    make_printable()
    try:
        try:
            app()
        finally:
            flush_output()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output stopped (`tellonce export | head`).
        sys.exit(1)
    except Exception as error:
        if any(_debugging):
            raise
        sentence, code = failure_message(error)
        sys.stderr.write(f"tellonce: {sentence}\n")
        sys.exit(code)


if __name__ == "__main__":
    main()
