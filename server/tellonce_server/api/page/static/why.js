/* The screen "Why": the latest answers, and the context that the model was shown for each, by section. */

import { call } from "./client.js";
import { button, div, h, show, soft, written } from "./dom.js";
import { moment, number, t } from "./words.js";

export async function why(place, receipt, chat) {
  const seen = await call("page_answers");
  if (receipt) return one(place, receipt, Number(chat), seen);
  const rows = h("ul", { className: "list" }, seen.answers.map(line));
  const more = button(t("more"), async () => {
    const next = await call("page_answers", { before: seen.next_before });
    rows.append(...next.answers.map(line));
    seen.next_before = next.next_before;
    more.hidden = !next.next_before;
  }, { hidden: !seen.next_before });
  show(place, h("h1", t("why")), soft(t("why.what")), seen.answers.length ? rows : soft(t("why.none")), more);
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

async function one(place, receipt, chat, { answers }) {
  const answer = answers.find((x) => x.receipt_id === receipt);
  const seen = await call("explain", { receipt_id: receipt, ...(chat ? { chat_id: chat } : {}) });
  show(place, h("p", h("a", { href: "#why" }, `← ${t("why")}`)), written("h1", null, asked(answer)),
    soft(moment(seen.at)),
    h("h2", t("why.shown")), seen.sections.map((section) => shown(section, answer?.budgets[section.name])),
    h("h2", t("why.left")), seen.left_out.length ? h("ul", seen.left_out.map((x) => h("li", x))) : soft(t("why.nothing.left")));
}

/* A section without a budget, such as the time, has no bar. */
function shown(section, budget) {
  const most = Math.max(section.tokens, budget ?? 0, 1);
  const bar = budget === undefined ? null : h("svg", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" }, h("rect", { width: (100 * budget) / most, height: 4 }), h("rect", { width: (100 * section.tokens) / most, height: 4 }));
  return h("details", { "data-section": section.name },
    h("summary", h("span", { className: "meter" }, h("span", t(`section.${section.name}`)), bar, h("span", bar ? t("tokens.of", { tokens: section.tokens, budget }) : t("tokens", { tokens: section.tokens })))),
    written("pre", { tabIndex: 0, "aria-label": t(`section.${section.name}`) }, section.text));
}
