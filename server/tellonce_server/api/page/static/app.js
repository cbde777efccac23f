/* Starts the page: signs in, chooses the language, and shows the screen that the address names. */

import { address, followLinks, go } from "./address.js";
import { Hosted, Http, Refused, SignedOut, connect, refusal } from "./client.js";
import { data } from "./data.js";
import { ask, div, h, icon, note, show, table } from "./dom.js";
import { forget, preview } from "./forget.js";
import { memories } from "./memories.js";
import { memory } from "./memory.js";
import { timeline } from "./timeline.js";
import { today } from "./today.js";
import { why } from "./why.js";
import { speak, t } from "./words.js";

const SCREENS = { today, memories, memory, timeline, why, forget, data };
/* The screens in the rail, in the order of their keys. A host shows no data screen, which belongs to the operator. */
let RAIL = ["today", "memories", "timeline", "why", "forget", "data"];

const main = h("main", { tabIndex: -1, id: "main" });
const rail = h("nav");

function drawRail(current) {
  const links = RAIL.map((name, i) => h("a", { href: `#${name}`, className: name === "data" ? "last" : "", "aria-current": current === name ? "page" : null, title: `${t(name)} (${i + 1})` }, icon(name), t(name)));
  rail.setAttribute("aria-label", t("rail"));
  show(rail, h("strong", "Tellonce"), links);
  // On a phone the rail is a strip that scrolls.
  rail.scrollLeft = (rail.querySelector("[aria-current]")?.offsetLeft ?? 0) - 40;
}

/* The number of the latest navigation. A screen that loads slowly is not shown if the user has left it meanwhile. */
let turn = 0;

async function route() {
  const mine = ++turn;
  const [name, ...parts] = address().split("/").map(decodeURIComponent);
  const screen = SCREENS[name] ?? today;
  drawRail(name === "memory" ? "memories" : name in SCREENS ? name : "today");
  document.title = `${t(RAIL.includes(name) ? name : "memories")} · Tellonce`;
  const place = h("div", { className: "screen", "data-screen": name });
  const failed = await attempt(() => screen(place, ...parts));
  if (mine !== turn) return;
  show(main, failed ?? place);
  main.dataset.shown = address();
  // No field gets the focus, so that the keys for other screens still work.
  if (failed || mine > 1) main.focus({ preventScroll: true });
  scrollTo(0, 0);
}

/* Runs the action. Returns null on success, otherwise an element that describes the error. */
async function attempt(act) {
  try {
    await act();
    return null;
  } catch (error) {
    return trouble(error);
  }
}

function trouble(error) {
  if (error instanceof SignedOut) return signedOut(error.sent);
  const text = error instanceof Refused ? error.message : t("unreachable");
  return h("div", { className: "card", role: "alert" }, h("p", { className: "bad" }, text), h("button", { type: "button", onclick: route }, t("again")));
}

/* Shows the error of a failed action without changing the screen. */
function report(error) {
  if (error instanceof SignedOut) show(main, signedOut());
  else note(error instanceof Refused ? error.message : t("unreachable"));
}

function signedOut(sent) {
  return h("div", { className: "card", role: "alert" }, h("h1", t("signin")), sent ? h("p", refusal(sent)) : null, h("p", t("signin.how")), h("pre", "tellonce open"));
}

function keys(event) {
  if (event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  const screen = RAIL[Number(event.key) - 1];
  const own = { "/": () => { go("memories"); setTimeout(() => document.getElementById("search")?.focus(), 150); }, e: () => document.querySelector(`[data-edit] [aria-label="${t("edit")}"]`)?.click(), u: () => document.querySelector("[data-undo]")?.click(), "?": help };
  const act = screen ? () => { go(screen); } : own[event.key];
  if (!act) return;
  event.preventDefault();
  act();
}

function help() {
  const rows = [[`1–${RAIL.length}`, "keys.screens"], ["/", "search"], ["j k ↓ ↑", "keys.move"], ["Enter", "keys.open"], ["e", "edit"], ["p", "pin"], ["x", "keys.select"], ["Delete", "forget"], ["u", "undo"]];
  ask(t("keys"), table(rows.map(([key, what]) => [key, t(what)])), t("close"));
}

/* In a host, shows the forget preview that the model has just requested. */
function follow(link) {
  link.on("ui/notifications/tool-input", ({ arguments: args }) => { link.input = args ?? {}; });
  link.on("ui/notifications/tool-result", ({ structuredContent: found }) => {
    if (found?.confirm && found.matches) showPreview(link.input ?? {}, found);
  });
  link.on("ui/notifications/host-context-changed", theme);
}

async function showPreview(args, found) {
  const mine = ++turn;
  drawRail("forget");
  const place = h("div", { className: "screen", "data-screen": "forget" });
  await preview(place, args, args.topic ?? args.literal ?? t("forget.word"), found);
  if (mine === turn) show(main, h("h1", t("forget")), place);
}

function theme(context) {
  if (context?.theme) document.documentElement.dataset.theme = context.theme;
}

async function begin() {
  const embedded = document.getElementById("strings");
  const link = embedded ? new Hosted(JSON.parse(embedded.textContent)) : new Http();
  connect(link);
  if (embedded) { RAIL = RAIL.filter((name) => name !== "data"); document.body.className = "app"; follow(link); }
  const error = await link.signIn().then(() => null, (reason) => reason);
  theme(link.context);
  await speak((language) => link.load(language), [link.context?.locale, ...navigator.languages].filter(Boolean));
  document.getElementById("page").append(div("frame", rail, main));
  addEventListener("hashchange", route);
  addEventListener("keydown", keys);
  followLinks();
  addEventListener("unhandledrejection", (event) => { event.preventDefault(); report(event.reason); });
  if (error) { drawRail("today"); show(main, trouble(error)); } else if (turn === 0) await route();
}

begin();
