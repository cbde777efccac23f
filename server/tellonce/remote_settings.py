"""The settings for remote clients: the public address and an OAuth issuer."""

import re

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator


class Group(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Remote(Group):
    """Remote clients: the public address, and the OAuth issuer whose access tokens are accepted in addition to our
    own."""

    url: str = Field(default="", description="Public URL of `/mcp`, which a token must name as its audience.")
    issuer: str = Field(default="", description="Issuer of access tokens; default: only tokens of `tellonce token`.")
    jwks_url: str = Field(default="", description="URL of the issuer's public keys; https, or loopback.")
    subjects: str = Field(default="", description="The user id of each subject of the issuer: `ann=42, ben=43`.")
    rate_limit: float = Field(
        default=500, ge=0, description="Maximum requests per second of one remote credential; 0: no limit."
    )

    @model_validator(mode="after")
    def _whole(self) -> "Remote":
        named = {"URL": self.url, "JWKS_URL": self.jwks_url, "SUBJECTS": self.subjects}
        if self.issuer and not all(named.values()):
            raise ValueError(f"with an issuer {', '.join(n for n, value in named.items() if not value)} is needed too")
        if self.jwks_url and not re.match(r"https://|http://(127\.0\.0\.1|localhost|\[::1\])[:/]", self.jwks_url):
            raise ValueError("JWKS_URL must be https: with altered keys, anyone could log in as any user")
        return self

    @field_validator("subjects")
    @classmethod
    def _pairs(cls, text: str) -> str:
        parsed_subjects(text)
        return text

    @property
    def users(self) -> dict[str, int]:
        """The user id of each subject."""
        return parsed_subjects(self.subjects)


def parsed_subjects(text: str) -> dict[str, int]:
    """Parse `sub=user id` pairs. Raises ValueError for any other text."""
    pairs = [part.strip().rpartition("=") for part in text.split(",") if part.strip()]
    if any(not subject or not re.fullmatch(r"\d{1,18}", user) for subject, _, user in pairs):
        raise ValueError("write subject=user id, separated by commas: ann=42, ben=43")
    return {subject: int(user) for subject, _, user in pairs}
