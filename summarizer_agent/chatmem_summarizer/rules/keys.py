"""Rules for key information, pinned: account and other numbers, doses, decisions; addresses without the pin."""

import re

from chatmem_summarizer.rules.rule import Rule, owns, states

_KEY_NOUNS = (
    r"account|customer|client|member(?:ship)?|policy|order|booking|reservation|reference|confirmation|employee|student"
    r"|passport|licen[cs]e(?: plate)?|plate|tax|case|ticket|invoice|frequent[- ]flyer|loyalty|insurance|registration"
    r"|serial"
    r"|tracking|contract|tenant|project|iban|vin|nric|ssn|nhs|vat|mileage|patient|medical record|library card|bank"
)
_NUMBER_WORDS = r"(?:number|numbers|no\.?|id|ids|code|nr\.?|#|arn)"
_DOSE = r"\d+(?:[.,]\d+)? ?(?:mg|mcg|µg|ug|ml|iu|units?|drops|puffs|tablets?|pills?|capsules?|grams?|g)\b"
_CHOICE_WORDS = re.compile(
    r"\b(?:that|this|it|them|option|first|second|third|one|your|the other|which|what|later|now)\b[\w ]{0,12}$",
    re.IGNORECASE,
)


def _not_vague(match: re.Match[str]) -> bool:
    choice = match["choice"].strip()
    return len(choice) > 3 and not _CHOICE_WORDS.search(choice) and not re.match(r"(?:it|that|this)\b", choice, re.I)


RULES: tuple[Rule, ...] = (
    owns(
        "facts",
        rf"(?:my|our|the) (?:[\w'/&-]+ ){{0,4}}?(?:(?:{_KEY_NOUNS})(?: {_NUMBER_WORDS})?|{_NUMBER_WORDS})"
        r"(?: (?:for|at|with|of|in|on) (?:[\w'/&.-]+ ?){1,5}?)?(?: ?(?:is|are|:|=))+ ?#?(?:[A-Z]{1,4} )?(?=[\w/-]*\d)[\w/-]+",
        importance=0.9,
        pin=True,
    ),
    states(
        "facts",
        rf"(?:i|we)(?:'m| am)?(?: (?:currently|now|also|still))? (?:take|taking|on|inject|injecting|use|using|got "
        rf"prescribed|was prescribed"
        rf"|am prescribed)\b.{{0,60}}?{_DOSE}",
        importance=0.9,
        pin=True,
    ),
    owns(
        "facts",
        rf"my (?:[\w'-]+ ){{0,3}}(?:dose|dosage|doses|medication|prescription|insulin|pills?)\b.{{0,60}}?{_DOSE}",
        importance=0.9,
        pin=True,
    ),
    owns(
        "facts",
        rf"my (?:doctor|gp|cardiologist|psychiatrist|physician) prescribed .{{0,80}}?{_DOSE}",
        importance=0.9,
        pin=True,
    ),
    states(
        "facts",
        r"(?:i|we)(?:'ve| have)?(?: (?:just|finally|now|all|both))? (?:decided|chosen|agreed|settled|opted|resolved)"
        r" (?:to|on|against|for|that)? ?(?P<choice>.{4,})",
        when=_not_vague,
        importance=0.8,
        pin=True,
    ),
    states(
        "facts",
        r"(?:i|we)(?:'m|'re|'ll| am| are| will)? (?:chose|picked|going with|go with) (?P<choice>.{4,})",
        when=_not_vague,
        importance=0.8,
        pin=True,
    ),
    owns("facts", r"(?:my|our|the) (?:final )?decision is (?:to|that) (?P<choice>.{4,})", importance=0.8, pin=True),
    owns(
        "facts",
        r"my (?:[\w'-]+ ){0,2}(?:e-?mail(?: address)?|phone|telephone|mobile|cell|number|extension)(?: number)? is "
        r"\S*[\d@]\S*",
        importance=0.8,
    ),
    owns("facts", r"my (?:[\w'-]+ ){0,2}address is .{6,}", importance=0.8),
    states("facts", r"(?:i|we)(?:'ll| will)? (?:live|stay) at \d+ .{4,}", importance=0.8),
)
