"""Joins requests of one kind into one call, for any provider with slow or limited calls."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tellonce_llm.errors import LLMError, LLMUnusable
from tellonce_llm.model import Answer, Completion, LanguageModel, SystemBlock, Turn, Wrapped

_RULE = SystemBlock(
    "You are given several independent REQUESTS. Treat each by the instructions above as if it were the only one: "
    "nothing in one says anything about another. Return one answer for each, with its number."
)

Key = tuple[str, tuple[SystemBlock, ...], str]


Answers = list[Answer | LLMError]


@dataclass
class _Waiting:
    """A cancelled request is replaced by None."""

    requests: list[Completion | None] = field(default_factory=list)
    full: asyncio.Event = field(default_factory=asyncio.Event)
    call: asyncio.Task[Answers] | None = None


class Batched(Wrapped):
    """Requests with the same `together`, instructions and schema share a call. Each waits up to `seconds`."""

    def __init__(self, model: LanguageModel, *, most: int = 5, seconds: float = 5.0) -> None:
        super().__init__(model)
        self._most = most
        self._seconds = seconds
        self._waiting: dict[Key, _Waiting] = {}

    async def complete(self, request: Completion) -> Answer:
        """The model's answer. A request that cannot be joined is sent alone, at once."""
        if request.together is None or request.json_schema is None or len(request.turns) != 1:
            return await self._model.complete(request)
        return await self._joined(request)

    async def _joined(self, request: Completion) -> Answer:
        key = (request.together or "", request.system, json.dumps(request.json_schema, sort_keys=True))
        waiting = self._waiting.get(key)
        if waiting is None:
            waiting = self._waiting[key] = _Waiting()
            waiting.call = asyncio.create_task(self._called(key, waiting))
        assert waiting.call is not None  # the first request created this task
        place = len(waiting.requests)
        waiting.requests.append(request)
        if len(waiting.requests) >= self._most:
            self._close(key, waiting)
        try:
            answer = (await asyncio.shield(waiting.call))[place]
        except asyncio.CancelledError:
            waiting.requests[place] = None
            raise
        if isinstance(answer, LLMError):
            raise answer
        return answer

    def _close(self, key: Key, waiting: _Waiting) -> None:
        if self._waiting.get(key) is waiting:
            del self._waiting[key]
        waiting.full.set()

    async def _called(self, key: Key, waiting: _Waiting) -> Answers:
        try:
            async with asyncio.timeout(self._seconds):
                await waiting.full.wait()
        except TimeoutError:
            self._close(key, waiting)
        wanted = [place for place, request in enumerate(waiting.requests) if request is not None]
        answers = dict(zip(wanted, await self._answers([r for r in waiting.requests if r is not None]), strict=True))
        gone = LLMUnusable(self.name, "the request was cancelled")
        return [answers.get(place, gone) for place in range(len(waiting.requests))]

    async def _answers(self, requests: Sequence[Completion]) -> Answers:
        try:
            if len(requests) > 1:
                return split(await self._model.complete(merged(requests)), len(requests))
            return [await self._model.complete(request) for request in requests]
        except LLMError as error:
            return [error] * len(requests)


def merged(requests: Sequence[Completion]) -> Completion:
    """Return one request that contains all `requests`, with the sum of their timeouts."""
    first = requests[0]
    asked = "\n\n".join(f"REQUEST {n}\n{request.turns[0].content}" for n, request in enumerate(requests, 1))
    return replace(
        first,
        turns=(Turn("user", asked),),
        system=(*first.system, _RULE),
        max_tokens=sum(request.max_tokens for request in requests),
        timeout=sum(request.timeout for request in requests),
        json_schema=_schema(first.json_schema or {}),
    )


def split(answer: Answer, count: int) -> Answers:
    """The answer to each request, or an error if the answer is missing. Each gets an equal part of the call's cost."""
    parts = _parts(answer.text)
    shares = [_share(answer, index, count) for index in range(count)]
    return [
        replace(share, text=json.dumps(parts[n], ensure_ascii=False))
        if n in parts
        else LLMUnusable(answer.model, "one of several requests was not answered", answer=share)
        for n, share in enumerate(shares, 1)
    ]


def _parts(text: str) -> dict[int, Any]:
    try:
        answers = json.loads(text)["answers"]
        return {int(part["number"]): part["answer"] for part in answers}
    except (ValueError, KeyError, TypeError):
        return {}


def _share(answer: Answer, index: int, count: int) -> Answer:
    def part(total: int) -> int:
        return total // count + (total % count if index == 0 else 0)

    return replace(
        answer,
        input_tokens=part(answer.input_tokens),
        output_tokens=part(answer.output_tokens),
        cache_read_tokens=part(answer.cache_read_tokens),
        cache_write_tokens=part(answer.cache_write_tokens),
        seconds=answer.seconds / count,
        price_usd=None if answer.price_usd is None else answer.price_usd / count,
    )


def _schema(one: Mapping[str, Any]) -> dict[str, Any]:
    inner = {name: value for name, value in one.items() if name != "$defs"}
    numbered = _closed({"number": {"type": "integer"}, "answer": inner})
    answers = {"type": "array", "items": numbered}
    return {**_closed({"answers": answers}), **({"$defs": one["$defs"]} if "$defs" in one else {})}


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
