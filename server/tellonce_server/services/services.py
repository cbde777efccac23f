"""The services of one server process, which are created when the database is open."""

from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.keep.keeper import Keeper
from tellonce_server.domain.queue.job_kinds import JobKinds
from tellonce_server.domain.queue.work import WorkQueue
from tellonce_server.domain.retrieval.categories import Categories
from tellonce_server.domain.retrieval.search import Retriever
from tellonce_server.services.chat_summary import ChatSummaries
from tellonce_server.services.context import ContextReader
from tellonce_server.services.explain import Explainer
from tellonce_server.services.forget import Forgetter
from tellonce_server.services.page.reads import PageReads
from tellonce_server.services.page.sessions import Seal
from tellonce_server.services.page.undo import Undoer
from tellonce_server.services.profile import ProfileReader
from tellonce_server.services.record import Recorder
from tellonce_server.services.remember import Rememberer
from tellonce_server.services.reminders import ReminderKeeper
from tellonce_server.services.search import Searcher
from tellonce_server.services.turns import TurnKeeper
from tellonce_server.services.unread_exchanges import UnreadExchanges
from tellonce_server.store.receipts import ReceiptKeeper


class Services:
    """`key` is the server's secret, which protects previews and page sessions."""

    def __init__(self, deps: Dependencies, key: bytes) -> None:
        self.deps = deps
        self.receipts = ReceiptKeeper(deps.database)
        self.categories = Categories(deps.database, deps.embedder)
        retriever = Retriever(deps.database, deps.embedder, self.categories)
        self.recorder = Recorder(deps)
        self.reader = ContextReader(deps, retriever, self.receipts)
        self.searcher = Searcher(deps, retriever)
        self.rememberer = Rememberer(deps)
        self.reminders = ReminderKeeper(deps, self.rememberer)
        self.forgetter = Forgetter(deps, key)
        self.profiles = ProfileReader(deps)
        self.summaries = ChatSummaries(deps)
        self.explainer = Explainer(deps, self.receipts)
        self.work = WorkQueue(deps, JobKinds(deps, Keeper(deps.embedder)))
        self.unread_exchanges = UnreadExchanges(deps)
        self.turns = TurnKeeper(deps, self.recorder, self.reader, retriever)
        self.page = PageReads(deps, self.explainer, self.work)
        self.undoer = Undoer(deps)
        self.seal = Seal(key)
