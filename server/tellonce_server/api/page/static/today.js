/* The screen "Today": the profile, memories to confirm, upcoming dates, and what was learned recently. */

import { call } from "./client.js";
import { div, h, show, soft, written } from "./dom.js";
import { editor, buttons, list, tags } from "./entries.js";
import { dollars, span, t } from "./words.js";

export async function today(place) {
  const seen = await call("page_today");
  const again = () => today(place);
  show(place,
    h("h1", t("today")),
    introduction(seen),
    soft([t("memories.count", { n: seen.memories }), t("messages.count", { n: seen.messages }), t("chats.count", { n: seen.chats })].join(", ")),
    reading(seen),
    part("today.confirm", seen.uncertain, div("cards", seen.uncertain.map((entry) => card(entry, again)))),
    ["overdue", "coming", "learned", "told", "wishes"].map((name) => part(`today.${name}`, seen[name], list(seen[name], again), name === "learned")),
    seen.told.length + seen.wishes.length ? h("p", h("a", { href: "#memories" }, t("more"))) : null);
}

/* Without a language model there is no profile in sentences; the lists show the memories instead. */
function introduction({ narrative, memories }) {
  if (!narrative && memories) return null;
  return written("p", { className: "narrative" }, narrative || t("today.nobody"));
}

/* Without entries, a part is left out or, if `kept`, says that there are none. */
function part(title, entries, made, kept) {
  if (!entries.length && !kept) return null;
  return h("section", h("h2", t(title)), entries.length ? made : soft(t(`${title}.none`)));
}

function reading({ reading: work, cost }) {
  if (!work?.waiting && !work?.to_read_again) return null;
  const parts = [];
  if (work.waiting) parts.push(t("today.reading", { n: work.waiting }));
  if (work.to_read_again) parts.push(t("today.again", { n: work.to_read_again }));
  if (work.estimate_seconds) parts.push(t("today.about", { time: span(work.estimate_seconds) }));
  if (cost?.price_usd) parts.push(t("today.cost", { cost: dollars(cost.price_usd) }));
  return h("p", { className: "strip", role: "status" }, parts.join(" · "));
}

function card(entry, again) {
  const { memory } = entry;
  const text = h("div", written("a", { href: `#memory/${memory.id}` }, memory.content), entry.quote ? written("p", { className: "quote" }, entry.quote) : null, tags(memory));
  return h("article", { className: "card", "data-memory": memory.id }, text, div("row", buttons(memory, again, () => editor(text, memory, again))));
}
