/* The screen "One memory": its source, its former versions, what it replaced, and the answers that used it. */

import { share } from "./actions.js";
import { call } from "./client.js";
import { button, div, h, section, show, soft, written } from "./dom.js";
import { buttons, tags } from "./entries.js";
import { asked } from "./why.js";
import { because, clock, day, moment, t } from "./words.js";

export async function memory(place, id) {
  const { explanation: why, talks, answers } = await call("page_memory", { memory_id: Number(id) });
  const known = why.memory;
  const text = h("div", written("p.narrative", null, known.content), tags(known));
  const card = h("div.card", { "data-memory": id }, text, div("row", buttons(known, text), button(t("share"), () => share([known]))));
  card.redraw = () => memory(place, id);
  const quote = (text, below) => written("p.quote", null, text, h("br"), h("span.soft", below));
  const part = (title, entries, made) => section(t(title), entries.map(made));
  show(place,
    h("p", h("a", { href: "#memories" }, `← ${t("memories")}`)),
    h("h1", t("memory.title", { id: String(known.id) })),
    card,
    soft([t("memory.certainty", { percent: known.user_confirmed ? 100 : Math.round(known.confidence * 100) }), why.model ? t("memory.model", { model: why.model }) : t(why.versions.length ? "memory.corrected" : known.origin === "import" ? "origin.import" : "memory.own"), because(why.reason)].filter(Boolean).join(" · ")),
    part("memory.said", talks, (talk) => div("card", byDay(talk.lines))),
    part("memory.before", why.versions, (version) => quote(version.text, t("until", { day: moment(version.at) }))),
    part("memory.replaced", why.memories, (old) => quote(h("a", { href: `#memory/${old.id}` }, old.content), [t("from.to", { from: day(old.valid_from), to: old.valid_to ? day(old.valid_to) : "…" }), old.reason ? ` · ${because(old.reason)}` : ""])),
    known.superseded_by ? h("p", h("a", { href: `#memory/${known.superseded_by}` }, t("memory.by", { id: String(known.superseded_by) }))) : null,
    part("memory.answers", answers, (answer) => h("p", h("a", { href: `#why/${answer.receipt_id}/${answer.chat_id}` }, `${moment(answer.at)} · ${asked(answer)}`))));
}

/* Adds a heading for each day, because neighboring messages may have been sent weeks apart. */
function byDay(lines) {
  return lines.map((line, i) => [i && day(lines[i - 1].at) === day(line.at) ? null : h("h3", day(line.at)), said(line)]);
}

export function said(line) {
  return div("said", h("time", { dateTime: line.at }, clock(line.at)), written("p", { className: line.source ? "quote source" : "quote" }, h("strong", `${line.speaker ?? t(`role.${line.role}`)}: `), line.text));
}
