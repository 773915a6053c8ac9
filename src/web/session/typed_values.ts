// The values of a query or form as sent, to fill the fields with.
import type { SentParameter } from "../../http/request_url.ts";

export class TypedValues {
  readonly #values = new Map<string, string[]>();

  constructor(sent: readonly SentParameter[] = []) {
    for (const { name, value } of sent) {
      if (value === null) continue;
      const values = this.#values.get(name);
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
  }

  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** Returns the first value of a field, or `absent`. */
  get(name: string, absent = ""): string {
    return this.#values.get(name)?.[0] ?? absent;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Returns all values of a field. A value with commas counts as several, as in the API. */
  all(name: string): string[] {
    return (this.#values.get(name) ?? []).flatMap((value) => value.split(","))
      .map((value) => value.trim()).filter((value) => value !== "");
  }

  entries(): [name: string, value: string][] {
    return [...this.#values].flatMap(([name, values]) =>
      values.map((value): [string, string] => [name, value])
    );
  }
}
