/* The page's sentences, numbers and dates in the reader's language. */

const KNOWN = ["en", "de", "es", "ru", "ja"];

let strings = {};
let language = "en";
let plural = new Intl.PluralRules("en");

export async function speak(load, wanted) {
  language = wanted.map((tag) => tag.slice(0, 2)).find((tag) => KNOWN.includes(tag)) ?? "en";
  plural = new Intl.PluralRules(language);
  strings = await load(language);
  document.documentElement.lang = language;
}

/* Returns the text of a key with the values filled in. The value `n` selects the plural form: key.one, key.few or key.other. */
export function t(key, values = {}) {
  const form = "n" in values ? (strings[`${key}.${plural.select(values.n)}`] ?? strings[`${key}.other`]) : undefined;
  const text = form ?? strings[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? (typeof values[name] === "number" ? number(values[name]) : values[name]) : whole));
}

/* The server's text in the reader's language. `sent` has its code and values; a text without a code stays English. */
export function said(text, sent) {
  const key = `server.${sent?.code}`;
  return key in strings ? t(key, sent.values) : text;
}

const reasons = new Map();

/* Keeps the parts of the reasons in a result, by the reasons' texts. */
export function learn(parts = {}) {
  for (const [text, found] of Object.entries(parts)) reasons.set(text, found);
}

/* A memory's reason in the reader's language. A model's own words stay as they are. */
export function because(text) {
  const part = ({ text, code, values }) => (`reason.${code}` in strings ? t(`reason.${code}`, { ...values, day: values.day && day(`${values.day}T00:00`) }) : text);
  return reasons.get(text)?.map(part).join(" ") ?? text;
}

/* Creating a formatter is slow, so each one is kept. */
const formatters = new Map();

function formatted(Kind, options, value) {
  const key = Kind.name + language + JSON.stringify(options);
  if (!formatters.has(key)) formatters.set(key, new Kind(language, options));
  return formatters.get(key).format(value);
}

export function number(value) {
  return formatted(Intl.NumberFormat, {}, value);
}

export function percent(share) {
  return formatted(Intl.NumberFormat, { style: "percent" }, share);
}

/* Texts as one phrase: "a, b, and c". */
export function listed(texts) {
  return formatted(Intl.ListFormat, {}, texts);
}

export function dollars(value) {
  return formatted(Intl.NumberFormat, { style: "currency", currency: "USD", maximumFractionDigits: value < 0.1 && value > 0 ? 4 : 2 }, value);
}

const date = (options, at) => formatted(Intl.DateTimeFormat, { ...options, timeZone: "UTC" }, at);

/* The server sends times in the user's configured zone. They are shown in that zone, not in the zone of the browser. */
function local(at) {
  return new Date(`${at.slice(0, 19)}Z`);
}

export function day(at) {
  return date({ dateStyle: "medium" }, local(at));
}

export function clock(at) {
  return date({ timeStyle: "short" }, local(at));
}

export function moment(at) {
  return `${day(at)}, ${clock(at)}`;
}

/* A whole day is midnight or the last minute of the day. */
export function dueTime(at) {
  return ["00:00", "23:59"].includes(at.slice(11, 16)) ? day(at) : moment(at);
}

export function monthName(name) {
  return date({ month: "long", year: "numeric" }, new Date(`${name}-01T00:00:00Z`));
}

export function span(seconds) {
  const [unit, length] = seconds < 90 ? ["second", 1] : seconds < 5400 ? ["minute", 60] : ["hour", 3600];
  return formatted(Intl.NumberFormat, { style: "unit", unit, unitDisplay: "long", maximumFractionDigits: 0 }, seconds / length);
}
