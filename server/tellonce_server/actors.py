"""The actors of one server process, made once storage is up."""

from dataclasses import dataclass

from tellonce_server.context.reading import ContextReader
from tellonce_server.context.receipt_keeper import ReceiptKeeper
from tellonce_server.erasure.forgetting import Forgetter
from tellonce_server.erasure.rederiving import Rederiver
from tellonce_server.erasure.tombstones import Tombstones
from tellonce_server.explaining import Explainer
from tellonce_server.memories.handing_out import HandingOut
from tellonce_server.memories.notable import Scorer
from tellonce_server.memories.remembering import Rememberer
from tellonce_server.memories.results import Learner
from tellonce_server.memories.statements import Statements
from tellonce_server.memories.tidying import Tidying
from tellonce_server.page.reads import PageReads
from tellonce_server.page.sessions import Seal
from tellonce_server.page.undoing import Undoer
from tellonce_server.queue.applying import Applier
from tellonce_server.queue.work import WorkQueue
from tellonce_server.queue.work_inputs import Inputs
from tellonce_server.recording import Recorder
from tellonce_server.retrieval.search import Retriever
from tellonce_server.searching import Searcher
from tellonce_server.services import Kit
from tellonce_server.turns import TurnKeeper
from tellonce_server.views import Viewer


@dataclass(frozen=True)
class Actors:
    kit: Kit
    recorder: Recorder
    reader: ContextReader
    searcher: Searcher
    rememberer: Rememberer
    forgetter: Forgetter
    viewer: Viewer
    explainer: Explainer
    receipts: ReceiptKeeper
    work: WorkQueue
    tidying: Tidying
    handing_out: HandingOut
    tombstones: Tombstones
    turns: TurnKeeper
    page: PageReads
    undoer: Undoer
    seal: Seal


def make_actors(kit: Kit, key: bytes) -> Actors:
    """`key` is the server's secret: it signs confirm tokens, seals page sessions and keys tombstones."""
    statements, tombstones = Statements(kit), Tombstones(key)
    receipts = ReceiptKeeper(kit.traces)
    retriever = Retriever(kit.database, kit.embedder)
    learner = Learner(kit, statements, tombstones)
    recorder, reader = Recorder(kit, Rederiver(statements), tombstones), ContextReader(kit, retriever, receipts)
    explainer = Explainer(kit, receipts)
    work = WorkQueue(kit, Inputs(kit, Scorer(kit.embedder)), Applier(kit, learner))
    return Actors(
        kit=kit,
        recorder=recorder,
        reader=reader,
        searcher=Searcher(kit, retriever),
        rememberer=Rememberer(kit, statements, tombstones),
        forgetter=Forgetter(kit, tombstones, key),
        viewer=Viewer(kit),
        explainer=explainer,
        work=work,
        receipts=receipts,
        tidying=Tidying(kit),
        handing_out=HandingOut(kit),
        tombstones=tombstones,
        turns=TurnKeeper(kit, recorder, reader, retriever),
        page=PageReads(kit, explainer, work),
        undoer=Undoer(kit),
        seal=Seal(key),
    )
