/* A memory as one entry of a list: its text, its source, and its buttons. */

import { change, edit, forgetting } from "./actions.js";
import { button, div, h, icon, iconButton, show, written } from "./dom.js";
import { day, t } from "./words.js";

export function tags(memory) {
  const late = memory.deadline && memory.kind === "goal" && memory.status === "active" && new Date(memory.deadline) < new Date();
  const due = memory.deadline ?? memory.when?.start;
  return div("tags",
    h("span", { className: "tag" }, t(memory.note ? "kind.note" : `kind.${memory.kind}`)),
    memory.status === "active" ? null : h("span", { className: `tag ${memory.status}` }, t(`status.${memory.status}`)),
    memory.pinned ? h("span", { className: "tag" }, t("pinned")) : null,
    due ? h("span", { className: late ? "tag overdue" : "tag" }, t(late ? "overdue.on" : "due.on", { day: day(due) })) : null,
    h("span", `#${memory.id}`),
    h("span", day(memory.valid_from)),
    h("span", t(`origin.${memory.origin}`)),
    memory.about === "user" ? null : h("span", memory.about),
    memory.chat_id === null ? null : h("span", t("in.chat", { chat: String(memory.chat_id) })),
    memory.status === "uncertain" && memory.reason ? h("span", memory.reason) : null);
}

/* The list item of a memory. `after` reloads the list; `select` adds a checkbox. */
export function item(entry, after, select) {
  const { memory } = entry;
  const text = div("text", link(memory), entry.quote && entry.quote !== memory.content ? written("p", { className: "quote" }, entry.quote) : null, tags(memory));
  const row = h("li", { "data-memory": memory.id, tabIndex: -1 },
    select ? h("input", { type: "checkbox", checked: select.has(memory.id), "aria-label": t("select", { text: memory.content }), onchange: (event) => select.toggle(memory, event.target.checked) }) : null,
    text, div("row", buttons(memory, after, () => editor(text, memory, after))));
  row.memory = memory;
  return row;
}

function link(memory) {
  return written("a", { href: `#memory/${memory.id}` }, memory.content);
}

/* The buttons that apply to a memory's current status. */
export function buttons(memory, after, startEdit) {
  const one = [memory];
  const act = (action) => () => change(one, action, after);
  if (memory.status === "uncertain") {
    return [iconButton("✓", t("confirm"), act("confirm")), iconButton("✗", t("reject"), act("reject")), iconButton("✎", t("edit"), startEdit)];
  }
  if (memory.status !== "active") return [button(t("reopen"), act("reopen"))];
  return [
    iconButton("✎", t("edit"), startEdit),
    memory.kind === "goal" || memory.kind === "date" ? iconButton("✓", t("complete"), act("complete")) : null,
    iconButton(memory.pinned ? "★" : "☆", t(memory.pinned ? "unpin" : "pin"), act(memory.pinned ? "unpin" : "pin"), { "aria-pressed": String(memory.pinned) }),
    h("a", { className: "button icon", href: `#${forgetting(one)}`, title: t("forget"), "aria-label": t("forget") }, icon("forget")),
  ];
}

/* Edits the text in place. Enter saves, Escape cancels. */
export function editor(place, memory, after) {
  const before = [...place.childNodes];
  const text = written("textarea", { value: memory.content, "aria-label": t("edit") });
  const leave = () => show(place, before);
  const keep = async () => { if (text.value.trim() && text.value !== memory.content) await edit(memory, text.value.trim(), after); else leave(); };
  text.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { event.stopPropagation(); leave(); }
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); keep(); }
  });
  show(place, text, div("row", button(t("save"), keep, { className: "main" }), button(t("cancel"), leave)));
  text.focus();
}

export function list(entries, after) {
  return h("ul", { className: "list" }, entries.map((entry) => item(entry, after)));
}
