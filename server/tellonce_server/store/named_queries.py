"""Declares named queries as typed coroutines, so that each module of the store lists its queries like a table.

A declaration states the types of the arguments after `q`, the type of the result, the query's name, and the conversion
of a row:

    of_chat = Rows[[OwnerId, ChatId], Thread]("threads.of_chat", named(Thread))

The call is `await of_chat(q, owner_id, chat_id)`. The comments in the SQL files describe the arguments and the result;
they are not repeated here.
"""

from collections.abc import Callable
from operator import itemgetter
from typing import Any, Generic, ParamSpec, TypeVar

from tellonce_server.store.database import Queries, Row, one

P = ParamSpec("P")
T = TypeVar("T")


def named(made: Callable[..., T]) -> Callable[[Row], T]:
    """Convert a row by the names of its columns."""
    return lambda row: made(**row)


def placed(made: Callable[..., T]) -> Callable[[Row], T]:
    """Convert a row by the order of its columns."""
    return lambda row: made(*row)


def column(name: str) -> Callable[[Row], Any]:
    return itemgetter(name)


class _Named:
    def __init__(self, name: str) -> None:
        self._name = name


class _Query(_Named, Generic[P, T]):
    def __init__(self, name: str, shape: Callable[[Row], T]) -> None:
        super().__init__(name)
        self._shape = shape


class Rows(_Query[P, T]):
    """A query that returns any number of rows."""

    async def __call__(self, q: Queries, *args: P.args, **_: P.kwargs) -> list[T]:
        return [self._shape(row) for row in await q.rows(self._name, *args)]


class OneRow(_Query[P, T]):
    """A query that must return a row. Raises LookupError if there is no row."""

    async def __call__(self, q: Queries, *args: P.args, **_: P.kwargs) -> T:
        return self._shape(await one(q, self._name, *args))


class MaybeRow(_Query[P, T]):
    """A query that returns one row, or None."""

    async def __call__(self, q: Queries, *args: P.args, **_: P.kwargs) -> T | None:
        row = await q.row(self._name, *args)
        return None if row is None else self._shape(row)


class Value(_Named, Generic[P, T]):
    """A query that returns one value."""

    async def __call__(self, q: Queries, *args: P.args, **_: P.kwargs) -> T:
        value: T = await q.value(self._name, *args)
        return value


class Run(_Named, Generic[P]):
    """A statement that changes rows. Returns the number of changed rows."""

    async def __call__(self, q: Queries, *args: P.args, **_: P.kwargs) -> int:
        return await q.run(self._name, *args)


class Found(_Named, Generic[P]):
    """A statement that returns a row if it changed a row. Returns whether a row was changed."""

    async def __call__(self, q: Queries, *args: P.args, **_: P.kwargs) -> bool:
        return await q.row(self._name, *args) is not None
