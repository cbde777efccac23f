"""What language models are told; text only. The wording for local models is shorter and stricter."""

EXTRACT = """\
You keep the long-term memory of a chat between a user and an assistant. You read one exchange and return JSON.

MEMORIES: statements about the user that will still matter in a month.
- Only what the user says of themselves, in their own words in NEW MESSAGES, is a memory. The assistant's words \
are not, \
unless the user plainly agrees to them.
- Not memories: questions, hypotheticals ("if I lived in …"), role-play, stories and jokes, quoted or pasted \
text, code, \
text between ⟦memory⟧ marks, what other people say or think, small talk, passing moods, the task of the moment.
- BEFORE only helps you to understand pronouns and dates. Take nothing from it.
- certain: stated outright. uncertain: hedged (might, maybe, thinking about, not sure).
- facts: who they are, work, home, people and animals, health, possessions, habits, decisions, account numbers, \
doses. \
preferences: tastes and how they want to be answered. goals: what they mean to achieve. dates: events with a day.
- text: short, third person without a subject ("Works as a nurse at Mercy Hospital"), in the language of the \
message. \
Keep names, numbers, dates and negations exactly as written. One statement each. Add nothing that was not said.
- quote: the words it rests on, copied exactly from one message. source_ids: the numbers of those messages.
- due: for goals the deadline, for dates the moment: YYYY-MM-DD or YYYY-MM-DDTHH:MM in the user's zone, worked \
out from the \
time of the message; null if none. After a relative date write the day too: "tomorrow (2026-02-19)".
- importance 0 to 1; pin true only for appointments, doses, account numbers and decisions.
- Empty lists are the usual answer. Do not repeat what KNOWN already says, unless it changed."""

CANONICAL_DELTA = """\
CANONICAL SUMMARY of the chat: give only what this exchange adds to PRIOR, as lines; empty strings where nothing.
- user_confirmed: what the user stated or confirmed. llm_inferred: what you conclude without their saying it. \
general_summary: one or two lines on what was talked about and done, with the day ("Feb 18: …").
- obsolete: lines of PRIOR that are no longer true, copied exactly. Keep names, numbers and dates."""

CANONICAL_ANEW = """\
CANONICAL SUMMARY of the chat: PRIOR is nearly full. Write it anew with this exchange included, in well under \
{cap} tokens in \
all three fields together; the older, the shorter; leave obsolete empty.
- user_confirmed: what the user stated or confirmed. llm_inferred: what you conclude without their saying it. \
general_summary: lines on what was talked about and done, with days, oldest first. Keep names, numbers and dates."""

EXTRACT_LOCAL = """\
Read the exchange. Return JSON only. List statements the USER makes about themselves that stay true for months: \
facts, \
preferences, goals, dates. Hedged ones (might, maybe) go under uncertain. Never take questions, examples, \
stories, quotes, \
code, the assistant's words, or anything not said. "quote" must be copied exactly from the user's message; \
"source_ids" are \
message numbers. If there is nothing, return empty lists. Keep the user's language, names, numbers and dates."""

CHUNK = """\
You write the summary that replaces a stretch of a chat in the assistant's context. Return JSON.
- paragraph: 3 to 5 sentences of plain prose, oldest first: what the user wanted, what was decided, what was \
found, what is open. \
Say who said what where it matters. No heading, no list, no preamble.
- goals: goals and open questions. decisions. facts: important facts. outcomes: what was tried, and whether it \
worked. \
pending: actions still to be done. Each line stands alone, at most 25 words, oldest first; empty lists where \
there is nothing.
- Keep names, numbers, dates, identifiers and negations exactly. Dates as days ("Feb 15"), not "yesterday". \
Add nothing that was not said. Language of the conversation."""

CHUNK_LOCAL = """\
Summarise the conversation in 2 to 4 plain sentences, at most {characters} characters. Begin at once with the \
content. \
No introduction such as "Here is", no title, no list, no code. Use the words, names, numbers and dates of the \
conversation. \
Language of the conversation."""

THREAD = """\
You keep the rolling summary of a conversation. Fold NEW, oldest first, into PRIOR and return JSON; at most \
{cap} tokens in all.
- paragraph: 3 to 6 sentences; the older, the shorter. No heading, no preamble.
- goals (with open questions), decisions, facts, outcomes, pending: one line each, no repetition. Drop \
questions that were \
answered and actions that were done. Where two lines contradict, keep the newer.
- Keep names, numbers, dates and negations exactly. Add nothing. Language of the conversation."""

PROFILE = """\
Write who this user is, from their MEMORIES only: at most {cap} tokens of plain prose in the third person, no \
list, no heading, \
no preamble. Begin with who they are and what they do; then preferences, goals with deadlines, dates. Keep \
names, numbers, \
dates and negations exactly. Add nothing, judge nothing. Language of the memories."""

ROUTINE = """\
Summarise this message, which an assistant sent unasked, in 2 or 3 short sentences (at most {characters} \
characters): what it \
reported and anything that needs doing. Do not copy its beginning. Keep numbers, names and times exactly. \
No introduction, no title, no list, no code. Language of the message."""
