/* The screen "Timeline": days and conversations; what was known on a day; people and places. */

import { call } from "./client.js";
import { button, choice, div, field, h, paged, show, soft, written } from "./dom.js";
import { found } from "./entries.js";
import { said } from "./memory.js";
import { clock, day, monthName, number, t } from "./words.js";

export async function timeline(place, view) {
  const tabs = div("row", ["", "known", "people"].map((name) => h("a.button", { href: `#timeline${name && `/${name}`}`, "aria-current": (view ?? "") === name ? "true" : null }, t(`timeline.${name || "talks"}`))));
  const body = h("div");
  show(place, h("h1", t("timeline")), tabs, body);
  await ({ known: then, people }[view] ?? talks)(body);
}

async function talks(place, wanted) {
  show(place);
  const seen = await call("page_timeline", { month: wanted });
  if (!seen.months.length) return show(place, soft(t("timeline.empty")));
  const options = seen.months.map((x) => [x.month, `${monthName(x.month)} (${number(x.messages)})`]);
  show(place, field(t("month"), choice(options, seen.month, (value) => talks(place, value))),
    seen.days.map((x) => h("section", h("h2", day(`${x.day}T00:00:00`)), x.talks.map(talk))));
}

function talk(seen) {
  const open = button(t("words.open"), async () => open.parentNode.replaceWith(await paged({ "data-opened": "" }, (from) => words(seen, from), said)));
  return h("div.card", { "data-chat": seen.chat_id },
    h("strong", `${seen.channel} · ${clock(seen.from_at)}–${clock(seen.to_at)}`), h("span.soft", ` ${t("messages.count", { n: seen.messages })}`),
    seen.summaries.map((x) => written("p.quote", null, x.text)), seen.begins && written("p.soft", null, seen.begins), div("row", open));
}

async function words({ chat_id, from_id, to_id }, from = from_id) {
  const { lines, next_id } = await call("page_words", { chat_id, from_id: from, to_id });
  return [lines, next_id];
}

const DAY = 86_400_000;

/* Shows the memories that held at the end of a day. A slider selects a day since the first message. */
async function then(place) {
  const { months, today } = await call("page_timeline");
  if (!months.length) return show(place, soft(t("timeline.empty")));
  const first = new Date(`${months.at(-1).month}-01T00:00:00Z`).getTime();
  const days = Math.max(1, Math.round((Date.parse(`${today}T00:00:00Z`) - first) / DAY));
  const shown = h("div", { "aria-live": "polite" });
  const label = h("output");
  const date = (value) => new Date(first + value * DAY).toISOString().slice(0, 10);
  let waiting;
  const slider = h("input", { type: "range", id: "as-of", min: 0, max: days, value: days, "aria-label": t("asof"), oninput: () => { tell(); clearTimeout(waiting); waiting = setTimeout(load, 150); } });
  const tell = () => { label.textContent = t("asof.day", { day: day(`${date(Number(slider.value))}T00:00:00`) }); slider.setAttribute("aria-valuetext", label.textContent); };
  async function load() {
    const value = slider.value;
    const [rows, { total }] = await found({ as_of: `${date(Number(value))}T23:59:59` }, { still: true });
    if (value === slider.value) show(shown, soft(t("memories.count", { n: total })), rows);
  }
  show(place, div("card", label, slider), shown);
  tell();
  await load();
}

async function people(place) {
  const { names, links } = await call("page_names");
  if (!names.length) return show(place, soft(t("people.empty")));
  show(place, h("ul.list", names.map((x) => h("li", div("text", h("a", { href: `#memories/${encodeURIComponent(x.name)}` }, x.name), div("tags", t("memories.count", { n: x.memories }), beside(x.name, links)))))));
}

function beside(name, links) {
  const others = links.filter((x) => x.one === name || x.other === name).slice(0, 4).map((x) => (x.one === name ? x.other : x.one));
  return others.length ? h("span", t("people.with", { names: others.join(", ") })) : null;
}
