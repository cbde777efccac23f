"""A context as the server answers with one, for tests of what is made of it."""

from chatmem import contract as c

EMPTY = c.Context(
    sections=(),
    tokens=1,
    token_budget=4300,
    truncated=False,
    thread_key="root:42",
    session_id="telegram:chat:42",
    focus=None,
    notices=(),
    coverage=c.Coverage(verbatim=0, summarised=0, pending=0, gap=0),
    receipt_id="r",
)


def of_sections(*sections: c.Section) -> c.Context:
    """What `detail="sections"` gives."""
    return EMPTY.model_copy(update={"sections": sections})
