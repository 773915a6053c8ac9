// The URL of the next page is found in a Link header.
import assert from "node:assert/strict";
import { nextLink } from "../../../src/ingest/fetch/link_header.ts";

Deno.test("nextLink() finds the next page (RFC 8288), and ignores similar relations", () => {
  const cases: [header: string, next: string | null][] = [
    ["", null],
    ['<https://a.example/?page=2>; rel="next"', "https://a.example/?page=2"],
    ["<?page=2>;rel=next", "?page=2"],
    ["<?page=2> ; REL = NEXT", "?page=2"],
    ['<?page=1>; rel="prev", <?page=3>; rel="next", <?page=9>; rel="last"', "?page=3"],
    ['<?page=2>; rel="last next"', "?page=2"],
    ['<?page=2>; title="one, two; three"; rel="next"', "?page=2"],
    ['<?a>; title="\\"; rel=next"; rel="prev", <?b>; rel=next', "?b"],
    ["<?ids=1,2,3>; rel=next", "?ids=1,2,3"],
    ["<?page=2>; rel=next; foo", "?page=2"],
    // Other relations (RFC 5005 and extensions), second `rel` parameters, and invalid links.
    ['<?old>; rel="next-archive"', null],
    ['<?x>; rel="https://a.example/next"', null],
    ['<?x>; rel="prev"; rel="next"', null],
    ['<?x>; rev="next"', null],
    ['<?x>; title="next"', null],
    ["?page=2; rel=next", null],
    ['<?page=2; rel="next"', null],
  ];
  for (const [header, next] of cases) assert.equal(nextLink(header), next, header);
});
