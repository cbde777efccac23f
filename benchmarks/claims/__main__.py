"""`python -m benchmarks.claims`: runs the server's check on the tables of right and false claims. If the local model is
installed, the check also uses the model's cosines."""

import asyncio
from collections import Counter
from collections.abc import Callable
from functools import cache

from platformdirs import user_cache_path

from benchmarks.claims.scores import TABLES, Case, cases, quoted, unquoted, wrong
from tellonce_server.domain.memory.check import Verdict
from tellonce_server.embedding.model_files import GRAPH, MODEL, TOKENIZER, ModelFilesUnavailable, fetch
from tellonce_server.embedding.onnx_session import Session
from tellonce_server.embedding.protocol import Similarity


def main() -> None:
    """For each table, print how many claims are judged certain, and list the claims that are judged wrongly."""
    similarity = asyncio.run(_similarity())
    for name, judge in (
        ("with a quote", quoted),
        ("with a quote, also by cosine", lambda case: quoted(case, similarity)),
        ("without", unquoted),
        ("without a quote, also by cosine", lambda case: unquoted(case, similarity)),
    ):
        for table in sorted(TABLES.glob("*.jsonl")):
            _report(f"{table.name} {name}", cases(table.name), judge)


def _report(name: str, table: list[Case], judge: Callable[[Case], Verdict]) -> None:
    verdicts = [(case, judge(case)) for case in table]
    certain = Counter((case.right, case.kind) for case, verdict in verdicts if verdict.certain)
    print(f"\n{name}")
    for (right, kind), count in sorted(Counter((case.right, case.kind) for case, _ in verdicts).items(), reverse=True):
        print(f"  {'right' if right else 'false'} {kind:<12} certain {certain[right, kind]:>3} of {count}")
    for case, verdict in wrong(verdicts):
        print(f"    {'lost ' if case.right else 'taken'} {case.text!r} from {case.said!r}: {' '.join(verdict.reasons)}")


async def _similarity() -> Similarity | None:
    folder = user_cache_path("tellonce-tests") / "models" / MODEL
    try:
        await fetch(folder, lambda done, total: None)
    except ModelFilesUnavailable as missing:
        print(f"no cosines: {missing}")
        return None
    session = Session(folder / GRAPH, folder / TOKENIZER)
    embed = cache(lambda text: session.vector(text))
    return lambda one, other: sum(x * y for x, y in zip(embed(one), embed(other), strict=True))


if __name__ == "__main__":
    main()
