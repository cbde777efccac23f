/* The screen "Forget": the search, the matches with checkboxes, the confirmation, and the result. */

import { call } from "./client.js";
import { ask, button, div, field, h, show, soft, written } from "./dom.js";
import { day, number, t } from "./words.js";

export async function forget(place, form, value) {
  if (form === "ids") return preview(place, { memory_ids: value.split(",").map(Number) }, t("forget.word"));
  const words = h("input", { required: true, id: "forget-words", value: value ?? "" });
  const kinds = ["topic", "literal"].map((kind, i) => h("label", h("input", { type: "radio", name: "form", value: kind, checked: form ? form === kind : i === 0 }), t(`forget.${kind}`)));
  const ask1 = h("form", { onsubmit: (event) => { event.preventDefault(); preview(result, { [new FormData(ask1).get("form")]: words.value.trim() }, words.value.trim()); } },
    h("div.card", { role: "group", ariaLabel: t("forget.what") }, h("h3", t("forget.what")), div("row", kinds), div("row end", h("label.field.grow", t("forget.words"), words), h("button.main", t("forget.look")))));
  const result = h("div", { "aria-live": "polite" });
  show(place, h("h1", t("forget")), soft(t("forget.intro")), ask1, result);
}

/* Shows a preview: `made` (by the model in the host), or a new one. */
export async function preview(place, args, typed, made) {
  const found = made ?? (await call("forget", args));
  if (!found.confirm) return show(place, soft(found.notes.join(" ") || t("forget.none")));
  const ticks = found.matches.map((match) => tick(match, t(`match.${match.match}`)));
  const near = found.related.map((match) => tick({ ...match, ticked: false }));
  const go = button(t("forget.go"), () => confirm(place, args, typed, found, ticks, near), { className: "bad main", id: "forget-go" });
  show(place, args.memory_ids && h("h1", t("forget")),
    h("h2", t("forget.found", { n: found.matches.length + found.unlisted })),
    soft(t("forget.counts", { counts: counts(found.would_erase) })),
    h("ul.list", { id: "matches" }, ticks.map((x) => x.row)),
    found.unlisted ? h("p", t("forget.unlisted", { n: found.unlisted })) : null,
    near[0] && [h("h2", t("forget.related")), soft(t("forget.related.what")), h("ul.list", { id: "related" }, near.map((x) => x.row))],
    h("p", go));
}

function tick(match, why) {
  const box = h("input", { type: "checkbox", checked: match.ticked, "aria-label": match.text });
  const row = h("li", { "data-match": match.id }, box, div("text", written("span", null, ...struck(match)),
    div("tags", h("span.tag", match.ref ? t(`kind.${match.kind}`) : t("forget.also", { counts: counts(match.others) })), match.ref ? h("span", day(match.at)) : null, why && h("span", why), match.beside[0] && h("span", t("forget.beside", { text: match.beside.join(" … ") })))));
  return { match, box, row };
}

/* The text of a match. If only some sentences go, they are struck through. */
function struck({ text, goes }) {
  const parts = [];
  for (const gone of goes ?? []) {
    const at = text.indexOf(gone);
    parts.push(at < 0 ? " … " : text.slice(0, at), h("del", gone));
    if (at >= 0) text = text.slice(at + gone.length);
  }
  return [...parts, text];
}

function counts(tally) {
  return Object.entries(tally).filter(([, n]) => n).map(([name, n]) => `${t(`table.${name}`)}: ${number(n)}`).join(", ") || "0";
}

function confirm(place, args, typed, found, ticks, near) {
  const text = h("input", { required: true, autocomplete: "off", id: "forget-typed" });
  const [kept, gone] = [false, true].map((on) => ticks.filter((x) => x.box.checked === on).map((x) => x.match.id));
  const more = near.filter((x) => x.box.checked).map((x) => x.match);
  const steps = [(told) => call("forget", { ...args, confirm: found.confirm, except: kept, also: gone }, told), ...alsoForget(more).map((one) => (told) => all(one, told))];
  const results = [];
  // After an error, the failed step may be repeated.
  const erase = async (told) => { while (steps.length) { results.push(await steps[0](told)); steps.shift(); } return () => done(place, results, kept.length); };
  ask(t("forget"), [h("p", t("forget.sure", { n: gone.length + more.length + found.unlisted })), field(t("forget.type", { text: typed }), text)], t("forget.go"), erase, { bad: true, ready: () => text.value.trim() === typed, working: t("forget.working") });
}

/* The arguments that forget related matches: all memories, and the messages of each chat. */
function alsoForget(matches) {
  const messages = Map.groupBy(matches.filter((x) => x.kind === "message"), (x) => x.chat_id);
  const memories = matches.filter((x) => x.kind !== "message" && x.ref).map((x) => x.ref);
  return [...(memories[0] ? [{ memory_ids: memories }] : []), ...[...messages].map(([chat, found]) => ({ message_ids: found.map((x) => x.ref), chat_id: chat }))];
}

async function all(args, told) {
  const found = await call("forget", args);
  return found.confirm ? call("forget", { ...args, confirm: found.confirm, also: found.matches.map((x) => x.id) }, told) : found;
}

function done(place, results, kept) {
  const left = results.reduce((sum, x) => sum + (x.traces_left ?? 0), 0);
  const erased = {};
  for (const result of results) for (const [name, n] of Object.entries(result.erased)) erased[name] = (erased[name] ?? 0) + n;
  show(place, h("h2", { className: left ? "bad" : "good", id: "traces" }, kept ? t("forget.traces.ticked", { n: left, kept: number(kept) }) : t("forget.traces", { n: left })),
    h("p", t("forget.erased", { counts: counts({ ...erased, tombstones: 0 }) })),
    erased.tombstones ? soft(t("forget.kept", { counts: counts({ tombstones: erased.tombstones }) })) : null,
    results.flatMap((x) => x.left).map((x) => h("p.quote", x.text)),
    [...new Set(results.flatMap((x) => x.notes))].map((x) => h("p", x)),
    soft(t("forget.elsewhere")),
    h("p", h("a.button", { href: "#memories" }, t("memories"))));
}
