// The selectors of sources: whether the engine that reads pages takes them. It is loaded only where there are any.
import { ITEM_FIELDS } from "../domain/reading.ts";
import type { KeyPath } from "./key_lines.ts";
import { type KeyProblem, quote } from "./problems.ts";
import { sourceTables } from "./check_sources.ts";

/** The keys that are selectors, by the table that they stand in. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  html: ["item", ...ITEM_FIELDS, "next"],
  sitemap: ITEM_FIELDS,
};

interface PlacedSelector {
  path: KeyPath;
  selector: string;
}

/** What is wrong with the selectors of a raw document; what is no text, or blank, is not looked at. */
export async function findSelectorProblems(document: Record<string, unknown>): Promise<KeyProblem[]> {
  const selectors = selectorsOf(document);
  if (selectors.length === 0) return [];
  const { compile } = await import("css-select");
  return selectors.flatMap(({ path, selector }) => {
    const reason = whyNoSelector(selector, compile);
    return reason === null ? [] : [{ path, message: `is no CSS selector: ${quote(selector)} (${reason})` }];
  });
}

/** Why the engine takes a selector not, or takes it for another than was meant; null when it is good. */
function whyNoSelector(selector: string, compile: (selector: string) => unknown): string | null {
  // An attribute behind it is read by us, and alone means the item itself.
  const bare = selector.replace(/@[\w:.-]+$/, "").trim();
  if (bare === "") return null;
  // The engine reads any one sign where a name begins, so that these would compile, and never find anything.
  const unquoted = bare.replace(/"[^"]*"|'[^']*'|\[[^\][]*\]|\\./g, "");
  if (unquoted.includes("@")) {
    return "@ with the name of an attribute stands at the end, and the name has no blank in it";
  }
  if (/[.#](?:[.#,>+~\s]|$)/.test(unquoted)) return "a name is missing behind a dot or a #";
  try {
    compile(bare);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function selectorsOf(document: Record<string, unknown>): PlacedSelector[] {
  return sourceTables(document).flatMap(([index, source]) =>
    Object.entries(KEYS).flatMap(([strategy, keys]) =>
      keys.flatMap((key) =>
        textsOf((source[strategy] as Record<string, unknown> | undefined)?.[key])
          .map((selector) => ({ path: ["sources", index, strategy, key], selector }))
      )
    )
  );
}

function textsOf(value: unknown): string[] {
  return [value].flat().filter((text) => typeof text === "string");
}
