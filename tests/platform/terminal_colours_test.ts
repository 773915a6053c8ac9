// When a terminal gets no colours.
import assert from "node:assert/strict";
import { allowsColours } from "../../src/platform/terminal_colours.ts";

Deno.test("allowsColours() refuses colours with NO_COLOR and on a dumb terminal", () => {
  const rows: [env: Record<string, string>, expected: boolean][] = [
    [{}, true],
    [{ TERM: "xterm", NO_COLOR: "" }, true],
    [{ NO_COLOR: "1" }, false],
    [{ TERM: "dumb" }, false],
  ];
  for (const [env, expected] of rows) assert.equal(allowsColours((name) => env[name]), expected);
});
