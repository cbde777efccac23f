/* Connects the page to the server by MCP calls: over HTTP, or through a host that shows the page as an MCP App. */

import { learn, said, t } from "./words.js";

const VERSION = "2026-07-28";
const ABOUT = { name: "memory-page", version: "1" };
const TEXTS = "tellonce/texts";

/* The server refused a call; the text says what to do. */
export class Refused extends Error {
  constructor(text, meta) {
    super(said(text, meta?.[TEXTS]?.[0]));
  }
}

/* Nobody is signed in. The text says why a code was not accepted; the catalogue is not loaded yet. */
export class SignedOut extends Error {
  constructor(text = "", meta) {
    super(text);
    this.meta = meta;
  }

  reason() {
    return said(this.message, this.meta?.[TEXTS]?.[0]);
  }
}

export function sentence(error) {
  if (error instanceof Refused) return error.message;
  return t(error instanceof SignedOut ? "signin.again" : "unreachable");
}

let number = 0;

const CODE = /^#code=([\w-]+)$/;

export class Http {
  hosted = false;

  async load(language) {
    return (await fetch(`/page/strings/${language}.json`)).json();
  }

  /* Exchanges the code in the address for a session. The code is removed from the address first. If a tab that already shows the page gets such an address, only the part after # changes, so the page is loaded again. */
  async signIn() {
    addEventListener("hashchange", () => { if (CODE.test(location.hash)) location.reload(); });
    const code = CODE.exec(location.hash)?.[1];
    if (!code) return;
    history.replaceState(null, "", "/");
    await post("session", code, SignedOut);
  }

  /* `told` gets the method and the parameters of each notification that arrives before the result. */
  async request(method, params, told, signal) {
    const id = ++number;
    const meta = {
      "io.modelcontextprotocol/protocolVersion": VERSION,
      "io.modelcontextprotocol/clientInfo": ABOUT,
      "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } },
    };
    if (told) meta.progressToken = id;
    const response = await fetch("/mcp", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", "MCP-Protocol-Version": VERSION, "Mcp-Method": method, "Mcp-Name": params.name ?? "" },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta: meta } }),
      signal,
    });
    if (response.status === 401) throw new SignedOut();
    const streamed = response.headers.get("content-type")?.startsWith("text/event-stream");
    const message = streamed ? await lastOf(response, id, told) : await response.json();
    if (message.error) throw new Refused(message.error.message ?? String(message.error), message.error.data);
    return message.result;
  }
}

/* Sends a body to one of the page's own routes, and reports progress, which fetch cannot do. Throws `Failed` with the server's reason. */
export function post(route, body, Failed = Refused, onProgress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const refuse = ({ error, _meta }) => reject(new Failed(error, _meta));
    if (onProgress) request.upload.onprogress = ({ loaded, total }) => onProgress({ progress: loaded, total });
    request.onload = () => (request.status < 300 ? resolve : refuse)(request.response);
    request.onerror = reject;
    request.responseType = "json";
    request.open("POST", `/page/${route}`);
    request.send(body);
  });
}

/* Reads server-sent events until the response arrives. */
async function lastOf(response, id, told) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the connection was lost before the answer");
    text += value.replaceAll("\r\n", "\n");
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const data = text.slice(0, end).split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
      text = text.slice(end + 2);
      const message = data.trim() ? JSON.parse(data) : {};
      if (message.method) told?.(message.method, message.params);
      if (message.id === id) return message;
    }
  }
}

/* JSON-RPC with the host by postMessage (MCP Apps, version 2026-01-26). Messages from other windows are ignored. */
export class Hosted {
  hosted = true;
  #waiting = new Map();
  #listeners = new Map();

  constructor(strings) {
    this.strings = strings;
    addEventListener("message", (event) => { if (event.source === window.parent) this.#receive(event.data); });
  }

  async load(language) {
    return this.strings[language];
  }

  on(method, listener) {
    this.#listeners.set(method, listener);
  }

  async signIn() {
    const result = await this.request("ui/initialize", { protocolVersion: "2026-01-26", appInfo: ABOUT, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] } });
    this.context = result.hostContext ?? {};
    this.#post({ method: "ui/notifications/initialized", params: {} });
    new ResizeObserver(() => this.#post({ method: "ui/notifications/size-changed", params: { width: document.documentElement.scrollWidth, height: Math.ceil(document.body.getBoundingClientRect().height) } })).observe(document.body);
  }

  request(method, params) {
    const id = ++number;
    this.#post({ id, method, params });
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #post(message) {
    window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  #receive(message) {
    if (message?.jsonrpc !== "2.0") return;
    if (message.method === undefined) {
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error) waiting?.reject(new Refused(message.error.message));
      else waiting?.resolve(message.result);
    } else if (message.id !== undefined) this.#post({ id: message.id, result: {} });
    else this.#listeners.get(message.method)?.(message.params);
  }
}

let link;

export function connect(made) {
  link = made;
}

export function isHosted() {
  return link.hosted;
}

/* Calls a tool and returns its structured result. Throws Refused. */
export async function call(name, args = {}, onProgress) {
  const told = onProgress && ((method, params) => method === "notifications/progress" && onProgress(params));
  const result = await link.request("tools/call", { name, arguments: args }, told);
  if (result.isError) throw new Refused(result.content.map((part) => part.text).join(" "), result._meta);
  learn(result._meta?.["tellonce/reasons"]);
  return translated(result.structuredContent, result._meta?.[TEXTS]);
}

const CHANGES = { notifications: { resourceSubscriptions: ["memory://profile", "memory://chats"] } };

/* Calls `changed` after changes of the memory, when the page becomes visible, and when the stream begins. A hidden page closes its stream, because a browser opens few connections. */
export function follow(changed) {
  let stream;
  const wait = () => new Promise((resolve) => setTimeout(resolve, 3000));
  async function listen() {
    const { signal } = (stream = new AbortController());
    while (!signal.aborted) {
      await link.request("subscriptions/listen", CHANGES, changed, signal).catch((error) => error instanceof SignedOut && stream.abort());
      if (!signal.aborted) await wait().then(changed);
    }
  }
  const turn = () => {
    stream?.abort();
    if (!document.hidden && !link.hosted) listen();
  };
  addEventListener("visibilitychange", () => { turn(); changed(); });
  turn();
}

/* The result with its notes in the reader's language. */
function translated(result, sent) {
  return result.notes && sent ? { ...result, notes: result.notes.map((note, i) => said(note, sent[i])) } : result;
}
