"""Lists the configurations of other programs. The memory page calls it with `python -m tellonce_cli.page_clients TASK
…`. The list has a separate module, because the imports of `page_work` would delay it."""

from tellonce_cli import connect
from tellonce_cli.client_configs import CLIENTS
from tellonce_cli.hosts import ClientName
from tellonce_cli.screen import CommandFailed, print_entry, run_for_page


def clients() -> None:
    """List the clients, each with its file and the file's text with our entry."""
    machine = connect.this_machine()
    known = connect.connected(machine)
    for name in ClientName:
        client, text, trouble = CLIENTS[name], "", {}
        try:
            text = connect.preview(name)[1]
        except CommandFailed as error:
            trouble = {"trouble": str(error)}
        file, connected = str(client.file(machine)), known.get(name) is True
        print_entry(name=name, title=client.title, file=file, connected=connected, text=text, **trouble)


def connect_client(name: str, undo: str = "") -> None:
    connect.run(ClientName(name), only_print=False, undo=bool(undo))
    print_entry(done=name)


def main() -> None:
    run_for_page({"clients": clients, "connect": connect_client})


if __name__ == "__main__":
    main()
