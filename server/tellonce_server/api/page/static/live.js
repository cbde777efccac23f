/* Draws the screen again after changes that others made, without taking anything from the person. */

import { follow } from "./client.js";

/* What a new drawing would remove: an undo, typed text, ticks, opened parts, later pages of a list. */
const HELD = "dialog, .note:not([hidden]) [aria-keyshortcuts], main[aria-busy=true], main :is(textarea, progress, details[open], input:checked, [type=range], select:focus, [data-opened], .part + .part)";

function busy() {
  return document.querySelector(HELD) || !getSelection().isCollapsed || [...document.querySelectorAll("main form input"), document.activeElement].some((x) => x.value);
}

/* `draw` draws the screen of a name again and returns it, or returns null if the screen must stay as it is. If no screen is shown, `retry` is called. */
export function keepFresh(main, draw, retry) {
  let waiting;
  let touched;
  const later = () => { clearTimeout(waiting); waiting = setTimeout(refresh, 400); };
  async function refresh() {
    const shown = main.querySelector(".screen");
    if (document.hidden || busy()) return later();
    touched = false;
    const fresh = shown ? await draw(shown.dataset.screen) : retry();
    if (fresh && shown.isConnected && fresh.textContent !== shown.textContent) touched || busy() ? later() : replace(shown, fresh);
  }
  for (const kind of ["input", "click"]) main.addEventListener(kind, () => { touched = true; });
  follow(later);
}

/* Replaces the screen. The entry at the top of the window keeps its position, and the focus stays in its entry or field. */
function replace(shown, fresh) {
  const entry = (x) => x && fresh.querySelector(`[data-memory="${x.dataset.memory}"]`);
  const top = (x) => x.getBoundingClientRect().top;
  const first = scrollY && [...shown.querySelectorAll("[data-memory]")].find((x) => top(x) > 0 && entry(x));
  const was = first && top(first);
  const now = document.activeElement;
  const focused = entry(now.closest("[data-memory]"))?.querySelector("a");
  shown.replaceWith(fresh);
  if (first) scrollBy(0, top(entry(first)) - was);
  (focused ?? (now.id && document.getElementById(now.id)))?.focus?.({ preventScroll: true });
}
