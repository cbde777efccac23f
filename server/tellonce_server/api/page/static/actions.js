/* The actions of the page on memories. A changed memory is drawn again in its place, so that the focus is not lost. */

import { Refused, call, sentence } from "./client.js";
import { ask, field, h, note, options } from "./dom.js";
import { t } from "./words.js";

/* Returns the changed memory. */
function update(memory, args) {
  return call("update_memory", { memory_id: memory.id, chat_id: memory.chat_id, ...args });
}

/* The elements that show a memory. */
function places({ id }) {
  return [...document.querySelectorAll(`[data-memory="${id}"]`)];
}

/* Draws memories again wherever they are shown. The first gets the focus if the focused element is gone. */
function redraw(memories) {
  for (const memory of memories) for (const place of places(memory)) place.redraw(memory);
  const now = document.activeElement;
  if (memories.length && (now === document.body || now.closest("[hidden]"))) places(memories[0])[0]?.querySelector("a, button").focus();
}

function former({ id, status, user_confirmed, pinned, note: own, deadline }, edited) {
  return { memory_id: id, status, user_confirmed, pinned, edited: edited ? { note: own, deadline } : null };
}

/* Shows the changed memories and offers an undo. The undo restores the former states `was`, takes back the statement `withdraw`, and also draws the memories `beside` again. */
function settle(text, changed, was, { edited, withdraw, beside = [], after } = {}) {
  const undo = async () => {
    for (let i = 0; i === 0 || i < was.length; i += 200) await call("page_undo", { memories: was.slice(i, i + 200).map((memory) => former(memory, edited)), withdraw: withdraw?.id });
    await after?.();
    note(t("undone"));
    if (withdraw) for (const place of places(withdraw)) place.remove();
    redraw([...was, ...beside]);
  };
  note(text, was.length || withdraw ? undo : null);
  redraw(changed);
}

/* Stores a statement. Returns a function that shows the result with `after`; an undo also calls `after`. */
export async function remember(content, after) {
  const { memory, superseded, outcome } = await call("remember", { content });
  return async () => {
    await after();
    if (outcome === "duplicate") note(t("tell.known"));
    else settle(t("tell.done"), [], superseded ? [{ ...superseded, status: "active" }] : [], { withdraw: memory, after });
  };
}

/* Changes memories one by one and shows the progress. Returns the former and the changed memories, and why others were not changed. */
async function each(memories, args) {
  const was = [];
  const changed = [];
  const refused = new Set();
  for (const memory of memories) {
    if (memories.length > 5) note(t("working", { n: was.length, total: memories.length }));
    try {
      changed.push(await update(memory, args));
      was.push(memory);
    } catch (error) {
      refused.add(sentence(error));
      if (!(error instanceof Refused)) break;
    }
  }
  return { was, changed, text: [was.length ? t(`done.${args.action}`, { n: was.length }) : "", ...refused].join(" ") };
}

/* The memories that these memories have replaced. */
async function replaced(memories) {
  const found = await Promise.all(memories.map(({ id, chat_id }) => call("explain", { memory_id: id, chat_id })));
  return found.flatMap((explanation) => explanation.memories);
}

/* Confirms, rejects, completes, reopens, pins or unpins one or more memories. */
export async function change(memories, action) {
  const { was, changed, text } = await each(memories, { action });
  const ended = action === "confirm" ? await replaced(was) : [];
  const beside = ended.flatMap((memory) => places(memory).slice(0, 1)).map((place) => place.memory).filter(Boolean);
  settle(text, [...changed, ...ended], was, { beside });
}

/* Saves a new text. If the memory was changed elsewhere meanwhile, the error shows that text, and only a second call replaces it. */
export async function edit(memory, content) {
  const { memory: now } = await call("explain", { memory_id: memory.id, chat_id: memory.chat_id });
  const known = memory.content;
  memory.content = now.content;
  if (now.content !== known) throw new Refused(t("edit.conflict", { text: now.content }));
  settle(t("done.edit"), [await update(memory, { action: "edit", content })], [memory], { edited: true });
}

/* Replaces several memories by one statement. */
export function merge(memories, after) {
  const text = h("textarea", { value: memories.map((memory) => memory.content).join("; "), required: true });
  ask(t("merge.title", { n: memories.length }), field(t("merge.text"), text), t("merge"), async () => {
    const [{ kind, scope, chat_id }] = memories;
    const { memory } = await call("remember", { content: text.value, kind, scope, replaces: memories.map((old) => old.id), chat_id });
    after();
    for (const place of places(memories[0])) place.before(place.another(memory));
    return () => settle(t("done.merge"), memories.map((old) => ({ ...old, status: "superseded", superseded_by: memory.id })), memories, { withdraw: memory });
  });
}

/* Shares memories with one of the operator's groups. */
export async function share(memories) {
  const { groups } = await call("page_groups");
  if (!groups.length) return note(t("share.none"));
  const chat = h("select", options(groups.map(({ chat_id, name }) => [chat_id, name ?? String(chat_id)])));
  ask(t("share.title"), field(t("share.chat"), chat), t("share"), async () => {
    const shared_with = Number(chat.value);
    const { changed, text } = await each(memories, { action: "share", to_chat_id: shared_with });
    if (!changed.length) throw new Refused(text);
    note(text, async () => {
      await call("page_undo", { copies: changed.map((copy) => copy.id), shared_with });
      note(t("undone"));
    });
  });
}

/* The address of the forget screen that previews these memories. */
export function forgetting(memories) {
  return `forget/ids/${memories.map((memory) => memory.id).join(",")}`;
}
