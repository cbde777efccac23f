"""In which lane of its chat a call takes place; for a reply that depends on the lane of the message replied to."""

from tellonce.contract import Place
from tellonce_server.places import Where, reply_lane, root_lane, topic_lane
from tellonce_server.store import messages
from tellonce_server.store.database import Queries


async def lane_of(q: Queries, where: Where, place: Place) -> str:
    if place.message_thread_id is not None:
        return topic_lane(where.chat_id, place.message_thread_id)
    reply_to = place.reply_to_message_id
    if reply_to is None:
        return root_lane(where.chat_id)
    target = await messages.by_ext_id(q, where.owner_id, where.chat_id, reply_to, where.channel)
    return reply_lane(where.chat_id, reply_to, target.thread_key if target else None)
