"""The groups of commands for who runs the memory: tokens, a PostgreSQL of one's own, the service."""

from typing import Annotated, Literal

import typer

from tellonce_cli.subcommand import examples, run_module

token_app = typer.Typer(help="Access tokens for remote clients.", no_args_is_help=True)
database_app = typer.Typer(help="A PostgreSQL of your own.", no_args_is_help=True)
service_app = typer.Typer(help="The memory as a service that needs no open terminal.", no_args_is_help=True)


@database_app.command("setup")
def database_setup() -> None:
    """Make the PostgreSQL that DATABASE_URL names ready.

    Creates the extension, the roles and the tables, or shows what an administrator must run.
    """
    run_module("database")


@service_app.command("install")
def service_install(
    only_print: Annotated[bool, typer.Option("--print", help="Print the unit; change nothing.")] = False,
) -> None:
    """Run `tellonce up` in the background, now and at every login.

    A systemd user unit, on macOS a launchd agent. It reads the `.env` of this folder.
    """
    run_module("service", "install", only_print=only_print)


@service_app.command("uninstall")
def service_uninstall() -> None:
    """Stop the service and remove it; the memory stays."""
    run_module("service", "uninstall")


@service_app.command("status")
def service_status() -> None:
    """Show whether the service runs."""
    run_module("service", "status")


@service_app.command("logs")
def service_logs(follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as lines come.")] = False) -> None:
    """Show what the service has logged."""
    run_module("service", "logs", follow=follow)


@token_app.command("create", epilog=examples("token create laptop", "token create bot --scope relay"))
def token_create(
    name: Annotated[str, typer.Argument(help="A name for the token.")],
    scope: Annotated[Literal["assistant", "relay", "agent"], typer.Option(help="What it may do.")] = "assistant",
    user: Annotated[int | None, typer.Option(help="User it acts for; default: you.")] = None,
) -> None:
    """Make a token; it is shown once.

    A client sends it as `Authorization: Bearer TOKEN`. Another token of the name ends.
    """
    run_module("tokens", "create", name=name, scope=scope, user=user)


@token_app.command("list")
def token_list() -> None:
    """List tokens by name; never their text."""
    run_module("tokens", "list")


@token_app.command("revoke")
def token_revoke(name: Annotated[str, typer.Argument(help="The token's name.")]) -> None:
    """End a token."""
    run_module("tokens", "revoke", name=name)
