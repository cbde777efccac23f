"""Masks secrets (API keys, passwords, tokens, card numbers) in a text before anything is derived from it.

A mask names the kind of secret, as in `[secret:api-key]`, so that a reader knows what was there. Numbers that people
want to keep (account numbers, phone numbers, dates, ids, commit hashes) are not masked.
"""

import math
import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Final

from tellonce_text import told_secrets
from tellonce_text.caches import of_texts

Replace = Callable[[re.Match[str]], str]

_MARK = re.compile(r"(\[secret:[a-z-]+\])")

_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_URL_CREDENTIALS = re.compile(r"(?<=://)[^\s/@:?#\"'<>\[\]]*:[^\s/@\"'<>\[\]]+(?=@)")
_JWT = re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*")
_BOT_TOKEN = re.compile(r"(?<!\d)\d{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])")
_BEARER = re.compile(r"\b((?:Bearer|Authorization:\s*(?:Basic|Token))\s+)[\w.~+/-]{10,}=*", re.IGNORECASE)
_API_KEY = re.compile(
    r"(?<![A-Za-z0-9_])(?:"
    r"sk-[A-Za-z0-9_-]{16,}"  # OpenAI, Anthropic
    r"|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{12,}|whsec_[A-Za-z0-9+/=]{16,}"  # Stripe
    r"|(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"  # AWS access key ids
    r"|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}"
    r"|xox[a-z]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}"  # Slack
    r"|AIza[\w-]{30,}|ya29\.[\w-]{20,}"  # Google
    r"|npm_[A-Za-z0-9]{30,}|pypi-[\w-]{40,}|hf_[A-Za-z0-9]{20,}"
    r"|SG\.[\w-]{16,}\.[\w-]{16,}|dop_v1_[0-9a-f]{40,}"
    r")"
)

_PASSWORD_WORD = r"(?:pass(?:word|wd|phrase|code|wort)|pwd|kennwort|contraseña|mot de passe|senha|пароль|密码|密碼|パスワード|비밀번호)"
_IS = r"(?:\s*[:=：]++(?!//)>?\s*|\s+(?:is|was|are|to|ist|lautet|es|est|é|это|equals)\s+(?:now\s+|set to\s+)?[:=]?\s*|\s*[为是は]\s*)"
_QUOTED = r"\"[^\"\n]+\"|'[^'\n]+'|`[^`\n]+`|“[^”\n]+”|«[^»\n]+»"
_PASSWORD = re.compile(
    rf"({_PASSWORD_WORD}s?[\"'`]?(?:\s+(?:for|to|of|on|für)\s+[\w.'@ -]{{1,40}}?)?{_IS})({_QUOTED}|[^\s\"'`,;，。、]+)",
    re.IGNORECASE,
)
_KEYED = re.compile(
    r"((?:api|access|secret|auth|client|private|signing|webhook|bot)?[ _-]?\b(?:\w*_)?"
    r"(?:token|secret|key|apikey|credentials?)s?\b[\"'`]?(?:\s+(?:for|to|of)\s+[\w.' -]{1,30}?)?(?:\s*[:=]+>?\s*|\s+(?:is\s+|was\s+)?)"
    r"[\"'`]?)([A-Za-z0-9_.~+/=-]{12,})",
    re.IGNORECASE,
)
# Matches an assignment to an environment variable if the variable's name ends like the name of a secret.
_ASSIGNED = re.compile(
    r"(?<![A-Za-z0-9])((?:[A-Z0-9]+_)*(?:SECRET|TOKEN|PASSWORD|PASSWD|(?:API|ACCESS|SECRET|PRIVATE|AUTH|SIGNING)_?KEY)"
    r"\s?=\s?[\"']?)([^\s\"'`,;]+)"
)
_CARD = re.compile(r"(?<![\w+.-])(?:[2-6]\d{12,18}|[2-6]\d{3}([ -])\d{4,6}\1\d{4,5}(?:\1\d{2,4}){0,2})(?![\w-]|\.\d)")

# Every match of a rule contains one of these texts (in lower case) or many digits. A text without such a hint and
# without many digits is skipped, because the rules take a hundred times as long as this check.
_HINTS: Final = (
    "-----begin", "://", "eyj", "bearer", "authorization", "sk-", "k_live_", "k_test_", "whsec_", "akia", "asia", "ghp_",
    "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "xapp-", "aiza", "ya29.", "npm_", "pypi-", "hf_",
    "sg.", "dop_v1_", "pass", "pwd", "kennwort", "contraseña", "mot de passe", "senha", "пароль", "密码", "密碼",
    "パスワード", "비밀번호", "token", "secret", "key", "credential", *told_secrets.HINTS,
)  # fmt: skip
_MANY_DIGITS = re.compile(r"\d{8}|(?:\d{4,}[ -]){2}")

# Words that make clear that a "key" is a secret. The word "key" alone may mean the key of a row or of a cache.
_CALLED_SECRET = re.compile(r"api|access|secret|auth|client|private|signing|webhook|token|credential", re.IGNORECASE)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]+", re.IGNORECASE)


def mask(text: str) -> str:
    """`text` with every secret replaced by `[secret:<kind>]`; masking the result again changes nothing."""
    if not may_hold(text):
        return text
    masked = _mask_once(text)
    while masked != text:
        text, masked = masked, _mask_once(masked)
    return masked


@of_texts
@lru_cache(maxsize=8192)
def may_hold(text: str) -> bool:
    """Whether the text may contain a secret. If this is False, the text certainly contains no secret."""
    low = text.lower()
    return any(hint in low for hint in _HINTS) or _MANY_DIGITS.search(text) is not None


def _mask_once(text: str) -> str:
    for rule in _RULES:
        parts = _MARK.split(text)
        parts[::2] = map(rule, parts[::2])  # the marks are between these parts
        text = "".join(parts)
    return text


def _mask_told(text: str) -> str:
    parts, at = [], 0
    for found in told_secrets.told(text):
        parts += [text[at : found.start], f"[secret:{found.kind}]"]
        at = found.end
    return "".join((*parts, text[at:]))


def _whole(kind: str) -> Replace:
    return lambda _: f"[secret:{kind}]"


def _after_first_group(kind: str) -> Replace:
    return lambda match: f"{match[1]}[secret:{kind}]"


def _password(match: re.Match[str]) -> str:
    value = match[2].rstrip(".)!?:…") or match[2]
    if not value.strip("*•.") or value.strip("\"'`“”").lower() in told_secrets.ORDINARY or value.endswith("("):
        return match[0]
    if told_secrets.COUNT.match(match.string, match.start(2)):
        return match[0]
    return f"{match[1]}[secret:password]{match[2][len(match[2].rstrip('.)')) :]}"


def _keyed(match: re.Match[str]) -> str:
    value = match[2].rstrip(".")
    called_secret = bool(_CALLED_SECRET.search(match[1])) and bool(re.search(r"[:=]|\bis\b", match[1]))
    if not _random_looking(value, strict=not called_secret):
        return match[0]
    return f"{match[1]}[secret:token]{match[2][len(value) :]}"


def _assigned(match: re.Match[str]) -> str:
    value = match[2]
    if value.isdigit() or value.lower() in told_secrets.ORDINARY or _MARK.match(value) or not value.strip("*.<>$(){}"):
        return match[0]
    return f"{match[1]}[secret:token]"


def _random_looking(value: str, *, strict: bool) -> bool:
    """With `strict`, a UUID or a hash does not count as random."""
    if strict and (_UUID.fullmatch(value) or _HEX.fullmatch(value)):
        return False
    letters, digits = sum(map(str.isalpha, value)), sum(map(str.isdigit, value))
    return letters >= 3 and digits >= 2 and _entropy(value) >= 2.8


def _entropy(value: str) -> float:
    """Shannon entropy in bits per character."""
    return -sum(n / len(value) * math.log2(n / len(value)) for n in Counter(value).values())


def _card(match: re.Match[str]) -> str:
    digits = [int(c) for c in match[0] if c.isdigit()]
    return "[secret:card]" if 13 <= len(digits) <= 19 and _luhn(digits) else match[0]


def _luhn(digits: list[int]) -> bool:
    doubled = (sum(divmod(2 * d, 10)) for d in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


_RULES: Final[tuple[Callable[[str], str], ...]] = (
    partial(_PRIVATE_KEY.sub, _whole("private-key")),
    partial(_URL_CREDENTIALS.sub, _whole("credentials")),
    partial(_JWT.sub, _whole("jwt")),
    partial(_BOT_TOKEN.sub, _whole("bot-token")),
    partial(_API_KEY.sub, _whole("api-key")),
    partial(_BEARER.sub, _after_first_group("token")),
    partial(_CARD.sub, _card),
    partial(_PASSWORD.sub, _password),
    _mask_told,
    partial(_KEYED.sub, _keyed),
    partial(_ASSIGNED.sub, _assigned),
)
