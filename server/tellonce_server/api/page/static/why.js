/* The screen "Why": the latest answers, and what each was based on. */

import { call } from "./client.js";
import { div, h, paged, section, show, soft, written } from "./dom.js";
import { listed, moment, number, t } from "./words.js";

export async function why(place, receipt, chat) {
  if (receipt) return one(place, receipt, Number(chat) || null);
  let seen;
  const rows = await paged({ className: "list" }, async (before) => {
    seen = await call("page_answers", { before });
    return [seen.answers, seen.next_before];
  }, line);
  show(place, h("h1", t("why")), soft(t(rows.querySelector("li") ? "why.what" : seen.erased ? "why.erased" : "why.none")), rows);
}

/* The question of an answer, as a heading. */
export function asked(x) {
  return !x?.question ? t("why.unknown") : x.preceded ? t("why.before", { text: x.question }) : x.question;
}

function line(x) {
  return h("li", { "data-receipt": x.receipt_id }, div("text", written("a", { href: `#why/${x.receipt_id}/${x.chat_id}` }, asked(x)),
    div("tags", h("span", moment(x.at)), h("span", x.channel), h("span", t("tokens.of", { tokens: x.tokens, budget: x.token_budget })), x.truncated ? h("span.tag.warn", t("truncated")) : null)));
}

async function one(place, receipt_id, chat_id) {
  const { answer, at, sections, shown, found, left, recalled, replies } = await call("page_answer", { receipt_id, chat_id });
  const some = (key, what, none) => (Object.keys(what).length ? h("p", t(key, { what: things(what) })) : none && h("p", t(none)));
  show(place, h("p", h("a", { href: "#why" }, `← ${t("why")}`)), written("h1", null, asked(answer)), soft(moment(at)),
    section(t("why.reply"), replies.map((x) => written("p.quote", null, x))),
    some("why.got", shown), some("why.found", found, "why.found.none"), answer && h("p", t("why.size", { tokens: answer.tokens, budget: answer.token_budget })),
    section(t("why.recalled"), lines(recalled)),
    section(t("why.left"), left.length ? left.map((x) => some(`why.${x.why}`, x.things)) : soft(t("why.nothing.left"))),
    section(t("why.shown"), sections.map((part) => drawn(part, answer?.budgets[part.name]))));
}

/* Memories, with links, and messages. */
function lines(all) {
  return all[0] && h("ul", all.map(({ memory_id: id, text }) => h("li", written(id ? "a" : "span", { href: id && `#memory/${id}` }, text))));
}

/* Numbers by kind, as one phrase. */
function things(counts) {
  return listed(Object.entries(counts).map(([kind, n]) => t(kind.includes(".") ? kind : `${kind}.count`, { n })));
}

/* A section without a budget, such as the time, has no bar. Some sections may use what others leave. */
function drawn({ name, text, tokens }, budget) {
  const none = budget === undefined, title = t(`section.${name}`);
  const most = Math.max(tokens, budget ?? 0, 1);
  const bar = none ? null : h("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, [budget, tokens].map((n) => h("rect", { width: (100 * n) / most, height: 4 })));
  return h("details", { "data-section": name },
    h("summary", h("span.meter", h("span", title), bar, h("span", t(none ? "tokens" : tokens > budget ? "tokens.more" : "tokens.of", { tokens, budget })))),
    written("pre", { tabIndex: 0, "aria-label": title }, text));
}
