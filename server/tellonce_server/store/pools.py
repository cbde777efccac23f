"""Connection pools. Each statement runs under a role with row-level security, for one owner.

On a direct connection, role and owner are set for the session, which costs nothing until the owner changes. A pooler
gives a server connection to another client after each transaction, and that client would inherit the session's
settings. Through a pooler, every statement therefore runs in a transaction, and role and owner are set for this
transaction only.
"""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy
from pgvector import HalfVector
from pydantic_core import to_json

from tellonce_server.core.errors import StorageRefused
from tellonce_server.store.codes import ModelVector
from tellonce_sql import reach

Row = asyncpg.Record
Proxy: TypeAlias = "PoolConnectionProxy[Row]"
Settings: TypeAlias = Mapping[str, str]

OWNER: Final = "chatmem.owner"
MODEL: Final = "chatmem.model"
SET = "select set_config($1, $2, $3)"
SET_LOCAL = "select set_config(s.name, s.value, true) from unnest($1::text[], $2::text[]) as s (name, value)"

# This query runs under the role that serves calls, before an owner is set.
PROOF: Final = """
select current_user::text as role,
  coalesce((select bool_and(row_security_active(polrelid)) from pg_policy where polname = 'own'), false)
    and current_owner() is null
    and not exists (select from chats) and not exists (select from user_profile) as bound
"""
BACKEND: Final = "select pg_backend_pid()"
STATEMENTS: Final = 300
"""Maximum number of prepared statements per connection. The number of named queries is smaller."""


class OwnedConnection(asyncpg.Connection):
    """A connection that remembers its current owner and the model of its vectors."""

    lasting = True
    """Whether settings persist after a transaction."""

    name = "tellonce"
    """The name that identifies a running server in `pg_stat_activity`."""

    _owner: int | None = None
    _model: str | None = None

    async def serve(self, name: str, args: tuple[Any, ...]) -> None:
        """Apply the settings that the statement `name` needs. An owner is the first argument."""
        if reach(name) == "owner" and self._owner != args[0]:
            self._owner = None
            await self.fetchval(SET, OWNER, str(args[0]), not self.lasting)
            self._owner = args[0]
        model = _maker(args)
        if model is not None and self._model != model:
            self._model = None
            await self.fetchval(SET, MODEL, model, not self.lasting)
            self._model = model

    def adopt(self, name: str, args: tuple[Any, ...]) -> dict[str, str]:
        """Remember the owner and model of the statement `name`. Returns the settings that the caller must apply at
        once."""
        self._owner = args[0] if reach(name) == "owner" else None
        self._model = _maker(args)
        needed = {OWNER: self._owner, MODEL: self._model}
        return {setting: str(value) for setting, value in needed.items() if value is not None}

    def forget_owner(self) -> None:
        """Forget the current owner and model after a rollback, because the rollback has also reset the settings."""
        self._owner = self._model = None


class BorrowedConnection(OwnedConnection):
    """A connection to a pooler. Its server connection may change with every transaction."""

    lasting = False
    name = "tellonce, pooled"
    """Connections to a pooler get another name. A pooler keeps its connections open, so they do not prove that a server
    is running."""


def _maker(args: tuple[Any, ...]) -> str | None:
    """The model that computed the vectors among the arguments. A vector is an argument itself, or an item of a list."""
    for arg in args:
        found = arg[0] if isinstance(arg, list) and arg else arg
        if isinstance(found, ModelVector):
            return found.model
    return None


@dataclass(frozen=True)
class PoolUse:
    """How many connections a pool has and how many are in use."""

    size: int
    busy: int


class Pool(Protocol):
    """Connections of one role."""

    def statement(self, name: str, args: tuple[Any, ...]) -> AbstractAsyncContextManager[Proxy]:
        """A connection on which the statement `name` may run now."""
        ...

    def transaction(self) -> AbstractAsyncContextManager[Proxy]:
        """A connection in a transaction; call `serving` before each statement."""
        ...

    @property
    def use(self) -> PoolUse: ...

    async def close(self) -> None: ...


class _OpenPool:
    def __init__(self, connections: "asyncpg.Pool[Row]") -> None:
        self._connections = connections

    @property
    def use(self) -> PoolUse:
        size = self._connections.get_size()
        return PoolUse(size, size - self._connections.get_idle_size())

    async def close(self) -> None:
        await self._connections.close()


RETURNED_EVERY: Final = 1_000
"""After this number of uses, one connection goes back to asyncpg, so that asyncpg can replace old connections."""


class SessionPool(_OpenPool):
    """Direct connections. Each connection keeps its role. It keeps its owner until it runs a statement for another
    owner.

    A connection whose statement raised no error is kept here, and the connection that was kept last is used first.
    asyncpg's own pool uses a task and two timers for each use. This takes twice the processor time of a small statement.
    """

    def __init__(self, connections: "asyncpg.Pool[Row]") -> None:
        super().__init__(connections)
        self._kept: list[Proxy] = []
        self._never_needed = 0
        self._waiting = 0
        self._uses = 0
        self._closing = False

    @property
    def use(self) -> PoolUse:
        found = super().use
        # A connection can be lost while it is in `_kept`. It is then no longer busy, but is still counted in the list.
        return PoolUse(found.size, max(0, found.busy - len(self._kept)))

    async def close(self) -> None:
        self._closing = True  # connections that are in use now go back to asyncpg, which waits for them
        while self._kept:
            await self._connections.release(self._kept.pop())
        await super().close()

    def statement(self, name: str, args: tuple[Any, ...]) -> AbstractAsyncContextManager[Proxy]:
        return _Lent(self, name, args)

    def session(self) -> AbstractAsyncContextManager[Proxy]:
        """One connection for several statements, each committed at once. It keeps a session lock between them."""
        return _Lent(self)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Proxy]:
        async with _Lent(self) as connection, owner_forgotten_if_undone(connection), connection.transaction():
            yield connection

    async def take(self) -> Proxy:
        """A connection for one use. The caller must call `put_back`."""
        while self._kept:
            connection = self._kept.pop()
            self._never_needed = min(self._never_needed, len(self._kept))
            if _is_open(connection):
                return connection
            await self._connections.release(connection)
        self._waiting += 1
        try:
            return await self._connections.acquire()
        finally:
            self._waiting -= 1

    async def put_back(self, connection: Proxy, *, intact: bool) -> None:
        """Keep the connection for the next statement, unless a call waits for one. If the last statement raised an
        error (`intact` is false), asyncpg checks the connection."""
        self._uses += 1
        keep = intact and not (self._closing or self._waiting) and self._uses % RETURNED_EVERY != 0
        if keep and _is_open(connection):
            self._kept.append(connection)
        else:
            await self._connections.release(connection)

    async def return_unneeded(self) -> None:
        """Return connections to asyncpg if they were not needed since the last call of this method. asyncpg closes them
        after five minutes. A firewall might drop an idle connection without a sign."""
        unneeded, self._never_needed = self._never_needed, len(self._kept) - self._never_needed
        for _ in range(unneeded):
            if self._kept:  # a call may have taken a connection while another was given back
                await self._connections.release(self._kept.pop(0))


def _is_open(connection: Proxy) -> bool:
    try:
        return not connection.is_closed()
    except asyncpg.InterfaceError:  # asyncpg has already removed the lost connection
        return False


class _Lent(AbstractAsyncContextManager[Proxy]):
    def __init__(self, pool: SessionPool, name: str | None = None, args: tuple[Any, ...] = ()) -> None:
        self._pool, self._name, self._args = pool, name, args

    async def __aenter__(self) -> Proxy:
        self._connection = connection = await self._pool.take()
        ready = False
        try:
            if self._name is not None:
                await serving(connection, self._name, self._args)
            ready = True
        finally:
            if not ready:
                await self._pool.put_back(connection, intact=False)
        return connection

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        await self._pool.put_back(self._connection, intact=kind is None)


class BorrowedPool(_OpenPool):
    """Connections to a pooler. Each transaction sets its role, owner and settings locally."""

    def __init__(self, connections: "asyncpg.Pool[Row]", settings: Settings) -> None:
        super().__init__(connections)
        self._settings = settings

    @asynccontextmanager
    async def statement(self, name: str, args: tuple[Any, ...]) -> AsyncGenerator[Proxy]:
        async with self._connections.acquire() as connection, connection.transaction():
            owned = _owned(connection)
            await connection.fetch(SET_LOCAL, *_columns({**self._settings, **owned.adopt(name, args)}))
            yield connection

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Proxy]:
        async with self._connections.acquire() as connection, connection.transaction():
            _owned(connection).forget_owner()
            await connection.fetch(SET_LOCAL, *_columns(self._settings))
            yield connection


class SinglePool:
    """One connection, in a transaction that the caller began. Each transaction of this pool is a savepoint."""

    def __init__(self, connection: Proxy) -> None:
        self._connection = connection

    @property
    def use(self) -> PoolUse:
        return PoolUse(1, 1)

    async def close(self) -> None:
        """Do nothing. The caller closes the connection."""

    @asynccontextmanager
    async def statement(self, name: str, args: tuple[Any, ...]) -> AsyncGenerator[Proxy]:
        yield await serving(self._connection, name, args)

    @asynccontextmanager
    async def session(self) -> AsyncGenerator[Proxy]:
        yield self._connection

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[Proxy]:
        async with owner_forgotten_if_undone(self._connection), self._connection.transaction():
            yield self._connection


def _columns(settings: Settings) -> tuple[list[str], list[str]]:
    return list(settings), list(settings.values())


async def serving(connection: Proxy, name: str, args: tuple[Any, ...]) -> Proxy:
    await _owned(connection).serve(name, args)
    return connection


def _owned(connection: Proxy) -> OwnedConnection:
    owned: OwnedConnection = connection  # type: ignore[assignment]  # the pool creates these; its proxy forwards calls
    return owned


@asynccontextmanager
async def owner_forgotten_if_undone(connection: Proxy) -> AsyncGenerator[None]:
    # The method is looked up now. If the connection is lost later, the proxy can no longer forward calls.
    forget_owner = _owned(connection).forget_owner
    finished = False
    try:
        yield
        finished = True
    finally:
        if not finished:
            forget_owner()


async def open_session_pool(address: str, role: str, settings: Settings, *, least: int, most: int) -> SessionPool:
    """A pool of direct connections, which set `role` and `settings` when they open."""
    return SessionPool(await _open(address, OwnedConnection, _prepared, {**settings, "role": role}, least, most))


async def open_borrowed_pool(
    address: str, role: str, settings: Settings, *, named: bool, least: int, most: int
) -> BorrowedPool:
    """A pool of connections to a pooler, which might refuse settings at login. `named` says whether it keeps named
    prepared statements."""
    statements = STATEMENTS if named else 0
    connections = await _open(address, BorrowedConnection, _codecs_at_once, {}, least, most, statements)
    return BorrowedPool(connections, {**settings, "role": role})


async def _open(
    address: str,
    connection_class: type[OwnedConnection],
    init: Any,  # mypy and pyright know different types of a coroutine function
    settings: Settings,
    least: int,
    most: int,
    statements: int = STATEMENTS,
) -> "asyncpg.Pool[Row]":
    return await asyncpg.create_pool(
        address,
        min_size=least,
        max_size=most,
        init=init,
        reset=_keep,
        connection_class=connection_class,
        server_settings={"application_name": connection_class.name, **settings},
        max_cached_statement_lifetime=0,
        statement_cache_size=statements,
    )


async def _prepared(connection: "asyncpg.Connection[Row]") -> None:
    if connection.get_server_pid() != await connection.fetchval(BACKEND):
        raise StorageRefused(
            "A connection pooler now stands between this server and PostgreSQL; restart the server, so that it "
            "detects the pooler."
        )
    await codecs(connection)


async def _codecs_at_once(connection: "asyncpg.Connection[Row]") -> None:
    async with connection.transaction():
        await codecs(connection)


async def codecs(connection: "asyncpg.Connection[Row]") -> None:
    """Set the codecs for jsonb and vectors."""
    await connection.set_type_codec(
        "jsonb", schema="pg_catalog", encoder=lambda value: to_json(value).decode(), decoder=json.loads
    )
    # `register_vector` is not used, because it also looks up two other types, which costs two round trips per
    # connection.
    to_wire, from_wire = HalfVector.to_binary, HalfVector.from_binary
    await connection.set_type_codec("halfvec", schema="public", encoder=to_wire, decoder=from_wire, format="binary")


async def _keep(connection: Any) -> None:
    """Replaces asyncpg's reset between uses and does nothing. The reset would cost 0.2-0.9 ms per query."""


async def prove_bound(pool: Pool) -> None:
    """Raise StorageRefused unless row-level security binds the role that serves calls. Otherwise every user would see
    all memories."""
    async with pool.transaction() as connection:
        proof = await connection.fetchrow(PROOF)
    if proof is None or not proof["bound"]:
        role = proof["role"] if proof is not None else "nobody"
        raise StorageRefused(
            f"Row-level security does not apply to the role {role}, so it would see the rows of all users. The "
            "server does not start. Set DATABASE_URL to a login that is not a superuser and does not have BYPASSRLS."
        )
