"""Personas from config/agents.toml: who speaks in which chat or topic, with which system prompt."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from tellonce_relay.config_file import Name, read

FILE = "agents.toml"


class AgentEntry(BaseModel):
    """One table of the file, named after the agent's id."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    prompt: Annotated[str, Field(min_length=1, description="System prompt: policy and personality.")]
    chats: tuple[int, ...] = Field(default=(), description="Chats in which it answers.")
    topics: tuple[Annotated[str, Field(pattern=r"^-?\d+:\d+$")], ...] = Field(
        default=(), description="Topics in which it answers, as chat:thread."
    )
    default: bool = Field(default=False, description="Answers in chats that have no agent of their own.")


_FILE: TypeAdapter[dict[Name, AgentEntry]] = TypeAdapter(dict[Name, AgentEntry])


@dataclass(frozen=True)
class Agent:
    """An agent. Without an id, the agent is the plain assistant, which uses the default policy."""

    id: str | None = None
    prompt: str = ""


class Agents:
    def __init__(self, entries: dict[str, AgentEntry]) -> None:
        self._entries = entries

    def at(self, chat_id: int, thread_id: int | None) -> Agent:
        """The agent for a place: the agent of the topic, else of the chat, else the default."""
        topic = f"{chat_id}:{thread_id}"
        for fits in (lambda e: topic in e.topics, lambda e: chat_id in e.chats, lambda e: e.default):
            for name, entry in self._entries.items():
                if fits(entry):
                    return Agent(name, entry.prompt)
        return Agent()

    def named(self, name: str | None) -> Agent:
        """The agent with that id. An agent that is not in the file has no prompt of its own."""
        entry = self._entries.get(name or "")
        return Agent(name, entry.prompt if entry else "")


def load_agents(folder: Path) -> Agents:
    """Load the agents. Raises SettingsError, which names the mistakes in the file."""
    return Agents(read(folder / FILE, _FILE.validate_python) or {})
