/* The screen "Today": the profile, memories to confirm, upcoming dates, and what was learned recently. */

import { call } from "./client.js";
import { h, show, written } from "./dom.js";
import { editor, buttons, list, tags } from "./entries.js";
import { dollars, span, t } from "./words.js";

export async function today(place) {
  const seen = await call("page_today");
  const again = () => today(place);
  show(place,
    h("h1", t("today")),
    written("p", { className: "narrative" }, seen.narrative || t("today.nobody")),
    h("p", { className: "soft" }, [t("memories.count", { n: seen.memories }), t("messages.count", { n: seen.messages }), t("chats.count", { n: seen.chats })].join(", ")),
    reading(seen),
    part("today.confirm", seen.uncertain, (entries) => h("div", { className: "cards" }, entries.map((entry) => card(entry, again)))),
    part("today.overdue", seen.overdue, (entries) => list(entries, again)),
    part("today.coming", seen.coming, (entries) => list(entries, again)),
    part("today.learned", seen.learned, (entries) => list(entries, again), t("today.learned.none")));
}

function part(title, entries, shown, none) {
  if (!entries.length && !none) return null;
  return h("section", h("h2", t(title, { n: entries.length })), entries.length ? shown(entries) : h("p", { className: "soft" }, none));
}

function reading({ reading: work, cost }) {
  if (!work?.waiting && !work?.to_read_again) return null;
  const parts = [];
  if (work.waiting) parts.push(t("today.reading", { n: work.waiting }));
  if (work.to_read_again) parts.push(t("today.again", { n: work.to_read_again }));
  if (work.estimate_seconds) parts.push(t("today.about", { time: span(work.estimate_seconds) }));
  if (cost?.price_usd) parts.push(t("today.cost", { cost: dollars(cost.price_usd) }));
  return h("p", { className: "strip", role: "status" }, parts.join(", "));
}

function card(entry, again) {
  const { memory } = entry;
  const text = h("div", written("a", { href: `#memory/${memory.id}` }, memory.content), entry.quote ? written("p", { className: "quote" }, entry.quote) : null, tags(memory));
  return h("article", { className: "card", "data-memory": memory.id }, text, h("div", { className: "row" }, buttons(memory, again, () => editor(text, memory, again))));
}
