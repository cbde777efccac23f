"""A Bot API on loopback: what people do in chats, what a bot may do, and every way the network can spoil it.

Stable interface::

    async with telegram(token=None, port=0) as api:          # any token when None; a fixed port survives a restart
        TELEGRAM_API_URL=api.url                             # what the relay is given

    People (each returns once the update is queued for the bot; `user=42`, `chat` defaults to the private chat)
        number = await api.say("Hi", user=42, chat=-100, topic=7, reply_to=3)   # a message's number
        number = await api.show(photo=[…], caption="…")      # a message of another kind, by its Bot API fields
        await api.burst("one", "two"); await api.photo(caption="…"); await api.album("…", "")
        await api.voice(); await api.document("a.pdf", data, mime)
        await api.edit(number, "Hello"); await api.press(message, "Keep"); topic = api.open_topic(chat)
        await api.migrate(old, new)                          # a group becomes a supergroup
        api.world.blocked.add(42)                            # 403 from now on

    What the bot did
        api.sent                                             # its messages as they now stand, oldest first (Bot API dicts)
        await api.replies(3)                                 # wait for three of them; their texts
        await api.until(lambda: …)                           # wait until something of the emulator is true (20 s)
        await api.all_fetched()                              # wait until every update was acknowledged
        api.calls, api.api.of("sendMessage")                 # every call with its arguments and time, in order
        api.world.drafts[42]                                 # the draft a person sees in a chat; api.api.drafts = False: none
        api.world.toasts, .actions, .commands, .updates      # toasts of buttons, typing, the menu, what waits for the bot

    Faults, per method and call, in order; None lets one pass
        api.faults["sendMessage"] = [None, slow_down(1), Refuse(502, "Bad Gateway"), DropBefore(), DropAfter(),
                                     Stall(), Hang(), Garbage()]

`DropBefore` and `Stall` do nothing and break the connection, or leave it open for ever; `DropAfter` and `Hang` do what was
asked first. Polling is long, answers only with `allowed_updates`, ends an older poll with 409 and forgets what `offset`
acknowledges. With a webhook set, updates are posted one by one until each is taken with 200. The rules kept: texts of at
most 4,096 UTF-16 units, entities within bounds, button data of 1 to 64 bytes, only own messages can be edited, edits that
change nothing are refused, topics must exist, a moved group answers with its new id, a button's query is answered once.
"""

from tests.stubs.telegram_emulator.api import BotApi
from tests.stubs.telegram_emulator.faults import (
    DropAfter,
    DropBefore,
    Fault,
    Garbage,
    Hang,
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
    "Refuse",
    "Stall",
    "Telegram",
    "slow_down",
    "telegram",
    "unreadable_markdown",
]
