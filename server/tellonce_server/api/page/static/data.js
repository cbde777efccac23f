/* The screen "Connect and data": other programs, tokens, import, export, backups, health and cost. Only the operator
   sees it. */

import { call, post } from "./client.js";
import { ask, button, div, during, field, h, note, section, show, soft, table } from "./dom.js";
import { day, dollars, moment, monthName, number, span, t } from "./words.js";

export async function data(place) {
  const again = () => data(place);
  const setup = await call("page_setup");
  show(place, h("h1", t("data")), clients(), imports(), keep(setup, again), tokens(setup.tokens, again), health(setup), costs(setup.costs));
}

/* A separate process reads the clients' configuration files, so this section is loaded after the others. */
function clients() {
  const cards = div("cards");
  const read = () => call("page_clients");
  const draw = (found) => show(cards, found.clients.map((entry) => client(entry, async () => draw(await read()))));
  during(cards, t("client.reading"), read).then((found) => found && draw(found));
  return section(t("client.title"), soft(t("client.what")), cards);
}

function client(entry, again) {
  const act = async () => {
    if (!(await during(state, t("saving"), () => call("page_connect", { client: entry.name, undo: entry.connected })))) return;
    note(t(entry.connected ? "client.undone" : "client.done", { title: entry.title, file: entry.file }));
    await again();
  };
  const state = h("div");
  return h("details.card", { "data-client": entry.name },
    h("summary", h("strong", entry.title), entry.connected ? h("span.good", ` ✓ ${t("client.connected")}`) : null),
    entry.trouble ? h("p.bad", entry.trouble) : [soft(entry.file),
      div("row", button(t(entry.connected ? "client.undo" : "client.write"), act, { className: entry.connected ? "" : "main" }), button(t("copy"), () => copy(entry.text))),
      state, h("pre", { tabIndex: 0, "aria-label": entry.file }, entry.text)]);
}

async function copy(text) {
  await navigator.clipboard.writeText(text);
  note(t("copied"));
}

function imports() {
  const state = h("div", { "aria-live": "polite" });
  const file = h("input", { type: "file", id: "import-file", "aria-label": t("import.choose"), onchange: () => file.files[0] && plan(state, file.files[0]) });
  const over = (event, on) => { event.preventDefault(); drop.classList.toggle("over", on); };
  const drop = h("div.drop", { ondragover: (event) => over(event, true), ondragleave: (event) => over(event, false),
    ondrop: (event) => { over(event, false); if (event.dataTransfer.files[0]) plan(state, event.dataTransfer.files[0]); } }, h("p", t("import.drop")), file);
  return section(t("import.title"), drop, state);
}

/* Whether there is an uploaded file that is not imported yet. */
let waiting = false;
for (const leaving of ["hashchange", "pagehide"]) addEventListener(leaving, discard);

/* Uploads the file and shows what it contains before anything is imported. */
async function plan(state, file) {
  show(state);
  const text = t("import.reading", { file: file.name });
  waiting = true;
  const sent = await during(state, text, (told) => post("upload", file, undefined, told));
  if (sent) await look(state, text, sent.upload, null);
}

async function look(state, text, upload, me) {
  const found = await during(state, text, (told) => call("page_import", { upload, me }, told));
  if (!found) return;
  const name = h("input", { value: me ?? "" });
  const left = Object.entries(found.left_out).map(([x, n]) => `${x}: ${number(n)}`).join(", ");
  const rows = [["import.kind", found.kind], ["import.messages", number(found.messages)], ["import.mine", [number(found.mine), ...found.names].join(" · ")], ["memories", number(found.memories)],
    ["import.span", found.first && `${day(found.first)} – ${day(found.last)}`], ["import.learning", estimate(found)], ["import.unreadable", found.unreadable && number(found.unreadable)],
    ["import.left_out", left]].filter(([, value]) => value);
  show(state, h("div.card", { id: "import-plan" }, table(rows.map(([key, value]) => [t(key), value])),
    left && found.kind === "telegram" && soft(t("import.groups")),
    found.messages && !found.mine ? [h("p", t("import.who")), div("row end", field(t("import.me"), name), button(t("again"), () => look(state, text, upload, name.value.trim() || null)))] : null,
    div("row", button(t("import.go"), () => run(state, upload, me), { className: "main", id: "import-go" }), button(t("cancel"), () => { show(state); discard(); }))));
}

/* Deletes the uploaded file, which is not imported. The page may be closing, so the answer is not awaited. */
function discard() {
  if (waiting) fetch("/page/discard", { method: "POST", keepalive: true });
  waiting = false;
}

function estimate(found) {
  if (found.seconds === null) return t("import.free");
  const cost = found.price_usd ? `, ${dollars(found.price_usd)}` : "";
  return `${t("today.about", { time: span(found.seconds) })}${cost}`;
}

async function run(state, upload, me) {
  waiting = false;
  const done = await during(state, t("import.working"), (told) => call("page_import", { upload, dry_run: false, me }, told));
  if (done) show(state, h("p.good", { id: "import-done" }, [t("messages.count", { n: done.created }), t("memories.count", { n: done.memories })].join(", "), " ", t("import.added"), done.duplicates ? ` ${t("import.known", { n: done.duplicates })}` : ""));
}

function keep({ backups }, again) {
  const state = h("div");
  const now = button(t("backup.now"), async () => {
    const made = await during(state, t("backup.working"), (told) => call("page_backup", {}, told));
    if (!made) return;
    note(t("backup.done", { file: made.file }));
    await again();
  }, { id: "backup-now" });
  return section(t("keep.title"), div("row", h("a.button", { href: "/page/export", download: "tellonce-export.jsonl" }, t("export")), now), state,
    soft(t("keep.what")),
    backups.length ? h("table", backups.map((x) => h("tr", h("td", moment(x.at)), h("td", `${number(Math.ceil(x.bytes / 1e5) / 10)} MB`), h("td", h("p", x.file), button(t("download"), () => download(x.file)))))) : null);
}

/* Downloads a backup. Its address works once, within a minute, and only in this session. */
async function download(file) {
  const { ticket } = await post("ticket", file.split(/[\\/]/).pop());
  h("a", { href: `/page/backup/${ticket}`, download: "tellonce-backup.tellonce" }).click();
}

function tokens(entries, again) {
  const make = () => {
    const name = h("input", { required: true, maxLength: 64 });
    ask(t("token.new"), field(t("token.name"), name), t("token.make"), async () => {
      const made = await call("page_token", { name: name.value.trim() });
      await again();
      ask(t("token.made"), [h("p", t("token.once")), h("pre", { id: "token" }, made.token)], t("close"));
    });
  };
  const revoke = ({ name }) => () => ask(t("token.revoke"), h("p", t("token.sure", { name })), t("token.revoke"), async () => { await call("page_token", { name, revoke: true }); await again(); }, { bad: true });
  return section(t("token.title"), soft(t("token.what")),
    h("table", entries.map((entry) => h("tr", { "data-token": entry.name }, h("td", entry.name, entry.elsewhere && soft(t("token.elsewhere"))), h("td", day(entry.created_at)), h("td", entry.local ? t("token.local") : button(t("token.revoke"), revoke(entry), { className: "bad" }))))),
    h("p", button(t("token.new"), make, { id: "token-new" })));
}

function health({ health: seen, queue, database }) {
  const failed = Object.entries(seen.tasks ?? {}).filter(([, task]) => task.failures);
  const waiting = queue.kinds.reduce((sum, kind) => sum + kind.pending + kind.claimed + kind.ready, 0);
  const dead = queue.kinds.reduce((sum, kind) => sum + kind.dead, 0);
  const rows = [
    [t("health.database"), database ?? t("health.external")],
    [t("health.meaning"), meaning(seen.embeddings ?? {})],
    [t("health.queue"), t("health.jobs", { n: waiting })],
    dead ? [t("health.failed"), number(dead)] : null,
    ...failed.map(([name, task]) => [name, task.error]),
    ...queue.providers_down.map((down) => [down.model, down.reason]),
  ].filter(Boolean);
  return section(t("health.title"), h("p", { className: seen.ready && !failed.length ? "good" : "bad" }, t(seen.ready && !failed.length ? "health.good" : "health.bad")), table(rows));
}

function meaning({ ready, failed }) {
  if (ready) return t("health.on");
  return failed === "switched off" ? t("health.off") : (failed ?? t("health.loading"));
}

function costs(entries) {
  const row = (x) => h("tr", h("td", monthName(x.month)), h("td", t("cost.calls", { n: x.calls })), h("td", dollars(x.price_usd)));
  return section(t("cost.title"), entries.length ? h("table", entries.map(row)) : soft(t("cost.none")));
}
