"""The work of each hook. A hook exits normally even after a failure, so that the session continues."""

from __future__ import annotations

import os
import sys
import time

from tellonce_hooks import project, spool
from tellonce_hooks.json_codec import dumps, loads
from tellonce_hooks.server import Away, Refused, record_turn, token
from tellonce_hooks.transcript import is_command, is_failure, message, reply_id, turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tellonce_hooks.server import Json


PROMPT_SECONDS = 2.0
"""Maximum seconds that a prompt waits for recalled memories."""

SESSION_SECONDS = 4.0
MOST_QUERY = 4000
COMPACTION = "compaction"


def run(arguments: list[str]) -> int:
    """Run `headers | mode DATA [MODE] | EVENT`. For an event, the hook's JSON is read from stdin."""
    command = arguments[0] if arguments else ""
    if command == "headers":
        return _headers()
    if command == "mode":
        return _mode(arguments[1:])
    try:
        _EVENTS[command](loads(sys.stdin.buffer.read().decode()))
    except (Away, Refused, OSError, ValueError, LookupError) as error:
        print(f"tellonce: {error}", file=sys.stderr)
    return 0


def _headers() -> int:
    try:
        print(dumps({"Authorization": f"Bearer {token()}", "Tellonce-Hooks": "on"}))
    except Away as error:
        print(f"tellonce: {error}; start it (`make up` or `tellonce up`)", file=sys.stderr)
        return 1
    return 0


def _mode(arguments: list[str]) -> int:
    """`mode DATA [MODE]`. DATA is the plugin's folder, which a skill's environment does not name."""
    os.environ["CLAUDE_PLUGIN_DATA"], *wanted = arguments
    folder = project.folder()
    if wanted:
        if wanted[0] not in project.MODES:
            print(f"There is no mode {wanted[0]}; the modes are off, recall and full.")
            return 0
        project.choose(folder, wanted[0])
    print(f"Memory in {project.name(folder)}: {project.mode(folder)}.")
    return 0


def _started(event: Json) -> None:
    mode = project.mode(project.folder())
    if mode == "off":
        return
    _get_to_know(event)
    spool.tidy()
    try:
        _print(record_turn({**_place(event), "event": "SessionStart", "recall": True}, SESSION_SECONDS))
    except Away as error:
        kept = len(spool.waiting())
        so_far = f" ({kept} so far)" if kept else ""
        note = (
            f"Memory is not available ({error}). Start it (`make up` or `tellonce up`). Messages are stored on disk"
            f"{so_far}; the first reply or new session after the start records them."
        )
        print(dumps({"systemMessage": note}))
        return
    except Refused as error:
        print(dumps({"systemMessage": f"Memory: {error}"}))
        return
    _detached(lambda: spool.flush("SessionStart"))


def _prompted(event: Json) -> None:
    mode, place, prompt_id = project.mode(project.folder()), _place(event), event["prompt_id"]
    said = project.without_private(event["prompt"])
    _get_to_know(event)
    if is_command(said):
        return  # if this only looks like a command, the catch-up records the prompt from the transcript
    if mode != "full" or said != event["prompt"].strip():
        # Neither this hook nor a later catch-up records the reply, because the reply may repeat private text. The
        # prompt is also skipped if the mode is not `full` or the whole prompt is private.
        spool.done(event["session_id"], [reply_id(prompt_id)] + ([] if mode == "full" and said else [prompt_id]), [])
    if mode == "off" or not said:
        return
    messages = [message("user", said, prompt_id, _now())] if mode == "full" else []
    files = _spooled(place, messages)
    arguments = {**place, "event": "UserPromptSubmit", "messages": messages, "recall": True, "query": said[:MOST_QUERY]}
    try:
        answer = record_turn(arguments, PROMPT_SECONDS)
    except (Away, Refused):
        if messages and not files:
            raise
        return  # the messages stay in the spool
    _print(answer)
    if files:
        spool.done(event["session_id"], [prompt_id], files)


def _spooled(place: Json, messages: list[Json]) -> list[str]:
    """Empty if the disk is full."""
    try:
        return [spool.put(place, one) for one in messages]
    except OSError:
        return []


def _replied(event: Json) -> None:
    """A detached process records, because `claude -p` and its container can end right after this hook."""
    if project.mode(project.folder()) != "full":
        return
    known = (spool.finished(event["session_id"]) or set()) | spool.waiting_ids()
    # If the prompt is unknown, only the transcript shows whether it was a command.
    reply = _reply(event, known) if reply_id(event.get("prompt_id", "")) not in known else None
    _spooled(_place(event), [reply] if reply else [])
    _detached(lambda: _catch_up(event))


def _reply(event: Json, known: set[str]) -> Json | None:
    """None if the reply is a failure, or if its prompt is not `known`."""
    last, prompt_id = event.get("last_assistant_message"), event.get("prompt_id", "")
    if not last or prompt_id not in known or is_failure(event["transcript_path"], last):
        return None
    return message("assistant", last, reply_id(prompt_id), _now(), exchange_of=prompt_id)


def _compacted(event: Json) -> None:
    summary = project.without_private(event.get("compact_summary") or "")
    if project.mode(project.folder()) == "full" and summary:
        number = f"{event['session_id']}:{COMPACTION}:{event.get('prompt_id', '')}"
        spool.put(_place(event), message("assistant", summary, number, _now(), routine=COMPACTION))
        _detached(lambda: spool.flush("PostCompact"))


def _catch_up(event: Json) -> None:
    place, finished = _place(event), spool.finished(event["session_id"])
    if finished is not None:
        kept = finished | spool.waiting_ids()
        for one in _said(event, kept):
            if one["message_id"] not in kept:
                spool.put(place, one)
    spool.flush("Stop")


def _said(event: Json, known: set[str]) -> list[Json]:
    """Claude Code can run this hook before it writes the reply to the transcript."""
    said = turns(event.get("transcript_path", ""))
    reply = _reply(event, known | {one["message_id"] for one in said})
    return said if reply is None else [one for one in said if one["message_id"] != reply["message_id"]] + [reply]


def _get_to_know(event: Json) -> None:
    """Mark messages from before a session's first hook as done: they may be older than the plugin."""
    if spool.finished(event["session_id"]) is None:
        before = [one["message_id"] for one in turns(event.get("transcript_path", ""))]
        try:
            spool.done(event["session_id"], [one for one in before if one != event.get("prompt_id")], [])
        except OSError:
            pass  # the disk is full; the next hook tries again


def _place(event: Json) -> Json:
    return {"conversation_id": project.name(project.folder()), "session": event["session_id"]}


def _print(answer: Json) -> None:
    output = answer.get("hookSpecificOutput")
    if output:
        print(dumps({"hookSpecificOutput": output}))


def _now() -> str:
    seconds = time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{int(seconds * 1000) % 1000:03}Z"


def _detached(work: Callable[[], None]) -> None:
    """Do the work in a process that outlives the hook and Claude Code."""
    sys.stdout.flush()
    if os.fork():
        return
    os.setsid()
    silence = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(silence, number)
    try:
        work()
    except (Away, Refused, OSError, ValueError, LookupError):
        pass  # messages that were not recorded are still in the spool
    finally:
        os._exit(0)


_EVENTS = {
    "SessionStart": _started,
    "UserPromptSubmit": _prompted,
    "PreCompact": _replied,
    "PostCompact": _compacted,
    "Stop": _replied,
    "SessionEnd": _replied,
}
