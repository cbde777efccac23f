/* Builds elements. Text always becomes a text node, so the text of a memory is never parsed as markup. */

import { sentence } from "./client.js";
import { percent, t } from "./words.js";

const SVG = new Set(["svg", "path", "rect"]);

/* An element, with its classes after the tag: `p.soft`. The properties may be left out. */
export function h(kind, props, ...children) {
  const plain = props === null || typeof props !== "object" || props instanceof Node || Array.isArray(props);
  const [tag, ...classes] = kind.split(".");
  const element = SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  element.classList.add(...classes);
  if (!plain) for (const [name, value] of Object.entries(props)) set(element, name, value);
  element.append(...present(plain ? [props, ...children] : children));
  return element;
}

function present(children) {
  return children.flat(3).filter((x) => (x ?? false) !== false);
}

export function div(className, ...children) {
  return h("div", { className }, ...children);
}

export function soft(...children) {
  return h("p.soft", ...children);
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name in element && !SVG.has(element.tagName) && name !== "list") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

/* The icon of forgetting. */
export function trash() {
  return "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5";
}

/* An icon of 24 by 24 units, drawn as one line. */
export function icon(path) {
  return h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: path }));
}

/* An element for text that a person or a model wrote. The browser detects the direction of the text. */
export function written(tag, props, ...text) {
  return h(tag, { dir: "auto", ...props }, ...text);
}

export function show(place, ...children) {
  place.replaceChildren(...present(children));
}

export function button(label, onclick, props = {}) {
  return h("button", { type: "button", onclick, ...props }, label);
}

/* A button with a sign, a label for screen readers, and a key. */
export function iconButton(sign, name, key, onclick) {
  return button(h("span", { "aria-hidden": "true" }, sign), onclick, { className: "icon", title: `${t(name)} (${key})`, "aria-label": t(name), "aria-keyshortcuts": key });
}

export function table(rows) {
  return h("table", rows.map(([key, value]) => h("tr", h("th", { scope: "row" }, key), h("td", value))));
}

export function field(label, control) {
  return h("label.field", label, control);
}

export function choice(choices, value, onchange) {
  return h("select", { onchange: (event) => onchange(event.target.value) }, options(choices, value));
}

export function options(choices, value) {
  return choices.map(([key, text]) => h("option", { value: key, selected: key === value }, text));
}

/* A section with a heading. Returns null if there is nothing to show. */
export function section(title, ...children) {
  const shown = present(children);
  return shown.length ? h("section", h("h2", title), shown) : null;
}

/* A list that grows by a page as the person scrolls to its end. `read` takes a cursor, and returns the items of a page and the next cursor. */
export async function paged(props, read, draw) {
  const rows = h("div", props);
  let cursor;
  const next = async () => {
    const [items, following] = await read(cursor);
    cursor = following;
    // The browser skips parts that are off the screen, so a long list stays fast.
    const made = items.map(draw);
    rows.append(h(made[0]?.tagName === "LI" ? "ul" : "div", { className: "part" }, made));
    rows.hidden = !rows.firstChild.firstChild;
    more.hidden = !cursor;
    watch.unobserve(more);
    watch.observe(more);
  };
  let loading = Promise.resolve();
  const load = () => (loading = loading.catch(() => {}).then(next));
  const more = button(t("more"), load);
  const watch = new IntersectionObserver((seen) => { if (seen.at(-1).isIntersecting && cursor) load(); }, { rootMargin: "3000px" });
  await load();
  return h("div", rows, h("p", more));
}

/* Shows a progress bar in the place while `act` runs. If `act` fails, the place shows why, above its former contents, and the result is undefined. */
export async function during(place, text, act) {
  const before = [...place.childNodes].filter((x) => x.role !== "alert");
  const bar = h("progress", { "aria-label": text });
  const part = h("span", { "aria-hidden": "true" });
  show(place, h("p", h("span", { role: "status" }, text), " ", part), bar);
  try {
    const result = await act(({ progress, total = 100 }) => { bar.max = total; bar.value = progress; part.textContent = percent(progress / total); });
    show(place);
    return result ?? null;
  } catch (error) {
    show(place, h("p.bad", { role: "alert" }, sentence(error)), before);
  }
}

/* Asks in a dialog and then runs `act`. The dialog stays open until `act` succeeds. `act` may return a function to call after the dialog has closed. Without `act`, there is one button. */
export function ask(title, body, yes, act, { bad, ready, working } = {}) {
  const done = h("button", { className: `main ${bad ? "bad" : ""}`, disabled: Boolean(ready) }, yes);
  const state = h("div");
  const submit = async (event) => {
    event.preventDefault();
    done.disabled = true;
    const then = act ? await during(state, working ?? t("saving"), act) : null;
    if (then !== undefined) dialog.close();
    done.disabled = false;
    then?.();
  };
  const form = h("form", { onsubmit: submit }, h("h2", title), body, state, div("row", done, act ? button(t("cancel"), () => dialog.close()) : null));
  const dialog = h("dialog", { "aria-label": title, onclose: () => dialog.remove() }, form);
  if (ready) form.addEventListener("input", () => { done.disabled = !ready(); });
  document.body.append(dialog);
  dialog.showModal();
}

const box = h("div.note", { role: "status", hidden: true });
let closing;

/* Shows a message about a completed action, with a button that undoes it for one minute. */
export function note(text, undo) {
  clearTimeout(closing);
  const close = () => { box.hidden = true; show(box); };
  document.body.append(box);
  box.hidden = false;
  show(box, h("span", text), undo ? button(t("undo"), () => { close(); return undo(); }, { "aria-keyshortcuts": "u" }) : null, button("✕", close, { "aria-label": t("close") }));
  closing = setTimeout(close, undo ? 60_000 : 9_000);
}
