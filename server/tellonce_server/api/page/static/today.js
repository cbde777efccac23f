/* The screen "Today": the profile, memories to confirm, upcoming dates, and what was learned recently. */

import { remember } from "./actions.js";
import { call, isHosted } from "./client.js";
import { div, during, h, section, show, soft, written } from "./dom.js";
import { item, list } from "./entries.js";
import { dollars, span, t } from "./words.js";

export async function today(place) {
  const seen = await call("page_today");
  const part = (name) => section(t(`today.${name}`), seen[name].length ? list(seen[name]) : null);
  show(place,
    h("h1", t("today")),
    introduction(seen),
    reading(seen),
    tell(async () => { await today(place); document.getElementById("tell").focus(); }),
    section(t("today.confirm"), seen.uncertain.length ? div("cards", seen.uncertain.map((entry) => item(entry, { card: true }))) : null),
    ["overdue", "coming", "learned", "told", "wishes"].map(part),
    seen.told.length + seen.wishes.length ? h("p", h("a", { href: "#memories" }, t("more"))) : null);
}

/* Without a language model there is no profile in sentences; the lists show the memories instead. */
function introduction(seen) {
  if (seen.memories + seen.messages === 0) return [h("p", t("today.nobody")), isHosted() ? null : h("p", h("a", { href: "#data" }, t("client.title")))];
  return [seen.narrative && written("p.narrative", null, seen.narrative), soft(["memories", "messages", "chats"].map((name) => t(`${name}.count`, { n: seen[name] })).join(", "))];
}

function reading({ reading: work, cost }) {
  if (!work?.waiting && !work?.to_read_again) return null;
  const parts = [work.waiting && t("today.reading", { n: work.waiting }), work.to_read_again && t("today.again", { n: work.to_read_again }),
    work.estimate_seconds && t("today.about", { time: span(work.estimate_seconds) }), cost?.price_usd && t("today.cost", { cost: dollars(cost.price_usd) })];
  return h("p.strip", { role: "status" }, parts.filter(Boolean).join(" · "));
}

/* A form for a statement to remember. The typed text stays until it is stored. */
function tell(after) {
  const text = written("input", { id: "tell", required: true, autocomplete: "off" });
  const state = h("div");
  const send = async (event) => {
    event.preventDefault();
    const then = await during(state, t("saving"), () => remember(text.value, after));
    then?.();
  };
  return h("form", { onsubmit: send }, div("row end", h("label.field.grow", t("tell.what"), text), h("button.main", t("tell"))), state);
}
