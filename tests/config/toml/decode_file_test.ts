// Config files must be UTF-8; other encodings are named.
import assert from "node:assert/strict";
import { ConfigError } from "../../../src/config/config.ts";
import { decodeConfig } from "../../../src/config/toml/decode_file.ts";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf16 = (text: string): number[] =>
  [...text].flatMap((char) => [char.charCodeAt(0) & 0xff, char.charCodeAt(0) >> 8]);

Deno.test("decodeConfig() decodes UTF-8, with and without a byte order mark", () => {
  for (const text of ["", "a", 'a = "ä…😀"\n']) {
    const bytes = new TextEncoder().encode(text);
    assert.equal(decodeConfig(bytes, "x.toml"), text);
    assert.equal(decodeConfig(new Uint8Array([0xef, 0xbb, 0xbf, ...bytes]), "x.toml"), text);
  }
});

Deno.test("decodeConfig() names another encoding and the first invalid line", () => {
  const text = 'a = 1\nb = "Aufsichtsbeh\u00f6rde"\n';
  const rows: [name: string, bytes: Uint8Array, expected: RegExp][] = [
    ["UTF-16 LE", new Uint8Array([0xff, 0xfe, ...utf16(text)]), /^x\.toml: is UTF-16.*save it as UTF-8/],
    ["UTF-16 BE", new Uint8Array([0xfe, 0xff, 0, 0x61]), /^x\.toml: is UTF-16/],
    ["without a mark", new Uint8Array(utf16(text)), /^x\.toml: is UTF-16/],
    ["Latin-1", latin1(text), /^x\.toml:2: is not UTF-8, possibly Latin-1.*save it as UTF-8/],
    ["Latin-1 at the end", latin1("\u00e4"), /^x\.toml:1: is not UTF-8/],
  ];
  for (const [name, bytes, expected] of rows) {
    assert.throws(() => decodeConfig(bytes, "x.toml"), (error) => {
      assert.ok(error instanceof ConfigError, name);
      assert.match(error.message, expected, name);
      return true;
    });
  }
});
