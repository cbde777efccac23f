/* The screen "Why": the latest answers, and the context that the model was shown for each, by section. */

import { call } from "./client.js";
import { div, h, paged, section, show, soft, written } from "./dom.js";
import { listed, moment, number, t } from "./words.js";

export async function why(place, receipt, chat) {
  if (receipt) return one(place, receipt, Number(chat) || null);
  const rows = await paged({ className: "list" }, async (before) => {
    const { answers, next_before } = await call("page_answers", { before });
    return [answers, next_before];
  }, line);
  show(place, h("h1", t("why")), soft(t(rows.querySelector("li") ? "why.what" : "why.none")), rows);
}

/* The question of an answer, as a heading. */
export function asked(answer) {
  if (!answer?.question) return t("why.unknown");
  return answer.preceded ? t("why.before", { text: answer.question }) : answer.question;
}

function line(answer) {
  return h("li", { "data-receipt": answer.receipt_id }, div("text", written("a", { href: `#why/${answer.receipt_id}/${answer.chat_id}` }, asked(answer)),
    div("tags", h("span", moment(answer.at)), h("span", answer.channel), h("span", t("tokens.of", { tokens: answer.tokens, budget: answer.token_budget })), answer.truncated ? h("span.tag.overdue", t("truncated")) : null)));
}

async function one(place, receipt_id, chat_id) {
  const { answer, at, sections, shown, found, left, recalled } = await call("page_answer", { receipt_id, chat_id });
  const some = (key, what, none) => (Object.keys(what).length ? h("p", t(key, { what: things(what) })) : none && h("p", t(none)));
  show(place, h("p", h("a", { href: "#why" }, `← ${t("why")}`)), written("h1", null, asked(answer)), soft(moment(at)),
    some("why.got", shown), some("why.found", found, "why.found.none"), answer && h("p", t("why.size", { tokens: answer.tokens, budget: answer.token_budget })),
    section(t("why.recalled"), recalled.length ? h("ul", recalled.map((x) => h("li", written(x.memory_id ? "a" : "span", { href: x.memory_id && `#memory/${x.memory_id}` }, x.text)))) : null),
    section(t("why.left"), left.length ? left.map((x) => some(`why.${x.why}`, x.things)) : soft(t("why.nothing.left"))),
    section(t("why.shown"), sections.map((part) => drawn(part, answer?.budgets[part.name]))));
}

/* Numbers of things by kind, as one phrase. */
function things(counts) {
  return listed(Object.entries(counts).map(([kind, n]) => t(kind.includes(".") ? kind : `${kind}.count`, { n })));
}

/* A section without a budget, such as the time, has no bar. Search results may use what other sections leave, and the last messages are always shown. */
function drawn(section, budget) {
  const used = budget === undefined ? "tokens" : section.tokens > budget ? "tokens.more" : "tokens.of";
  const most = Math.max(section.tokens, budget ?? 0, 1);
  const bar = budget === undefined ? null : h("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, h("rect", { width: (100 * budget) / most, height: 4 }), h("rect", { width: (100 * section.tokens) / most, height: 4 }));
  return h("details", { "data-section": section.name },
    h("summary", h("span.meter", h("span", t(`section.${section.name}`)), bar, h("span", t(used, { tokens: section.tokens, budget })))),
    written("pre", { tabIndex: 0, "aria-label": t(`section.${section.name}`) }, section.text));
}
