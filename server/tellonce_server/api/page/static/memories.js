/* The screen "Memories": a list with filters and actions on several memories. */

import { change, forgetting, merge, share } from "./actions.js";
import { go } from "./address.js";
import { button, choice, div, field, h, options, show } from "./dom.js";
import { found } from "./entries.js";
import { t } from "./words.js";

/* The filters of the list. They are kept so that the same list appears when the user returns from a memory. */
const wanted = { query: "", kind: "", status: "live", origin: "", chat: "", certainty: "0", about: "" };

export async function memories(place, about) {
  if (about !== undefined) wanted.about = about;
  const list = h("div");
  const count = h("p.soft", { role: "status" });
  // The server's first answer has the values of these filters.
  const choices = Object.fromEntries(["kind", "status", "origin", "chat"].map((name) => [name, choice([], "", (value) => set(name)(value))]));
  const chosen = selection();
  let turn = 0;

  async function load() {
    const mine = ++turn;
    const [rows, first] = await found(filter(), { select: chosen }, { id: "memories" });
    if (mine !== turn) return;
    show(list, rows);
    if (!choices.chat.length) fill(choices, first);
    count.textContent = first.total ? t("memories.count", { n: first.total }) : t("memories.none");
  }
  const set = (name) => (value) => { wanted[name] = value; chosen.clear(); load(); };

  show(place, h("h1", t("memories")), filters(set, choices), count, list, chosen.bar(list));
  await load();
}

/* Fills the filters with their values. */
function fill(choices, { filters, chats }) {
  for (const name in filters) show(choices[name], options(filters[name].map((value) => [value, t(value ? `${name}.${value}` : "any")]), wanted[name]));
  show(choices.chat, options([["", t("any")], ...chats.map((x) => [String(x.chat_id), [x.channel, x.conversation].filter(Boolean).join(": ")])], wanted.chat));
}

function filter() {
  const some = (value) => (value ? [value] : null);
  return { ...(wanted.status !== "live" && { statuses: [wanted.status] }), least_confidence: Number(wanted.certainty), query: wanted.query.trim() || null, kinds: some(wanted.kind), origins: some(wanted.origin), chat_id: Number(wanted.chat) || null, about: wanted.about || null };
}

function filters(set, choices) {
  const search = h("input", { type: "search", id: "search", value: wanted.query, className: "grow", placeholder: t("search.hint"), "aria-label": t("search"), oninput: (event) => set("query")(event.target.value) });
  return h("div", div("row", search), div("row end",
    ["kind", "status", "origin"].map((name) => field(t(name), choices[name])),
    field(t("certainty"), choice([["0", t("any")], ["0.5", "≥ 50 %"], ["0.8", "≥ 80 %"], ["1", "100 %"]], wanted.certainty, set("certainty"))),
    field(t("chat"), choices.chat),
    wanted.about ? button(`${wanted.about} ✕`, (event) => { event.target.remove(); set("about")(""); }) : null));
}

/* The selected memories, and the bar with the actions for them. */
function selection() {
  const held = new Map();
  let bar = null;
  const shown = () => { bar.hidden = held.size === 0; bar.firstChild.textContent = t("selected", { n: held.size }); bar.querySelector("#merge").disabled = held.size < 2; };
  return {
    has: (id) => held.has(id),
    toggle(memory, on) { if (on) held.set(memory.id, memory); else held.delete(memory.id); shown(); },
    clear() { held.clear(); if (bar) shown(); },
    bar(rows) {
      const all = () => [...held.values()];
      const clear = () => { this.clear(); for (const box of rows.querySelectorAll("input:checked")) box.checked = false; };
      const act = (action) => () => { const memories = all(); clear(); return change(memories, action); };
      bar = h("div.bar", { hidden: true, role: "toolbar", "aria-label": t("selection") }, h("span"),
        ...["confirm", "pin", "complete", "reject"].map((action) => button(t(action), act(action))),
        button(t("merge"), () => merge(all(), clear), { id: "merge" }),
        button(t("share"), () => share(all())),
        button(t("forget"), () => { go(forgetting(all())); }, { className: "bad", "aria-keyshortcuts": "Delete" }),
        button(t("cancel"), clear));
      return bar;
    },
  };
}
