/* The actions of the page on memories. Each can be undone. */

import { Refused, call } from "./client.js";
import { ask, field, h, note } from "./dom.js";
import { t } from "./words.js";

/* The chat argument for a call that changes this memory. */
function at(memory) {
  return memory.chat_id === null ? {} : { chat_id: memory.chat_id };
}

function former({ id, status, user_confirmed, pinned, note: own, deadline }, edited) {
  return { memory_id: id, status, user_confirmed, pinned, ...(edited ? { edited: { note: own, deadline } } : {}) };
}

/* Undoes changes, at most 200 per call, which is the limit of the tool. */
async function undo(memories, { withdraw, edited } = {}) {
  for (let i = 0; i < memories.length; i += 200) await call("page_undo", { memories: memories.slice(i, i + 200).map((memory) => former(memory, edited)), ...(withdraw ? { withdraw } : {}) });
  note(t("undone"));
}

/* Changes each memory and shows the progress. Returns the changed memories, and the error messages for the others. */
async function each(memories, act) {
  const done = [];
  const refused = new Set();
  for (const memory of memories) {
    if (memories.length > 5) note(t("working", { n: done.length, total: memories.length }));
    try {
      await act(memory);
      done.push(memory);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused.add(error.message);
    }
  }
  return { done, refused: [...refused] };
}

/* Confirms, rejects, completes, reopens, pins or unpins one or more memories. */
export async function change(memories, action, after) {
  const { done, refused } = await each(memories, (memory) => call("update_memory", { memory_id: memory.id, action, ...at(memory) }));
  const back = { label: t("undo"), act: async () => { await undo(done); await after(); } };
  note([done.length ? t(`done.${action}`, { n: done.length }) : "", ...refused].join(" "), done.length ? back : undefined);
  await after();
}

export async function edit(memory, content, after) {
  await call("update_memory", { memory_id: memory.id, action: "edit", content, ...at(memory) });
  const back = async () => { await undo([memory], { edited: true }); await after(); };
  note(t("done.edit"), { label: t("undo"), act: back });
  await after();
}

/* Replaces several memories by one statement. */
export async function merge(memories, after) {
  const text = h("textarea", { value: memories.map((memory) => memory.content).join(" "), required: true });
  if (!(await ask(t("merge.title", { n: memories.length }), field(t("merge.text"), text), t("merge"), t("cancel")))) return;
  const [first] = memories;
  const made = await call("remember", { content: text.value, kind: first.kind, scope: first.scope, replaces: memories.map((memory) => memory.id), ...at(first) });
  const back = async () => { await undo(memories, { withdraw: made.memory.id }); await after(); };
  note(t("done.merge"), { label: t("undo"), act: back });
  await after();
}

export async function share(memories) {
  const chat = h("input", { type: "number", required: true, inputMode: "numeric" });
  if (!(await ask(t("share.title"), field(t("share.chat"), chat), t("share"), t("cancel")))) return;
  const { done, refused } = await each(memories, (memory) => call("update_memory", { memory_id: memory.id, action: "share", to_chat_id: Number(chat.value), ...at(memory) }));
  note([done.length ? t("done.share", { n: done.length }) : "", ...refused].join(" "));
}

/* The address of the forget screen that previews these memories. */
export function forgetting(memories) {
  return `forget/ids/${memories.map((memory) => memory.id).join(",")}`;
}
