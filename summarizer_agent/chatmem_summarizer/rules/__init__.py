"""The rule tables of the offline extraction, one file per theme, and the order in which a clause meets them."""

from chatmem_summarizer.rules import events, goals, identity, keys, life, preferences, relations
from chatmem_summarizer.rules.rule import Draft, Rule, Scene

ORDER: tuple[Rule, ...] = (
    *keys.RULES,
    *preferences.INSTRUCTIONS,
    *events.RULES,
    *identity.RULES,
    *relations.RULES,
    *preferences.RULES,
    *goals.RULES,
    *life.RULES,
)

__all__ = ["ORDER", "Draft", "Rule", "Scene"]
