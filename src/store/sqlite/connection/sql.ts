// SQL templates, whose values are bound as parameters.
import type { SupportedValueType } from "node:sqlite";

export type Value = SupportedValueType;

/** A statement or fragment with its values in order. Its text comes only from {@link sql} and constants. */
export class Sql {
  constructor(readonly text: string, readonly values: readonly Value[] = []) {}
}

/** Builds SQL from a template. Inserts each {@link Sql} as text, and binds every other value as a parameter. */
export function sql(texts: TemplateStringsArray, ...parts: readonly (Value | Sql)[]): Sql {
  let text = "";
  const values: Value[] = [];
  for (const [at, part] of parts.entries()) {
    text += texts[at];
    if (part instanceof Sql) {
      text += part.text;
      values.push(...part.values);
    } else {
      text += "?";
      values.push(part);
    }
  }
  return new Sql(text + texts[parts.length], values);
}
