"""The weights of the ranker and the constants of its signals.

Scores are sums of signals. One unit is one standard deviation of the lexical score over the candidates. The docstring
of a weight says which results get it.

The values are a compromise between two sources: known properties of public conversations, and a fit on generated
dialogues (`python -m benchmarks.fit --synthetic 4 --seed 1`). The fitted values gain less on another seed. No weight
may be negative, and no signal of speaker, time or form may outweigh words and similarity together. Seeds 1 and 2 were
used to choose the weights. The figures in docs/explanation/performance.md are from seed 3.
"""

from typing import Final

DENSE: Final = 1.0
"""Weight of the cosine per standard deviation. The query is embedded without names of persons."""

COVERAGE: Final = 0.3
"""Added in proportion to the share of the query's words in the message. Rarer words count more."""

NUMBERS: Final = 0.3
"""Added in proportion to the share of the query's numbers in the message."""

NAMED: Final = 2.5
"""Added for a message of the person that the query names. Nine of ten answers are by this person."""

USER: Final = 2.0
"""Subtracted for a long reply of the assistant, which often repeats the question's words. Four of five answers are
messages of the user."""

ASKED_OF_ASSISTANT: Final = 2.0
"""Added for a long reply if the query asks what the assistant said."""

QUESTION: Final = 1.8
"""Subtracted for a message that consists of questions, and in part for one that also has other sentences."""

FIRST_PERSON: Final = 0.65
"""Added for a message in the first person."""

SHORT: Final = 0.6
"""Subtracted times `shortness`. A short interjection often matches only by chance."""

IN_SPAN: Final = 1.2
"""Added for a message that was sent within the time that the query names."""

MENTIONS_SPAN: Final = 3.0
"""Added for a message that refers to the time in the query. A message of the next day may call it "yesterday"."""

SAID_THEN: Final = 0.5
"""The share of MENTIONS_SPAN that is not added for a message of that time. Otherwise messages with dates would outrank
the others."""

EXACT_TIME: Final = 5.0
"""Added for a result that is from the query's time or mentions it, if the query certainly names a time ("yesterday").
"""

TIME_COVERED: Final = 0.45
"""The weight of the time in the coverage, if the query certainly names a time and has other words."""

TIME_WORDS: Final = 1.0
"""Added for a message with time words if the query asks when something happens."""

AMOUNTS: Final = 1.2
"""Added for a message with a number if the query asks how much, how many or what something costs."""

TASTES: Final = 1.0
"""Added for a statement of the user's likes, dislikes or demands if the query asks for advice."""

ROUTINE: Final = 1.5
"""Added for a message of a routine if the query contains a part of its name, such as "morning"."""

BEFORE: Final = 0.3
"""The share of the previous message's similarity that a message gets. Both often have the same subject."""

ANSWER: Final = 0.3
"""Added to BEFORE if the previous message is a question."""

AFTER: Final = 0.45
"""The share of the next message's similarity that a message gets, unless the next message is only a question."""

SESSION: Final = 0.5
"""The share of its session's similarity that a message gets."""

FEEDBACK: Final = 0.3
"""Weight of the words shared with the best other messages (`feedback`), per standard deviation."""

STATED: Final = 0.5
"""If a memory is more similar to the question than its source message, this share of the difference is added to the
message's score."""

ALONE: Final = 1.6
"""Factor for the similarity of a memory or summary, which gets nothing from neighbors or a session."""

MEMORY: Final = 1.0
"""Added for a memory, which is a statement without small talk around it."""

FORMER: Final = 1.0
"""Added for a superseded memory if the query asks about the past."""

LISTED: Final = 1.0
"""Added for a memory if the query names its category, and the category has several members."""

SUMMARY: Final = -0.5
"""Added for a summary. It is negative, because a summary covers many subjects."""

K1: Final = 0.9
B: Final = 0.5
"""BM25's parameters for saturation and length normalization, chosen for short messages."""

MIDDLING_TOKENS: Final = 32
SHORT_TOKENS: Final = 14
LONG_TOKENS: Final = 60
VERY_LONG_TOKENS: Final = 200
"""A reply of more than LONG_TOKENS counts as partly long, and one of at least VERY_LONG_TOKENS as fully long."""

LEAST_LEXICAL_DEVIATION: Final = 2.5
LEAST_DENSE_DEVIATION: Final = 0.04
"""Minimum standard deviations of BM25 and cosine. They matter only for a few candidates."""

MOST_DEVIATIONS: Final = 3.0
"""Maximum of a standardized score. A signal with one match among a hundred candidates would outweigh all others."""

FLOOR: Final = 0.5
FAR: Final = 9.0
"""A message is irrelevant if its score is below FLOOR or below the best score minus FAR. The limits keep 98 of 100
answers and a quarter to two thirds of all candidates."""
