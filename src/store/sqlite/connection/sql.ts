// SQL with the values that it takes, written where they are used.
import type { SupportedValueType } from "node:sqlite";

/** A value of a statement. */
export type Value = SupportedValueType;

/** A statement, or a part of one, with its values in order. Only {@link sql} and constants of the code make its text. */
export class Sql {
  constructor(readonly text: string, readonly values: readonly Value[] = []) {}
}

/** A template of SQL: an {@link Sql} is inserted as text, every other value is bound as a parameter. */
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
