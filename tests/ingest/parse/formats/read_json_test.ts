// The limits on JSON documents: the number of values and the nesting depth.
import assert from "node:assert/strict";
import { DocumentError, parseDocument } from "../../../../src/ingest/parse/document.ts";
import { bytesOf } from "../feeds.ts";

const parse = (text: string) => parseDocument(bytesOf(text), { contentType: null, maxItems: 100 });

Deno.test("parseDocument() refuses JSON with too many values or levels before parsing it", () => {
  const refused = (text: string) => {
    assert.throws(() => parse(text), (error) => {
      assert.ok(error instanceof DocumentError);
      assert.match(error.message, /^the JSON (has more than 2000000 values|has more than 1000 levels)$/);
      return true;
    });
  };
  refused("[".repeat(2_000_000));
  refused(`[${"[],".repeat(2_000_000)}[]]`);
  refused(`{"version":"https://jsonfeed.org/version/1.1","items":[${"{},".repeat(2_000_000)}{}]}`);
  refused(`{${'"a":1,'.repeat(2_000_001)}"b":1}`);
  // Characters in strings are not counted.
  const marks = `${"[{,".repeat(1_000_000)}\\"\\\\`;
  const [item] =
    parse(`{"version":"https://jsonfeed.org/version/1.1","items":[{"id":"1","title":"${marks}"}]}`).items;
  assert.equal(item?.guid, "1");
});
