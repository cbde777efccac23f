"""The exceptions whose text is for the caller: everything a call can be refused for."""

from chatmem_server.erasure.forgetting import ForgetRefused
from chatmem_server.explaining import NothingToExplain
from chatmem_server.memories.remembering import MemoryUnfit, NoSuchMemory
from chatmem_server.places import ChatRefused
from chatmem_server.queue.work import ClaimLost
from chatmem_server.recording import MessageRefused
from chatmem_server.retrieval.search import SearchRefused
from chatmem_server.tools.strict import Refusal

REFUSALS: tuple[type[Exception], ...] = (
    ChatRefused,
    ClaimLost,
    ForgetRefused,
    MemoryUnfit,
    MessageRefused,
    NoSuchMemory,
    NothingToExplain,
    Refusal,
    SearchRefused,
)
