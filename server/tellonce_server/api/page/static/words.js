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

export function number(value) {
  return new Intl.NumberFormat(language).format(value);
}

export function dollars(value) {
  return new Intl.NumberFormat(language, { style: "currency", currency: "USD", maximumFractionDigits: value < 0.1 && value > 0 ? 4 : 2 }).format(value);
}

/* The server sends times in the user's configured zone. They are shown in that zone, not in the zone of the browser. */
function local(at) {
  return new Date(`${at.slice(0, 19)}Z`);
}

export function day(at) {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" }).format(local(at));
}

export function clock(at) {
  return new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone: "UTC" }).format(local(at));
}

export function moment(at) {
  return `${day(at)}, ${clock(at)}`;
}

export function monthName(name) {
  return new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" }).format(new Date(`${name}-01T00:00:00Z`));
}

export function span(seconds) {
  if (seconds < 90) return t("span.seconds", { n: Math.round(seconds) });
  return seconds < 5400 ? t("span.minutes", { n: Math.round(seconds / 60) }) : t("span.hours", { n: Math.round(seconds / 3600) });
}
