/* The actions of the page on memories. Each can be undone. */

import { call } from "./client.js";
import { ask, field, h, note } from "./dom.js";
import { t } from "./words.js";

/* The chat argument for a call that changes this memory. */
function at(memory) {
  return memory.chat_id === null ? {} : { chat_id: memory.chat_id };
}

function former(memory) {
  return { memory_id: memory.id, status: memory.status, user_confirmed: memory.user_confirmed, pinned: memory.pinned };
}

async function undo(memories, withdraw) {
  await call("page_undo", { memories: memories.map(former), ...(withdraw ? { withdraw } : {}) });
  note(t("undone"));
}

/* Confirms, rejects, completes, reopens, pins or unpins one or more memories. */
export async function change(memories, action, after) {
  for (const memory of memories) await call("update_memory", { memory_id: memory.id, action, ...at(memory) });
  note(t(`done.${action}`, { n: memories.length }), { label: t("undo"), act: async () => { await undo(memories); await after(); } });
  await after();
}

export async function edit(memory, content, after) {
  await call("update_memory", { memory_id: memory.id, action: "edit", content, ...at(memory) });
  const back = async () => {
    await call("update_memory", { memory_id: memory.id, action: "edit", content: memory.content, ...at(memory) });
    await undo([memory]);
    await after();
  };
  note(t("done.edit"), { label: t("undo"), act: back });
  await after();
}

/* Replaces several memories by one statement. */
export async function merge(memories, after) {
  const text = h("textarea", { value: memories.map((memory) => memory.content).join(" "), required: true });
  if (!(await ask(t("merge.title", { n: memories.length }), field(t("merge.text"), text), t("merge"), t("cancel")))) return;
  const [first] = memories;
  const made = await call("remember", { content: text.value, kind: first.kind, scope: first.scope, replaces: memories.map((memory) => memory.id), ...at(first) });
  const back = async () => { await undo(memories, made.memory.id); await after(); };
  note(t("done.merge"), { label: t("undo"), act: back });
  await after();
}

export async function share(memories) {
  const chat = h("input", { type: "number", required: true, inputMode: "numeric" });
  if (!(await ask(t("share.title"), field(t("share.chat"), chat), t("share"), t("cancel")))) return;
  for (const memory of memories) await call("update_memory", { memory_id: memory.id, action: "share", to_chat_id: Number(chat.value), ...at(memory) });
  note(t("done.share", { n: memories.length }));
}

/* The address of the forget screen that previews these memories. */
export function forgetting(memories) {
  return `forget/ids/${memories.map((memory) => memory.id).join(",")}`;
}
