"""The documents name only commands, options, make targets, settings, modules and files that exist."""

import base64
import json
import re
import shlex
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
import typer.main
from typer.core import TyperGroup

from docs import generate
from tellonce.client_settings import RelaySettings, SummarizerSettings
from tellonce.settings import ServerSettings, load, variable
from tellonce_cli.client_configs import ENTRY, OUR_ARGUMENTS
from tellonce_cli.main import app
from tellonce_server.api.assistant import AssistantTools
from tellonce_server.api.spec import specs_of

ROOT = Path(__file__).parents[2]
PAPERS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCED = re.compile(r"^```(?:sh|bash|console)\n(.*?)^```", re.M | re.S)
QUOTED = re.compile(r"`([^`\n]+)`")
LINK = re.compile(r"\[[^\]]*\]\(([^)#:\s]+)(?:#[^)]*)?\)")
VARIABLE = re.compile(r"\b((?:TELLONCE|TELEGRAM|SUMMARIZER|OLLAMA|ANTHROPIC)_[A-Z_]+)\b")
FOREIGN = {"TELLONCE_TEST_CACHE", "TELLONCE_TEST_PROFILE", "TELLONCE_TEST_RECORD"}
"""Environment variables that only the tests use."""


@cache
def command() -> TyperGroup:
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    return group


def commands(text: str, program: str) -> list[list[str]]:
    """All calls of the program in the document's code blocks and backticks. Each call is a list of arguments."""
    lines = [line for block in FENCED.findall(text) for line in block.replace("\\\n", " ").splitlines()]
    found = []
    for line in [*lines, *QUOTED.findall(text)]:
        for piece in re.split(r"(?<!\\)\||&&|;", line):
            # A regular expression or a text in backticks is not a command.
            whole = piece.count("'") % 2 == 0 and piece.count('"') % 2 == 0 and not piece.endswith("\\")
            words = shlex.split(piece, comments=True) if whole else []
            if words and Path(words[0]).name == program:
                found.append(words[1:])
    return found


def offered(words: list[str]) -> None:
    """Look up the words in the tree of commands. Fails if a name or option does not exist."""
    place: Any = command()
    while isinstance(place, TyperGroup) and words and not words[0].startswith(("-", "…")):
        # `import telegram|chatgpt` lists alternatives. The words after a command are its arguments.
        assert words[0] in place.commands, f"tellonce {words[0]}"
        place, words = place.commands[words[0]], words[1:]
    known = {name for parameter in place.params for name in parameter.opts} | {"--help"}
    assert {word for word in words if re.fullmatch(r"--[a-z-]+", word)} <= known


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_command_a_paper_names_is_there_with_its_options(paper: Path) -> None:
    for words in commands(paper.read_text(), "tellonce"):
        offered(words)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_make_target_and_module_a_paper_names_is_there(paper: Path) -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.M))
    assert {words[0] for words in commands(paper.read_text(), "make") if words} <= targets
    for words in commands(paper.read_text(), "python"):
        if words[:1] == ["-m"]:
            assert find_spec(words[1]) is not None, words[1]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_link_within_the_project_leads_somewhere(paper: Path) -> None:
    assert [link for link in LINK.findall(paper.read_text()) if not (paper.parent / link).exists()] == []


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_test_a_paper_cites_is_there(paper: Path) -> None:
    cited = re.findall(r"`((?:tests|benchmarks)/[\w/.]+)`", paper.read_text())
    assert [path for path in cited if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.name)
def test_every_variable_a_paper_names_is_a_setting(paper: Path) -> None:
    kinds = (ServerSettings, SummarizerSettings, RelaySettings)
    known = {variable(name, field) for kind in kinds for name, field in kind.model_fields.items()}
    named = {name.partition("__")[0] for name in VARIABLE.findall(paper.read_text())}
    assert named - known - FOREIGN == set()


def test_the_example_of_a_dotenv_sets_nothing_and_what_it_offers_is_accepted(tmp_path: Path) -> None:
    lines = (ROOT / ".env.example").read_text().splitlines()
    assert [line for line in lines if line and not line.startswith("#")] == []
    offered = [line[2:] for line in lines if re.match(r"# [A-Z_]+=", line)]
    (tmp_path / ".env").write_text("\n".join(offered))
    known: set[str] = set()
    for kind in (ServerSettings, SummarizerSettings, RelaySettings):
        known |= {variable(name, field) for name, field in kind.model_fields.items()}
        load(kind, _env_file=tmp_path / ".env")
    assert {line.partition("=")[0] for line in offered} <= known


def test_the_page_of_the_clients_names_the_tools_of_an_assistant() -> None:
    page = (ROOT / "docs" / "clients" / "README.md").read_text()
    assert [
        spec.name for spec in specs_of(AssistantTools(_never)) if spec.listed and f"`{spec.name}`" not in page
    ] == []


def test_the_one_click_links_install_the_command_that_connect_writes() -> None:
    links = re.findall(r"\]\((https://(?:insiders\.vscode\.dev|cursor\.com)[^)]+)\)", (ROOT / "README.md").read_text())
    vscode, cursor = (dict(parse_qsl(urlsplit(link).query)) for link in links)
    scheme, _, entry = vscode["url"].partition("?")
    command = {"command": "tellonce", "args": OUR_ARGUMENTS}
    assert (scheme, json.loads(unquote(entry))) == ("vscode:mcp/install", {"name": ENTRY, "type": "stdio", **command})
    assert (cursor["name"], json.loads(base64.b64decode(cursor["config"]))) == (ENTRY, command)


async def _never() -> Any:
    raise AssertionError("no tool is called")


def test_every_subcommand_says_what_it_is_for() -> None:
    assert [name for name, sub in command().commands.items() if not sub.help] == []


def test_the_generated_reference_is_current() -> None:
    """If this test fails, `python -m docs.generate` updates the reference."""
    assert [path.name for path, text in generate.written().items() if path.read_text() != text] == []


def test_the_site_lists_every_page_and_the_index_for_models_too() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text()
    index = (ROOT / "llms.txt").read_text()
    pages = [page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")]
    assert [page for page in pages if page not in navigation] == []
    assert [link for link in LINK.findall(index) if not (ROOT / link).exists()] == []
