// A message about what a form did, shown once on the next page.
import { type Html, markup } from "../html.ts";
import { icon } from "./icon.ts";

export interface Toast {
  text: string;
  tone: "good" | "bad";
}

export function toastMessage({ text, tone }: Toast): Html {
  return markup`<div class="toast ${tone}" role="${tone === "bad" ? "alert" : "status"}">${
    icon(tone === "bad" ? "cross" : "check")
  }<p>${text}</p></div>`;
}
