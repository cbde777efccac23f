/* The screen "Why": the latest answers, and the context that the model was shown for each, by section. */

import { call } from "./client.js";
import { div, h, paged, section, show, soft, written } from "./dom.js";
import { listed, moment, number, t } from "./words.js";

export async function why(place, receipt, chat) {
  if (receipt) return one(place, receipt, Number(chat) || null);
  const rows = await paged(h("ul", { className: "list" }), async (before) => {
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
    div("tags", h("span", moment(answer.at)), h("span", answer.channel), h("span", t("tokens.of", { tokens: answer.tokens, budget: answer.token_budget })), answer.truncated ? h("span", { className: "tag overdue" }, t("truncated")) : null)));
}

async function one(place, receipt, chat) {
  const [{ answers: [answer] }, seen] = await Promise.all([call("page_answers", { receipt_id: receipt }), call("explain", { receipt_id: receipt, chat_id: chat })]);
  const left = leftOut(seen.left_out);
  const lines = recalled(seen.sections);
  show(place, h("p", h("a", { href: "#why" }, `← ${t("why")}`)), written("h1", null, asked(answer)),
    soft(moment(seen.at)), shownInAll(seen, answer).map((text) => h("p", text)),
    section(t("why.recalled"), lines.length ? h("ul", lines.map((x) => h("li", x))) : null),
    section(t("why.left"), left.length ? left.map((text) => h("p", text)) : soft(t("why.nothing.left"))),
    section(t("why.shown"), seen.sections.map((part) => shown(part, answer?.budgets[part.name]))));
}

/* Sentences that say how much of what the assistant was shown. */
function shownInAll({ sections, included }, answer) {
  const counts = Object.entries(included).map(([kind, ids]) => [kind, ids.length]);
  const found = counts.filter(([kind]) => kind.startsWith("relevant "));
  const known = [...sections.filter((x) => x.name === "profile").map(() => ["section.profile", 1]), ...counts.filter((x) => !found.includes(x))];
  return [known.length ? t("why.got", { what: phrase(known) }) : null,
    found.length ? t("why.found", { what: phrase(found) }) : t("why.found.none"),
    answer ? t("why.size", { tokens: answer.tokens, budget: answer.token_budget }) : null].filter(Boolean);
}

/* Kinds of things on a receipt. Every other kind is one of memories. */
const KINDS = { message: "messages.count", summary: "summaries.count", summaries: "summaries.count", messages: "messages.count", log: "lines.count" };

/* Numbers of things by kind, as one phrase. The kind `section.…` is a whole section. */
function phrase(counts) {
  const sums = new Map();
  for (const [kind, n] of counts) {
    const key = kind.startsWith("section.") ? kind : (KINDS[kind.replace("relevant ", "")] ?? "memories.count");
    sums.set(key, (sums.get(key) ?? 0) + n);
  }
  return listed([...sums].map(([key, n]) => t(key, { n })));
}

/* The memories and search results that the assistant was shown, one line each. */
function recalled(sections) {
  const lines = sections.filter((x) => x.name === "memories" || x.name === "relevant").flatMap((x) => x.text.split("\n")).filter((x) => /^(- |\[)/.test(x));
  return lines.map((x) => {
    const number = /^(?:- |\[\w+ )#(\d+)/.exec(x)?.[1];
    return number ? written("a", { href: `#memory/${number}` }, x.slice(2)) : written("span", null, x.replace(/^- /, ""));
  });
}

/* Why things were left out, by a part of the reason on the receipt. */
const REASONS = [[/budget$/, "why.full"], [/^clipped/, "why.clipped"], [/^before/, "why.enough"]];

/* One sentence for each reason, with the numbers of things that were left out for it. The line `log 48: …` has a number of lines, others have the number of one thing. */
function leftOut(entries) {
  const reasons = new Map();
  for (const entry of entries) {
    const [, kind, id, why] = /^(\w+)(?: (\d+))?: (.*)$/.exec(entry) ?? [null, entry, "", ""];
    const key = REASONS.find(([form]) => form.test(why))?.[1] ?? why;
    reasons.set(key, [...(reasons.get(key) ?? []), id ? [kind, kind === "log" ? Number(id) : 1] : [`section.${kind}`, 1]]);
  }
  return [...reasons].map(([key, counts]) => t(key, { what: phrase(counts) }));
}

/* A section without a budget, such as the time, has no bar. Search results may use what other sections leave, and the last messages are always shown. */
function shown(section, budget) {
  const used = budget === undefined ? "tokens" : section.tokens > budget ? "tokens.more" : "tokens.of";
  const most = Math.max(section.tokens, budget ?? 0, 1);
  const bar = budget === undefined ? null : h("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, h("rect", { width: (100 * budget) / most, height: 4 }), h("rect", { width: (100 * section.tokens) / most, height: 4 }));
  return h("details", { "data-section": section.name },
    h("summary", h("span", { className: "meter" }, h("span", t(`section.${section.name}`)), bar, h("span", t(used, { tokens: section.tokens, budget })))),
    written("pre", { tabIndex: 0, "aria-label": t(`section.${section.name}`) }, section.text));
}
