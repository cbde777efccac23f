/* Builds elements. Text always becomes a text node, so the text of a memory is never parsed as markup. */

const SVG = new Set(["svg", "path", "circle", "line", "rect", "text", "g"]);

export function h(tag, props, ...children) {
  const plain = props === null || typeof props !== "object" || props instanceof Node || Array.isArray(props);
  const element = SVG.has(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
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
  return h("p", { className: "soft" }, ...children);
}

function set(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name in element && !SVG.has(element.tagName) && name !== "list") element[name] = value;
  else element.setAttribute(name, value === true ? "" : value);
}

const ICONS = {
  today: "M4 6h16v14H4zM4 10h16M8 3v5M16 3v5",
  memories: "M8 6h12M8 12h12M8 18h12M4 6h.01M4 12h.01M4 18h.01",
  timeline: "M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  why: "M9.5 9a2.5 2.5 0 1 1 3.5 2.3c-.7.4-1 1-1 1.7v.5M12 17h.01M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  forget: "M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v5M14 11v5",
  data: "M12 3v12M8 11l4 4 4-4M4 17v3h16v-3",
};

export function icon(name) {
  return h("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: ICONS[name] }));
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

/* A button with an icon, and with a label for screen readers. */
export function iconButton(sign, name, onclick, props = {}) {
  return button(h("span", { "aria-hidden": "true" }, sign), onclick, { className: "icon", title: name, "aria-label": name, ...props });
}

/* A table of pairs: heading and value. */
export function table(rows) {
  return h("table", rows.map(([key, value]) => h("tr", h("th", { scope: "row" }, key), h("td", value))));
}

export function field(label, control) {
  return h("label", { className: "field" }, label, control);
}

export function choice(options, value, onchange) {
  const made = options.map(([key, text]) => h("option", { value: key, selected: key === value }, text));
  return h("select", { onchange: (event) => onchange(event.target.value) }, made);
}

/* Asks in a dialog, whose `body` may contain fields. Resolves to whether the person confirmed. Without `no`, the dialog has one button. */
export function ask(title, body, yes, no, props = {}) {
  return new Promise((answer) => {
    const done = h("button", { className: `main ${props.bad ? "bad" : ""}`, value: "yes", disabled: Boolean(props.ready) }, yes);
    const form = h("form", { method: "dialog" }, h("h2", title), body, div("row", done, no ? h("button", { value: "", formNoValidate: true }, no) : null));
    const dialog = h("dialog", { "aria-label": title, onclose: () => { dialog.remove(); answer(dialog.returnValue === "yes"); } }, form);
    if (props.ready) form.addEventListener("input", () => { done.disabled = !props.ready(); });
    document.body.append(dialog);
    dialog.showModal();
  });
}

let closing;

/* Shows a message about a completed action, with a button that undoes it for one minute. */
export function note(text, undo) {
  clearTimeout(closing);
  document.querySelector(".note")?.remove();
  const box = h("div", { className: "note", role: "status" }, h("span", text));
  const close = () => box.remove();
  if (undo) box.append(button(undo.label, async () => { close(); await undo.act(); }, { "data-undo": "" }));
  document.body.append(box);
  closing = setTimeout(close, undo ? 60_000 : 6_000);
}
