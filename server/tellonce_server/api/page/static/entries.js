/* A memory as one entry: its text, its source, and its buttons. Every screen draws memories with this module. */

import { change, edit, forgetting } from "./actions.js";
import { call } from "./client.js";
import { button, during, div, h, icon, iconButton, paged, show, trash, written } from "./dom.js";
import { because, day, dueTime, t } from "./words.js";

/* The actions on one memory: name, sign, key, and when the action applies. Their texts are `<name>` and `done.<name>`. */
const is = (...statuses) => ({ status }) => statuses.includes(status);
const holds = is("active", "uncertain");
const ACTIONS = [
  ["confirm", "✓", "c", is("uncertain")],
  ["reject", "✗", "n", is("uncertain")],
  ["edit", "✎", "e", holds],
  ["complete", "✓", "c", ({ status, kind }) => status === "active" && ["goal", "date"].includes(kind)],
  ["pin", "☆", "p", ({ status, pinned }) => status === "active" && !pinned],
  ["unpin", "★", "p", ({ status, pinned }) => status === "active" && pinned],
  ["reopen", "↺", "o", (memory) => !holds(memory)],
];

/* The keys of the actions, each with the names of its actions. */
export function actionKeys() {
  return Object.entries(Object.groupBy(ACTIONS, ([, , key]) => key)).map(([key, actions]) => [key, actions.map(([name]) => t(name)).join(", ")]);
}

export function tags(memory) {
  const late = memory.deadline && memory.kind === "goal" && memory.status === "active" && new Date(memory.deadline) < new Date();
  const due = memory.deadline ?? memory.when?.start;
  const plain = [`#${memory.id}`, day(memory.valid_from), memory.valid_to && t("until", { day: day(memory.valid_to) }), memory.user_confirmed && memory.origin !== "user" ? t("confirmed") : t(`origin.${memory.origin}`), memory.about !== "user" && memory.about,
    memory.chat_id !== null && t("in.chat", { chat: String(memory.chat_id) }), memory.status === "uncertain" && because(memory.reason)];
  const tag = (text, warns) => h(warns ? "span.tag.warn" : "span.tag", text);
  return div("tags",
    tag(t(memory.note ? "kind.note" : `kind.${memory.kind}`)),
    memory.status !== "active" && tag(t(`status.${memory.status}`), holds(memory)),
    memory.pinned && tag(t("pinned")),
    due && tag(t(late ? "overdue.on" : "due.on", { day: dueTime(due) }), late),
    plain.map((text) => text && h("span", text)));
}

/* An entry that draws itself again after a change. `select` adds a checkbox, `card` makes a card instead of a list item, and `still` leaves out the buttons. */
export function item(entry, look = {}) {
  const { memory, quote } = entry;
  const text = div("text", written("a", { href: `#memory/${memory.id}` }, memory.content), quote && quote !== memory.content && written("p.quote", null, t("you.said", { text: quote })), tags(memory));
  const { select } = look;
  const row = h(look.card ? "article" : "li", { className: look.card ? "card" : "", "data-memory": memory.id, tabIndex: -1 },
    select ? h("input", { type: "checkbox", checked: select.has(memory.id), "aria-keyshortcuts": "x", "aria-label": t("select", { text: memory.content }), onchange: (event) => select.toggle(memory, event.target.checked) }) : null,
    text, look.still ? null : div("row", buttons(memory, text)));
  row.memory = memory;
  row.another = (other) => item({ memory: other, quote: null }, look);
  row.redraw = (changed) => {
    const fresh = item({ ...entry, memory: changed }, look);
    if (select?.has(memory.id)) select.toggle(changed, true);
    const focused = row.contains(document.activeElement);
    row.replaceWith(fresh);
    if (focused) fresh.querySelector("a").focus();
  };
  return row;
}

/* The buttons that apply to a memory's current status. An edit replaces the contents of `text`. */
export function buttons(memory, text) {
  const made = ACTIONS.filter(([, , , applies]) => applies(memory)).map(([name, sign, key]) => iconButton(sign, name, key, name === "edit" ? () => editor(text, memory) : () => change([memory], name)));
  return [made, h("a.button.icon", { href: `#${forgetting([memory])}`, title: t("forget"), "aria-label": t("forget"), "aria-keyshortcuts": "Delete" }, icon(trash()))];
}

/* The texts of editors that were left without saving or canceling, by the memory's number. */
const drafts = new Map();

/* Edits the text in place. Enter saves, Escape cancels. A text that could not be saved stays. */
function editor(place, memory) {
  const before = [...place.childNodes];
  const text = written("textarea", { value: drafts.get(memory.id) ?? memory.content, "aria-label": t("edit"), oninput: () => drafts.set(memory.id, text.value) });
  const leave = () => { drafts.delete(memory.id); show(place, before); place.parentNode.querySelector("[aria-keyshortcuts=e]").focus(); };
  const save = async () => {
    const wanted = text.value.trim();
    if (!wanted || wanted === memory.content) return leave();
    if ((await during(state, t("saving"), () => edit(memory, wanted))) !== undefined) drafts.delete(memory.id);
  };
  const state = h("div");
  text.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.stopPropagation(); leave(); }
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); save(); }
  });
  show(place, text, state, div("row", button(t("save"), save, { className: "main" }), button(t("cancel"), leave)));
  text.focus();
}

/* The memories that `page_memories` finds, as a list, and its first result. */
export async function found(args, look, props) {
  let first;
  const rows = await paged({ className: "list", ...props }, async (cursor) => {
    const result = await call("page_memories", { ...args, cursor });
    first ??= result;
    return [result.entries, result.next_cursor];
  }, (entry) => item(entry, look));
  return [rows, first];
}

export function list(entries, look) {
  return h("ul.list", entries.map((entry) => item(entry, look)));
}
