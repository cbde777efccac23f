"""Hooks of the static site: they add the documents of the root folder as pages and adjust links."""

import re
from os.path import normpath, relpath
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#:\s]+)(#[^)]*)?\)")
PAPERS = {
    f"{name.upper()}.md": f"project/{name}.md" for name in ("architecture", "security", "contributing", "changelog")
}


def on_files(files: Any, config: Any) -> Any:
    for paper, uri in PAPERS.items():
        files.append(File.generated(config, uri, content=(ROOT / paper).read_text()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    uri: str = page.file.src_uri
    former = {site: paper for paper, site in PAPERS.items()}
    return relinked(markdown, former.get(uri, f"docs/{uri}"), uri)


def relinked(markdown: str, source: str, uri: str) -> str:
    """The text of the file `source` with its links adjusted for the page `uri`.

    A link to a file that is not on the site is replaced by its text.
    """

    def follow(link: re.Match[str]) -> str:
        target = normpath(Path(source).parent / link[2])
        page = PAPERS.get(target, target.removeprefix("docs/") if target.startswith("docs/") else None)
        if page is None or not page.endswith((".md", ".png", ".svg")):
            return link[1]
        return f"[{link[1]}]({relpath(page, Path(uri).parent)}{link[3] or ''})"

    return LINK.sub(follow, markdown)
