"""The services of one server process. The services are created when the database is open."""

from dataclasses import dataclass

from tellonce_server.domain.context.receipt_keeper import ReceiptKeeper
from tellonce_server.domain.dependencies import Dependencies
from tellonce_server.domain.erasure.edit_cascade import EditCascade
from tellonce_server.domain.keep.keeper import Scorer
from tellonce_server.domain.memory.expiry import Expiry
from tellonce_server.domain.memory.extraction_results import Learner
from tellonce_server.domain.memory.statements import Statements
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


@dataclass(frozen=True)
class Services:
    deps: Dependencies
    recorder: Recorder
    reader: ContextReader
    searcher: Searcher
    rememberer: Rememberer
    reminders: ReminderKeeper
    forgetter: Forgetter
    profiles: ProfileReader
    summaries: ChatSummaries
    explainer: Explainer
    receipts: ReceiptKeeper
    work: WorkQueue
    expiry: Expiry
    categories: Categories
    unread_exchanges: UnreadExchanges
    turns: TurnKeeper
    page: PageReads
    undoer: Undoer
    seal: Seal


def make_services(deps: Dependencies, key: bytes) -> Services:
    """Create the services. `key` is the server's secret, which protects previews and page sessions."""
    statements = Statements(deps)
    receipts = ReceiptKeeper(deps.traces)
    categories = Categories(deps.database, deps.embedder)
    retriever = Retriever(deps.database, deps.embedder, categories)
    learner, rememberer = Learner(deps, statements), Rememberer(deps, statements)
    recorder, reader = Recorder(deps, EditCascade(statements)), ContextReader(deps, retriever, receipts)
    explainer = Explainer(deps, receipts)
    work = WorkQueue(deps, JobKinds(deps, Scorer(deps.embedder), learner))
    return Services(
        deps=deps,
        recorder=recorder,
        reader=reader,
        searcher=Searcher(deps, retriever),
        rememberer=rememberer,
        reminders=ReminderKeeper(deps, rememberer),
        forgetter=Forgetter(deps, key),
        profiles=ProfileReader(deps),
        summaries=ChatSummaries(deps),
        explainer=explainer,
        work=work,
        receipts=receipts,
        expiry=Expiry(deps),
        categories=categories,
        unread_exchanges=UnreadExchanges(deps),
        turns=TurnKeeper(deps, recorder, reader, retriever),
        page=PageReads(deps, explainer, work),
        undoer=Undoer(deps),
        seal=Seal(key),
    )
