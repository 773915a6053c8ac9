// A state as shape, word and colour.
import type { Severity } from "../../domain/event/severity.ts";
import { type Html, markup } from "../html.ts";
import { icon, type Shape } from "./icon.ts";

export type Tone = "neutral" | "accent" | "good" | "warn" | "bad";

export function badge({ tone, shape, text }: { tone: Tone; shape: Shape; text: string }): Html {
  return markup`<span class="badge ${tone}">${icon(shape)}${text}</span>`;
}

const SEVERITY_LOOK: Readonly<Record<Severity, { tone: Tone; shape: Shape }>> = {
  info: { tone: "neutral", shape: "ring" },
  low: { tone: "neutral", shape: "dot" },
  medium: { tone: "accent", shape: "square" },
  high: { tone: "warn", shape: "triangle" },
  critical: { tone: "bad", shape: "octagon" },
};

/** `name` is the severity's name in the language of the page. */
export function severityBadge(severity: Severity, name: string): Html {
  return badge({ ...SEVERITY_LOOK[severity], text: name });
}
