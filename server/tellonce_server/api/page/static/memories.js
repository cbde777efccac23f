/* The screen "Memories": a list with filters and actions on several memories. Further pages load as the user scrolls. */

import { change, forgetting, merge, share } from "./actions.js";
import { go } from "./address.js";
import { call } from "./client.js";
import { button, choice, div, field, h, options, show } from "./dom.js";
import { item } from "./entries.js";
import { t } from "./words.js";

const KINDS = ["fact", "preference", "goal", "date", "outcome", "pin", "note"];
const ORIGINS = ["user", "extracted", "model", "tag", "import"];
const STATUSES = { live: ["active", "uncertain"], uncertain: ["uncertain"], completed: ["completed"], superseded: ["superseded"], rejected: ["rejected"] };

/* The filters of the list. They are kept so that the same list appears when the user returns from a memory. */
const wanted = { query: "", kind: "", status: "live", origin: "", chat: "", certainty: "0", about: "" };

export async function memories(place, about) {
  if (about !== undefined) wanted.about = about;
  const rows = h("div", { className: "list", id: "memories" });
  const count = h("p", { className: "soft", role: "status" });
  const chats = choice([], "", (value) => set("chat")(value));
  const chosen = selection();
  const more = h("div");
  let cursor = null;
  let ahead = null;
  let turn = 0;
  const asked = () => call("page_memories", { ...filter(), cursor });

  async function page(first) {
    if (first) { turn++; cursor = null; }
    const mine = turn;
    const found = await (first ? asked() : ahead ?? asked());
    if (mine !== turn) return;
    cursor = found.next_cursor;
    // A user who has scrolled once scrolls again, so the next page is requested early.
    ahead = first || !cursor ? null : asked();
    ahead?.catch(() => { ahead = null; });
    // The browser skips parts that are off the screen, so a long list stays fast.
    const made = h("ul", { className: "part" }, found.entries.map((entry) => item(entry, { select: chosen })));
    if (first) rows.replaceChildren(made); else rows.append(made);
    rows.hidden = !rows.querySelector("li");
    if (first && !chats.length) show(chats, options([["", t("any")], ...found.chats.map((x) => [String(x.chat_id), [x.channel, x.conversation].filter(Boolean).join(": ")])], wanted.chat));
    if (first) count.textContent = found.total ? t("memories.count", { n: found.total }) : t("memories.none");
    watch.unobserve(more);
    if (cursor) watch.observe(more);
  }
  let loading = Promise.resolve();
  const watch = new IntersectionObserver((seen) => { if (seen.some((x) => x.isIntersecting) && cursor) loading = loading.catch(() => {}).then(() => page(false)); }, { rootMargin: "3000px" });
  const set = (name) => (value) => { wanted[name] = value; chosen.clear(); page(true); };

  show(place, h("h1", t("memories")), filters(set, chats), count, rows, more, chosen.bar(rows));
  await page(true);
}

function filter() {
  const some = (value) => (value ? [value] : null);
  return { statuses: STATUSES[wanted.status], least_confidence: Number(wanted.certainty), query: wanted.query.trim() || null, kinds: some(wanted.kind), origins: some(wanted.origin), chat_id: Number(wanted.chat) || null, about: wanted.about || null };
}

function filters(set, chats) {
  const any = ["", t("any")];
  const search = h("input", { type: "search", id: "search", value: wanted.query, className: "grow", placeholder: t("search.hint"), "aria-label": t("search"), oninput: (event) => set("query")(event.target.value) });
  return h("div", div("row", search), div("row end",
    field(t("kind"), choice([any, ...KINDS.map((kind) => [kind, t(`kind.${kind}`)])], wanted.kind, set("kind"))),
    field(t("status"), choice(Object.keys(STATUSES).map((status) => [status, t(`status.${status}`)]), wanted.status, set("status"))),
    field(t("origin"), choice([any, ...ORIGINS.map((origin) => [origin, t(`origin.${origin}`)])], wanted.origin, set("origin"))),
    field(t("certainty"), choice([["0", t("any")], ["0.5", "≥ 50 %"], ["0.8", "≥ 80 %"], ["1", "100 %"]], wanted.certainty, set("certainty"))),
    field(t("chat"), chats),
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
      bar = h("div", { className: "bar", hidden: true, role: "toolbar", "aria-label": t("selection") }, h("span"),
        ...["confirm", "pin", "complete", "reject"].map((action) => button(t(action), act(action))),
        button(t("merge"), () => merge(all(), clear), { id: "merge" }),
        button(t("share"), () => share(all())),
        button(t("forget"), () => { go(forgetting(all())); }, { className: "bad" }),
        button(t("cancel"), clear));
      return bar;
    },
  };
}
