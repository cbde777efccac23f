import { h, show } from "./dom.js";
import { t } from "./words.js";

export async function data(place) {
  show(place, h("h1", t("data")));
}
