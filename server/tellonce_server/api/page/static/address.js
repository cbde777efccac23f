/* The current screen's address: the URL's fragment or, in a host's frame without a URL of its own, a variable. */

import { isHosted } from "./client.js";

let own = "";

export function address() {
  return (isHosted() ? own : location.hash.slice(1)) || "today";
}

export function go(to) {
  if (!isHosted()) location.hash = to;
  else {
    own = to;
    dispatchEvent(new Event("hashchange"));
  }
}

/* Handles clicks on links within the page, so that they work in a frame too. */
export function followLinks() {
  addEventListener("click", (event) => {
    const to = event.target.closest?.("a[href^='#']")?.getAttribute("href");
    if (!to || !isHosted()) return;
    event.preventDefault();
    go(to.slice(1));
  });
}
