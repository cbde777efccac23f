"""`python -m benchmarks.learning talks|sheet|changes FILE…`: docs/explanation/learning.md explains the figures."""

import argparse
import asyncio
import json
from pathlib import Path

from benchmarks.learning import changes, talks

MODEL_HELP = "folder of the local embedding model's files; without it there are no embeddings and no notes"


def main() -> None:
    """Prints the figures of one set of cases."""
    args = _arguments()
    model: Path | None = args.model
    match args.what:
        case "talks":
            results = asyncio.run(talks.keep(list(talks.read(args.files)), model))
            print(talks.report(results))
            if args.sheet:
                talks.write_sheet(results, args.sheet)
        case "sheet":
            print("\n".join(talks.judged(file) for file in args.files))
        case _:
            cases = [case for file in args.files for case in json.loads(file.read_text("utf-8"))["cases"]]
            print(changes.report(asyncio.run(changes.tell(cases, model))))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    parser.add_argument("what", choices=("talks", "sheet", "changes"))
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--model", type=Path, help=MODEL_HELP)
    parser.add_argument("--sheet", type=Path, help="where to write the sheet for judging by hand")
    return parser.parse_args()


if __name__ == "__main__":
    main()
