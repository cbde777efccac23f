"""A stub model that answers people like a competent model. It uses only its prompt."""

import re

from tests.stubs.replies import Say
from tests.stubs.stub import Asked

UNKNOWN = "I don't know that."

# Answers that do not depend on the prompt.
_MANNERS: tuple[tuple[str, str], ...] = (
    (r"^Plan my offsite", "Gladly. Which date?"),
    (r"^I finished the SingPass", "Well done! [DONE: SingPass]"),
    (r"^Remember everywhere that (.*)", r"I will. [REMEMBER_GLOBAL: \1]"),
)
_CLOCK = re.compile(r"^\[\d\d:\d\d [AP]M\] ")
_OWN = re.compile(r"MEMORY MANAGEMENT\n.*", re.DOTALL)


def talk(asked: Asked) -> Say:
    """The line of the prompt that shares the most words with the question. Messages without a question get `Noted.`"""
    said = _CLOCK.sub("", asked.user).strip()
    for pattern, answer in _MANNERS:
        if (told := re.search(pattern, said)) is not None:
            return Say(told.expand(answer))
    return Say(_recalled(asked.system, said) if "?" in said else "Noted.")


def _recalled(prompt: str, question: str) -> str:
    lines = [line.strip() for line in _OWN.sub("", prompt).splitlines()[3:]]
    told = [line for line in lines if "?" not in line and UNKNOWN not in line]
    best = max(told, key=lambda line: len(_words(line) & _words(question)), default="")
    return f"You told me: {best}" if _words(best) & _words(question) else UNKNOWN


def _words(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"\w+", text.lower()) if len(word) > 3}
