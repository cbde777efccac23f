"""The actors of one server process, made once storage is up."""

from dataclasses import dataclass

from chatmem_server.context.reading import ContextReader
from chatmem_server.erasure.forgetting import Forgetter
from chatmem_server.erasure.rederiving import Rederiver
from chatmem_server.erasure.tombstones import Tombstones
from chatmem_server.explaining import Explainer
from chatmem_server.memories.handing_out import HandingOut
from chatmem_server.memories.notable import Scorer
from chatmem_server.memories.remembering import Rememberer
from chatmem_server.memories.results import Learner
from chatmem_server.memories.statements import Statements
from chatmem_server.memories.tidying import Tidying
from chatmem_server.queue.applying import Applier
from chatmem_server.queue.work import WorkQueue
from chatmem_server.queue.work_inputs import Inputs
from chatmem_server.recording import Recorder
from chatmem_server.retrieval.search import Retriever
from chatmem_server.searching import Searcher
from chatmem_server.services import Kit
from chatmem_server.views import Viewer


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
    work: WorkQueue
    tidying: Tidying
    handing_out: HandingOut
    tombstones: Tombstones


def make_actors(kit: Kit, key: bytes) -> Actors:
    """`key` is the server's secret: it signs confirm tokens and keys tombstones."""
    statements, tombstones = Statements(kit), Tombstones(key)
    retriever = Retriever(kit.database, kit.embedder)
    learner = Learner(kit, statements, tombstones)
    return Actors(
        kit=kit,
        recorder=Recorder(kit, Rederiver(statements), tombstones),
        reader=ContextReader(kit, retriever),
        searcher=Searcher(kit, retriever),
        rememberer=Rememberer(kit, statements, tombstones),
        forgetter=Forgetter(kit, tombstones, key),
        viewer=Viewer(kit),
        explainer=Explainer(kit),
        work=WorkQueue(kit, Inputs(kit, Scorer(kit.embedder)), Applier(kit, learner)),
        tidying=Tidying(kit),
        handing_out=HandingOut(kit),
        tombstones=tombstones,
    )
