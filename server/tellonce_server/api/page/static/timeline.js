/* The screen "Timeline": months, days and conversations with their summaries; what was known on a day; people and
   places. */

import { call } from "./client.js";
import { button, choice, div, field, h, show, soft, written } from "./dom.js";
import { list } from "./entries.js";
import { said } from "./memory.js";
import { clock, day, monthName, number, t } from "./words.js";

export async function timeline(place, view) {
  const tabs = div("row", ["", "known", "people"].map((name) => h("a", { className: "button", href: `#timeline${name && `/${name}`}`, "aria-current": (view ?? "") === name ? "true" : null }, t(`timeline.${name || "talks"}`))));
  const body = h("div");
  show(place, h("h1", t("timeline")), tabs, body);
  await ({ known: then, people }[view] ?? talks)(body);
}

async function talks(place, wanted) {
  show(place);
  const seen = await call("page_timeline", wanted ? { month: wanted } : {});
  if (!seen.months.length) return show(place, soft(t("timeline.empty")));
  const options = seen.months.map((x) => [x.month, `${monthName(x.month)} (${number(x.messages)})`]);
  show(place, field(t("month"), choice(options, seen.month, (value) => talks(place, value))),
    seen.days.map((x) => h("section", h("h2", day(`${x.day}T00:00:00`)), x.talks.map(talk))));
}

function talk(seen) {
  const words = h("div");
  const open = button(t("words.open"), () => { open.hidden = true; pages(words, seen, seen.from_id); });
  return h("div", { className: "card", "data-chat": seen.chat_id },
    h("strong", `${seen.channel} · ${clock(seen.from_at)}–${clock(seen.to_at)}`), h("span", { className: "soft" }, ` ${t("messages.count", { n: seen.messages })}`),
    seen.summaries.map((x) => written("p", { className: "quote" }, x.text)), div("row", open), words);
}

async function pages(place, seen, from) {
  const page = await call("page_words", { chat_id: seen.chat_id, from_id: from, to_id: seen.to_id });
  place.append(...page.lines.map(said));
  if (!page.next_id) return;
  const more = button(t("more"), () => { more.remove(); pages(place, seen, page.next_id); });
  place.append(more);
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
    const asked = { as_of: `${date(Number(value))}T23:59:59` };
    const found = await call("page_memories", asked);
    if (value !== slider.value) return;
    const rows = h("ul", { className: "list", hidden: !found.entries.length }, found.entries.map(believed));
    const more = button(t("more"), async () => {
      const next = await call("page_memories", { ...asked, cursor: found.next_cursor });
      rows.append(...next.entries.map(believed));
      found.next_cursor = next.next_cursor;
      more.hidden = !next.next_cursor;
    }, { hidden: !found.next_cursor });
    show(shown, soft(t("memories.count", { n: found.total })), rows, h("p", more));
  }
  show(place, div("card", label, slider), shown);
  tell();
  await load();
}

function believed({ memory }) {
  return h("li", { "data-memory": memory.id }, div("text", written("a", { href: `#memory/${memory.id}` }, memory.content),
    div("tags", h("span", { className: "tag" }, t(memory.note ? "kind.note" : `kind.${memory.kind}`)), h("span", day(memory.valid_from)), memory.valid_to ? h("span", t("until", { day: day(memory.valid_to) })) : null)));
}

async function people(place) {
  const { names, links } = await call("page_names");
  if (!names.length) return show(place, soft(t("people.empty")));
  show(place, names.length > 1 ? graph(names.slice(0, 24), links) : null,
    h("ul", { className: "list" }, names.map((x) => h("li", div("text", h("a", { href: `#memories/${encodeURIComponent(x.name)}` }, x.name), div("tags", t("memories.count", { n: x.memories }), beside(x.name, links)))))));
}

function beside(name, links) {
  const others = links.filter((x) => x.one === name || x.other === name).slice(0, 4).map((x) => (x.one === name ? x.other : x.one));
  return others.length ? h("span", t("people.with", { names: others.join(", ") })) : null;
}

/* Draws names on a circle. A line connects two names that occur in the same memory. */
function graph(names, links) {
  const place = new Map(names.map((x, i) => {
    const angle = (2 * Math.PI * i) / names.length - Math.PI / 2;
    return [x.name, { x: 400 + 230 * Math.cos(angle), y: 200 + 150 * Math.sin(angle), right: Math.cos(angle) >= 0, n: x.memories }];
  }));
  const joined = links.filter((x) => place.has(x.one) && place.has(x.other));
  return h("svg", { class: "graph", viewBox: "0 0 800 400", role: "img", "aria-label": t("people.graph") },
    joined.map((x) => h("line", { x1: place.get(x.one).x, y1: place.get(x.one).y, x2: place.get(x.other).x, y2: place.get(x.other).y, "stroke-width": Math.min(6, 1 + x.memories) })),
    [...place].map(([name, p]) => [h("circle", { cx: p.x, cy: p.y, r: 4 + Math.min(10, Math.sqrt(p.n) * 2) }), h("text", { x: p.x + (p.right ? 16 : -16), y: p.y + 4, "text-anchor": p.right ? "start" : "end" }, name.slice(0, 24))]));
}
