// Validates the CSS selectors of sources. Loads the selector engine only if there are selectors.
import { ITEM_FIELDS } from "../../domain/source/extraction_rules.ts";
import type { KeyPath } from "../toml/key_lines.ts";
import { type KeyProblem, quote } from "../toml/problems.ts";
import { tablesOf } from "../toml/raw_document.ts";

const KEYS: Readonly<Record<string, readonly string[]>> = {
  html: ["item", ...ITEM_FIELDS, "next"],
  sitemap: ITEM_FIELDS,
};

interface PlacedSelector {
  path: KeyPath;
  selector: string;
}

/** Finds invalid selectors in a raw document. Skips values that the schema rejects. */
export async function findSelectorProblems(document: Record<string, unknown>): Promise<KeyProblem[]> {
  const selectors = selectorsOf(document);
  if (selectors.length === 0) return [];
  const { compile } = await import("css-select");
  return selectors.flatMap(({ path, selector }) => {
    const reason = whyInvalid(selector, compile);
    return reason === null
      ? []
      : [{ path, message: `is not a valid CSS selector: ${quote(selector)} (${reason})` }];
  });
}

/** Returns why a selector is invalid or certainly a mistake, or null if it is valid. */
function whyInvalid(selector: string, compile: (selector: string) => unknown): string | null {
  // `@NAME` at the end is Regfeed's syntax for an attribute. On its own, it selects an attribute of the item.
  const bare = selector.replace(/@[\w:.-]+$/, "").trim();
  if (bare === "") return null;
  // The engine accepts any character at the start of a name, so it would compile selectors that never match.
  const unquoted = bare.replace(/"[^"]*"|'[^']*'|\[[^\][]*\]|\\./g, "");
  if (unquoted.includes("@")) {
    return "@ and the name of an attribute must be at the end, without spaces";
  }
  if (/[.#](?:[.#,>+~\s]|$)/.test(unquoted)) return "the name after . or # is missing";
  try {
    compile(bare);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function selectorsOf(document: Record<string, unknown>): PlacedSelector[] {
  return tablesOf(document, "sources").flatMap(([index, source]) =>
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
