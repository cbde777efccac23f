/* Starts the page: signs in, chooses the language, and shows the screen that the address names. */

import { address, followLinks, go } from "./address.js";
import { Hosted, Http, SignedOut, connect, isHosted, sentence } from "./client.js";
import { data } from "./data.js";
import { ask, button, h, icon, note, show, table, trash } from "./dom.js";
import { actionKeys } from "./entries.js";
import { forget, preview } from "./forget.js";
import { keepFresh } from "./live.js";
import { memories } from "./memories.js";
import { memory } from "./memory.js";
import { timeline } from "./timeline.js";
import { today } from "./today.js";
import { why } from "./why.js";
import { speak, t } from "./words.js";

const ROUND = "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z";

/* The screens by name, each with its icon in the rail, and whether it may hold unsaved work. */
const SCREENS = {
  today: [today, "M4 6h16v14H4zM4 10h16M8 3v5M16 3v5"],
  memories: [memories, "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01"],
  timeline: [timeline, `M12 7v5l3 2${ROUND}`],
  why: [why, `M9.5 9a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 1-1 1.7v.5M12 17h.01${ROUND}`],
  forget: [forget, trash(), "unsaved"],
  data: [data, "M12 3v12M8 11l4 4 4-4M4 17v3h16v-3", "unsaved"],
  memory: [memory],
};

/* The screens in the rail, in the order of their keys. A host does not show the data screen, because only the operator may use it. */
function railed() {
  return Object.keys(SCREENS).filter((name) => SCREENS[name][1] && !(name === "data" && isHosted()));
}

const main = h("main", { tabIndex: -1, id: "main" });
const rail = h("nav");

function drawRail(current) {
  const links = railed().map((name, i) => h("a", { href: `#${name}`, "aria-current": current === name ? "page" : null, title: `${t(name)} (${i + 1})` }, icon(SCREENS[name][1]), t(name)));
  rail.setAttribute("aria-label", t("rail"));
  show(rail, h("strong", "Tellonce"), links);
}

/* The number of the latest navigation. A screen that loads slowly is not shown if the user has left it meanwhile. */
let turn = 0;
let searching = false;

/* Fills an element with the screen of the address. */
async function drawScreen(place) {
  const [name, ...parts] = address().split("/").map(decoded);
  await (SCREENS[name] ?? SCREENS.today)[0](place, ...parts);
  return place;
}

function screenOf(name) {
  return h("div.screen", { "data-screen": name });
}

async function route() {
  const mine = ++turn;
  const [name] = address().split("/");
  const current = name === "memory" ? "memories" : name in SCREENS ? name : "today";
  drawRail(current);
  document.title = `${t(current)} · Tellonce`;
  main.ariaBusy = "true";
  main.dataset.wait = t("loading");
  const place = screenOf(name);
  const failed = await drawScreen(place).then(() => null, trouble);
  if (mine !== turn) return;
  show(main, failed ?? place);
  main.ariaBusy = "false";
  main.dataset.shown = address();
  // No field gets the focus, so that the keys for other screens still work.
  if (failed || mine > 1) main.focus({ preventScroll: true });
  scrollTo(0, 0);
  if (searching) document.getElementById("search")?.focus();
  searching = false;
}

/* A part that is not encoded correctly is kept as it is. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/* The screen drawn again, or null if it may hold unsaved work. */
function drawn(name) {
  return SCREENS[name]?.[2] ? null : drawScreen(screenOf(name)).catch(() => null);
}

function trouble(error) {
  return h("div.card", { role: "alert" }, error instanceof SignedOut
    ? [h("h1", t("signin")), h("p", error.reason()), h("p", t("signin.how")), h("pre", "tellonce open")]
    : [h("p.bad", sentence(error)), button(t("again"), route)]);
}

const STEPS = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 };

/* A key opens a screen, moves between the memories, or presses the button that declares it. */
function keys(event) {
  if (event.target.closest("input:not([type=checkbox]), textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
  const rows = [...document.querySelectorAll("[data-memory]")];
  const row = event.target.closest("[data-memory]") ?? (rows.length === 1 ? rows[0] : null);
  const step = STEPS[event.key];
  const next = step && rows[row ? rows.indexOf(row) + step : 0]?.querySelector("a");
  const pressed = step ? null : [document.querySelector(".bar:not([hidden])"), row, document.querySelector(".note")].map((x) => x?.querySelector(`[aria-keyshortcuts="${CSS.escape(event.key)}"]`)).find(Boolean);
  const screen = railed()[Number(event.key) - 1];
  const own = { "/": search, "?": help }[event.key];
  if (!(next || pressed || screen || own)) return;
  event.preventDefault();
  if (next) next.focus(); else if (pressed) pressed.click(); else if (screen) go(screen); else own();
}

function search() {
  searching = true;
  if (address().startsWith("memories")) route(); else go("memories");
}

function help() {
  const rows = [[`1–${railed().length}`, t("keys.screens")], ["/", t("search")], ["j k ↓ ↑", t("keys.move")], ["Enter", t("keys.open")], ["x", t("keys.select")], ...actionKeys(), ["Delete", t("forget")], ["u", t("undo")]];
  ask(t("keys"), table(rows), t("close"));
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
  const place = screenOf("forget");
  await preview(place, args, args.topic ?? args.literal ?? t("forget.word"), found);
  if (mine !== turn) return;
  show(main, h("h1", t("forget")), place);
  main.ariaBusy = "false";
}

function theme(context) {
  if (context?.theme) document.documentElement.style.colorScheme = context.theme;
}

async function begin() {
  const embedded = document.getElementById("strings");
  const link = embedded ? new Hosted(JSON.parse(embedded.textContent)) : new Http();
  connect(link);
  if (embedded) { document.body.className = "app"; follow(link); }
  const error = await link.signIn().then(() => null, (reason) => reason);
  theme(link.context);
  await speak((language) => link.load(language), [link.context?.locale, ...navigator.languages].filter(Boolean));
  document.getElementById("page").append(rail, main);
  addEventListener("hashchange", route);
  addEventListener("keydown", keys);
  followLinks();
  addEventListener("unhandledrejection", (event) => { event.preventDefault(); note(sentence(event.reason)); });
  if (error) { drawRail("today"); show(main, trouble(error)); } else if (turn === 0) await route();
  keepFresh(main, drawn, route);
}

begin();
