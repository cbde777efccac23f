"""The groups of commands for the operator: access tokens, an external PostgreSQL, the service."""

from typing import Annotated

import typer

from tellonce.contract_types import TokenScope
from tellonce_cli.subcommand import Json, examples, run_module

token_app = typer.Typer(help="Access tokens for remote clients.", no_args_is_help=True)
database_app = typer.Typer(help="Set up an external PostgreSQL; move a memory to another user.", no_args_is_help=True)
service_app = typer.Typer(help="Run the memory as a service, without an open terminal.", no_args_is_help=True)


@database_app.command("setup")
def database_setup(_: Json = False) -> None:
    """Prepare the PostgreSQL in DATABASE_URL.

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
    """Give the memory of one user to another, with its access tokens.

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
