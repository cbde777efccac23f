"""A Bot API on loopback. It emulates people in chats, the rules for a bot, and failures of the network.

Stable interface::

    async with telegram(token=None, port=0) as api:          # None accepts any token; a fixed port survives a restart
        TELEGRAM_API_URL=api.url                             # the setting for the relay

    People (each call returns when the update is queued for the bot; `chat` defaults to the private chat of `user=42`)
        number = await api.say("Hi", user=42, chat=-100, topic=7, reply_to=3)   # returns the message's number
        number = await api.show(photo=[…], caption="…")      # another kind of message, given by its Bot API fields
        await api.burst("one", "two"); await api.photo(caption="…"); await api.album("…", "")
        await api.voice(); await api.document("a.pdf", data, mime)
        await api.edit(number, "Hello"); await api.press(message, "Keep"); topic = api.open_topic(chat)
        await api.migrate(old, new)                          # a group becomes a supergroup
        api.world.blocked.add(42)                            # the bot's messages to 42 get 403

    What the bot did
        api.sent                                             # its messages with their current contents
        await api.replies(3)                                 # wait for three messages and return their texts
        await api.until(lambda: …)                           # wait until a condition on the emulator is true
        await api.all_fetched()                              # wait until every update is acknowledged
        api.calls, api.api.of("sendMessage")                 # every call with its arguments and time, in order
        api.world.drafts[42]                                 # the chat's draft; api.api.drafts = False removes drafts
        api.world.toasts, .actions, .commands, .updates      # toasts, typing, the menu, waiting updates

    Faults of the next calls of a method, in order; None is a call without a fault
        api.faults["sendMessage"] = [None, slow_down(1), Refuse(502, "Bad Gateway"), DropBefore(), DropAfter(),
                                     Stall(), Hang(), Late(0.5), Garbage()]

`DropBefore` and `Stall` do not carry out the call. `DropAfter` and `Hang` carry it out. Then `DropBefore` and
`DropAfter` break the connection; `Stall` and `Hang` leave it open without an answer.

A poll waits until there are updates (long polling). It returns only updates in `allowed_updates`. A new poll ends an
older poll with 409. The parameter `offset` acknowledges updates. If a webhook is set, updates are posted one by one.
Each is posted again until the answer is 200.

The rules that are enforced: texts have at most 4,096 UTF-16 units, entities are within bounds, and button data has 1 to
64 bytes. A bot can edit only its own messages, and an edit must change something. Topics must exist, a call for a moved
group is answered with the group's new id, and the query of a button can be answered once.
"""

from tests.stubs.telegram_emulator.api import BotApi
from tests.stubs.telegram_emulator.faults import (
    DropAfter,
    DropBefore,
    Fault,
    Garbage,
    Hang,
    Late,
    Refuse,
    Stall,
    slow_down,
    unreadable_markdown,
)
from tests.stubs.telegram_emulator.people import Telegram, telegram

__all__ = [
    "BotApi",
    "DropAfter",
    "DropBefore",
    "Fault",
    "Garbage",
    "Hang",
    "Late",
    "Refuse",
    "Stall",
    "Telegram",
    "slow_down",
    "telegram",
    "unreadable_markdown",
]
