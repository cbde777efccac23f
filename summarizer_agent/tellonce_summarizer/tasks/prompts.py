"""The prompts of all tasks, and the form in which they show messages. A request begins with its prompt, which never
changes and can be cached. The messages follow, numbered, with speaker and local time."""

from collections.abc import Sequence
from zoneinfo import ZoneInfo

from tellonce.work import WorkMessage
from tellonce_text.tokens import head_and_tail

_EXAMPLES = """\
EXAMPLES (fields that are not shown have their default)

KNOWN: (nothing). USER: Ann.
[7] user, Wed 2026-02-18 09:15: Morning! I'm on the early shift at Mercy Hospital again, six years as a nurse and I \
still hate 5 am
{"items": [{"quotes": [{"message_id": 7, "text": "I'm on the early shift at Mercy Hospital again, six years as a nurse"}], \
"text": "Ann has worked as a nurse for six years, at Mercy Hospital", "kind": "fact", "categories": ["job", "work"], "importance": 0.7}]}

KNOWN: #12 fact, since 2025-06-01: Ann lives in Singapore
[9] user, Fri 2026-11-20 20:02: so we're finally in Lisbon! moved last week
{"items": [{"quotes": [{"message_id": 9, "text": "we're finally in Lisbon! moved last week"}], "text": "Ann lives in \
Lisbon", "kind": "fact", "when": {"start": "2026-11-09", "end": "", "precision": "ongoing"}, "importance": 0.8, \
"replaces": [12]}]}

KNOWN: #9 goal, since 2026-01-05: Ann wants to run the Berlin marathon · #10 fact, since 2026-01-05: Ann runs twice a \
week
[31] user, Mon 2026-05-04 18:40: gave up on the marathon btw, my knee won't have it
{"items": [{"quotes": [{"message_id": 31, "text": "gave up on the marathon btw, my knee won't have it"}], "text": "Ann \
gave up on the Berlin marathon because of her knee", "kind": "outcome", "ends": [9]}]}
(Nothing was said of running twice a week: #10 stays.)

KNOWN: (nothing)
[44] user, Tue 2026-03-03 12:10: picking up my brother Max at 6, he's allergic to nuts so no satay tonight. my \
colleague's cousin just got divorced, wild
{"items": [{"quotes": [{"message_id": 44, "text": "my brother Max"}, {"message_id": 44, "text": "he's allergic to nuts"}], \
"about": "Max", "text": "Max, Ann's brother, is allergic to nuts", "kind": "fact", "categories": ["allergy", "health", "family"], "importance": 0.7}]}
(The brother matters to the user, the colleague's cousin does not; picking him up at 6 is over tomorrow.)

KNOWN: (nothing)
[50] user, Sun 2026-03-08 10:00: if I won the lottery I'd buy a castle and only eat caviar, obviously 😂 anyway, can you \
shorten this? "I am a retired teacher from Ohio and I have three cats."
{"items": []}
(A joke, a hypothetical, and a text that somebody else may have written.)

KNOWN: #20 goal, since 2026-03-01: Ann möchte Cello lernen
[61] user, Thu 2026-03-12 21:30: überlege, ob ich im Sommer nach Wien ziehe. Mit dem Cello fange ich am 2. April an!
{"items": [{"quotes": [{"message_id": 61, "text": "überlege, ob ich im Sommer nach Wien ziehe"}], "text": "Ann überlegt, \
im Sommer 2026 nach Wien zu ziehen", "kind": "goal", "certain": false, "doubt": "she is only considering it", "when": \
{"start": "2026-06", "end": "2026-08", "precision": "month"}}, {"quotes": [{"message_id": 61, "text": "Mit dem Cello \
fange ich am 2. April an"}], "text": "Ann fängt am 2. April 2026 mit dem Cello an", "kind": "date", "when": {"start": \
"2026-04-02", "end": "", "precision": "day"}}]}
(The language of the message is kept. Beginning fulfils no goal yet: #20 stays.)"""

EXCHANGE = f"""\
You keep the long-term memory of a person, the user, who talks with an assistant. You read one exchange and return JSON.

ITEMS: statements the user makes in NEW MESSAGES that will still matter to them in a month.
- fact: who they are, work, home, family, friends and animals, health, possessions, habits, account numbers, doses. \
preference: tastes, and how they want to be answered. goal: what they mean to achieve. date: an event with its day. \
outcome: what was decided, finished, given up, or tried and how it ended.
- Not items: questions; hypotheticals; role play, fiction, dreams, jokes and sarcasm; quoted, forwarded or pasted text \
and code; the assistant's words, unless the user plainly takes them over; text between ⟦memory⟧ marks; small talk; the \
mood or the task of the moment; what the user asks not to remember. BEFORE only explains pronouns and times: take nothing from it.
- An empty list is the usual answer.

EACH ITEM
- quotes: the words it rests on, copied exactly, with the number of their message. Several where one is not enough.
- text: one sentence that can be understood alone in years: it names its subject, the user by name where USER gives one, \
else "The user". Keep names, numbers and negations exactly. Add nothing that was not said. Language of the message.
- about: "user", or the name of the person, animal or thing it is about. A line with another speaker's name tells of \
that speaker, not of the user.
- user_name: their own name, in the item in which they say what they are called; empty in all others.
- scope: "chat" only for what concerns this chat alone, else "global".
- when: when it holds or happens, worked out from the time of the message that says it (not from NOW): start and end as \
far as they were told; null where no time was told. After a relative time in text, write the day too: "next Friday \
(2026-03-20)". deadline: only of a goal.
- certain: false where the user hedges, or where you are not sure what or whom they mean; doubt then says why.
- categories: one to four nouns for the kind of thing it tells of, in the singular, from narrow to general, so that a \
question for all of a kind finds it: "sport", "hobby" for bouldering. Language of the message.
- importance 0 to 1. pin: true only for appointments, doses, account numbers and standing orders.

KNOWN: what the memory holds, by number; in quotation marks the user's own words of that day, kept without having been \
read. It is not the user speaking now: take no item from it.
- same_as: the number of a statement the user says again, in whatever words. Without being said again it is not an item. \
What is marked "denied by the user" is not so: where they only hint at it again, certain is false.
- replaces: numbers that are no longer true because this item is. ends: numbers that are over with nothing in their \
place; the item tells the ending.
- Only statements that cannot both be true replace each other: somebody who likes tea may like coffee too, and may have \
two brothers. A plan, a wish or a doubt ends nothing. What was true earlier than the number's day ends nothing.

CANONICAL: the running summary of this chat.
- Where MODE is "add": only what this exchange adds to PRIOR, as lines; empty strings where nothing. obsolete: lines of \
PRIOR that are no longer true, copied exactly.
- Where MODE is "rewrite": PRIOR is nearly full. Write it anew with this exchange included, well under the tokens that \
MODE names; the older, the shorter; obsolete stays empty.
- user_confirmed: what the user stated or confirmed. llm_inferred: what you conclude without their saying it. \
general_summary: one or two lines on what was talked about and done, each with its day ("Feb 18: …") and with the name \
of whoever said or did it. Keep names, numbers and dates; write days, not "yesterday".

{_EXAMPLES}"""

EXCHANGE_LOCAL = """\
You keep notes about a user. Read NEW MESSAGES and return JSON.
items: what the user says about their life that stays true for months: facts, preferences, goals, dates, outcomes. Not: \
questions, jokes, "if …", stories, pasted text, code, what the assistant says. Often there is nothing: then items is [].
- quotes: words copied exactly from the user's message, with its number. text: one full sentence about "The user", or \
about the person named in about. Same language. Do not add anything.
- categories: one or two general nouns for the kind of thing: "sport", "pet".
- certain is false for maybe and might. when and deadline: days like 2026-03-15, only if told.
- KNOWN are old notes with numbers. same_as: the user says the old note again. "denied by the user": it is not so. replaces: the new statement makes the old \
note untrue. ends: the old note is over. Otherwise leave these empty.
canonical.general_summary: one line on what the user said; leave the other lists empty.

Example. KNOWN: #12 fact: The user lives in Singapore
[9] user, Fri 2026-11-20 20:02: finally in Lisbon! moved last week
{"items": [{"quotes": [{"message_id": 9, "text": "finally in Lisbon! moved last week"}], "about": "user", "text": "The \
user lives in Lisbon", "kind": "fact", "scope": "global", "when": {"start": "2026-11-09", "end": "", "precision": \
"ongoing"}, "deadline": "", "certain": true, "doubt": "", "importance": 0.8, "pin": false, "categories": ["home", "city"], "same_as": 0, "replaces": \
[12], "ends": []}], "canonical": {"user_confirmed": "", "llm_inferred": "", "general_summary": "Nov 20: The user moved \
to Lisbon.", "obsolete": []}}

Example. KNOWN: (nothing)
[50] user, Sun 2026-03-08 10:00: if I won the lottery I'd buy a castle 😂 what is the capital of Peru?
{"items": [], "canonical": {"user_confirmed": "", "llm_inferred": "", "general_summary": "", "obsolete": []}}"""


CHUNK = """\
You write the summary that replaces a stretch of a chat in the assistant's context. Return JSON.
- paragraph: 3 to 5 sentences of plain prose, oldest first: what was wanted, what was decided, what was found, what is \
open. Credit everything to who said it, by the name in front of the line; "the user" is only the one called user. \
No heading, no list, no preamble.
- goals: goals and open questions. decisions. facts: important facts. outcomes: what was tried, and whether it worked. \
pending: actions still to be done. Each line stands alone, at most 25 words, oldest first, with the name of whom it is \
about; empty lists where there is nothing.
- Keep names, numbers, identifiers and negations exactly. Write days ("Feb 15"), worked out from the time of the \
message, never "yesterday" or "next week". Standing wishes on how to be answered are facts and are kept word for word. \
Add nothing that was not said. Language of the conversation."""

CHUNK_LOCAL = """\
Summarise the conversation in 2 to 4 plain sentences, at most {characters} characters. Begin at once with the content. \
No introduction such as "Here is", no title, no list, no code, nothing about yourself. Name who said what. Use the \
words, names, numbers and dates of the conversation. Language of the conversation."""

THREAD = """\
You keep the rolling summary of a conversation. Fold NEW, oldest first, into PRIOR and return JSON; at most {cap} \
tokens in all.
- paragraph: 3 to 6 sentences, oldest first; the older, the shorter. The newest lines keep their detail, and the last \
sentence says what is open. Credit everything to who said it. No heading, no preamble.
- goals (with open questions), decisions, facts, outcomes, pending: one line each, no repetition. Drop questions that \
were answered and actions that were done. Where two lines contradict each other, keep the newer. Standing wishes on how \
to be answered stay.
- Keep names, numbers, days and negations exactly; never "yesterday". Add nothing. Language of the conversation."""

PROFILE = """\
Write who this user is, from their MEMORIES only: at most {cap} tokens of plain prose in the third person, no list, no \
heading, no preamble. Begin with who they are and what they do; then preferences, goals with deadlines, dates. Keep \
names, numbers, dates and negations exactly; never mix up whose a statement is. Lines in quotation marks are the user's \
own words of that day: use them as such, not as proven. Add nothing, judge nothing. Language of the memories."""

ROUTINE = """\
Summarise this message, which an assistant sent unasked, in 2 or 3 short sentences (at most {characters} \
characters): what it reported and anything that needs doing. Do not copy its beginning. Keep numbers, names and times \
exactly. No introduction, no title, no list, no code. Language of the message."""

SECOND_READING = """\
You check statements against what people wrote. For each numbered STATEMENT: do the quoted words, in their context, say \
this, of this person, at this time? Return JSON with one verdict for each number.
- holds is true only if a careful reader of MESSAGES would agree without adding anything.
- holds is false if it was a question, a joke, sarcasm, a hypothetical, fiction, a quotation or pasted text; if it is \
about somebody else; if it was only wished, planned or considered but is stated as done; if a number, a name, a time or \
a "not" differs; if it says more than was said.
- Where a statement says that something known is over or replaced, holds is false unless the words say so too.
- why: only where it does not hold, in a few words."""


def transcript(messages: Sequence[WorkMessage], zone: ZoneInfo, characters: int | None = None) -> str:
    """One line per message: `[12] user, Wed 2026-02-18 09:15: …`. A text longer than `characters` loses its middle."""
    return "\n".join(_line(message, zone, characters) for message in messages) or "(none)"


def speaker(message: WorkMessage) -> str:
    """`user`, `assistant`, or the name of another speaker. For a routine, the role and the routine's name."""
    if message.routine:
        return f"{message.role} (routine {message.routine})"
    return message.speaker or message.role


def plain(messages: Sequence[WorkMessage], characters: int) -> str:
    """Only speakers and texts, for local models."""
    return "\n".join(
        f"{_capital(speaker(message))}: {head_and_tail(message.text.strip(), characters)}" for message in messages
    )


def _line(message: WorkMessage, zone: ZoneInfo, characters: int | None) -> str:
    at, said = message.at.astimezone(zone), message.text.strip()
    text = said if characters is None else head_and_tail(said, characters)
    return f"[{message.id}] {speaker(message)}, {at:%a %Y-%m-%d %H:%M}: {text}"


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
