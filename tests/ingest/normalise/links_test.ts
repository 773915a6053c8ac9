// Links become absolute URLs. URLs that identify a publication lose their tracking parameters.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { absoluteUrl, cleanUrl, cleanUrlSinglePass } from "../../../src/ingest/normalise/links.ts";

Deno.test("absoluteUrl() resolves a link against the first valid base", () => {
  const rows: [href: string, bases: (string | null)[], expected: string | null][] = [
    ["https://board.example/a", [], "https://board.example/a"],
    [" \n https://board.example/a\t", [], "https://board.example/a"],
    ["HTTPS://Board.Example/A", [], "https://board.example/A"],
    ["/a", ["https://board.example/deep/er"], "https://board.example/a"],
    ["a?b=c#d", ["https://board.example/deep/er"], "https://board.example/deep/a?b=c#d"],
    ["a", [null, "", "https://board.example/x/"], "https://board.example/x/a"],
    ["a", ["/deep/", "https://board.example/x/"], "https://board.example/deep/a"],
    ["a", ["y/", "z/", "https://board.example/"], "https://board.example/z/y/a"],
    ["a", ["https://first.example/", "https://second.example/"], "https://first.example/a"],
    ["a", ["mailto:x@y.example", "not an address", "https://board.example/"], "https://board.example/a"],
    ["//other.example/a", ["https://board.example/"], "https://other.example/a"],
    ["//other.example/a", ["http://board.example/"], "http://other.example/a"],
    ["www.board.example/a", ["https://other.example/"], "https://www.board.example/a"],
    ["https://board.example/a b/ü?q=ä", [], "https://board.example/a%20b/%C3%BC?q=%C3%A4"],
    ["https://bücher.example/", [], "https://xn--bcher-kva.example/"],
    ["https://user:secret@board.example/a", [], "https://board.example/a"],
    ["https://board.example/?a=1&amp;b=2", [], "https://board.example/?a=1&b=2"],
    ["https://board.example//press//x", [], "https://board.example//press//x"],
    ["a", [], null],
    ["/a", ["", null, "relative/only"], null],
    ["", ["https://board.example/"], null],
    ["javascript:alert(1)", ["https://board.example/"], null],
    ["mailto:a@board.example", ["https://board.example/"], null],
    ["data:text/html,x", ["https://board.example/"], null],
    ["ftp://board.example/a", ["https://board.example/"], null],
    ["urn:uuid:1", ["https://board.example/"], null],
    ["https://", ["https://board.example/"], null],
    ["https://board.example/" + "a".repeat(5000), [], null],
  ];
  for (const [href, bases, expected] of rows) {
    assert.equal(absoluteUrl(href, ...bases), expected, `${href} on ${bases.join(", ")}`);
  }
});

Deno.test("absoluteUrl() returns null or an http(s) URL without user info, and returns its own results unchanged", () => {
  fc.assert(fc.property(fc.oneof(fc.webUrl(), fc.string(), fc.webPath()), (href) => {
    const url = absoluteUrl(href, "https://board.example/x/");
    if (url === null) return;
    assert.match(url, /^https?:\/\/[^@/]+(\/|$)/);
    assert.equal(absoluteUrl(url), url);
  }));
});

Deno.test("cleanUrl() keeps the part of a URL that identifies a publication", () => {
  const rows: [url: string, expected: string][] = [
    ["https://board.example/a?utm_source=rss&utm_medium=feed", "https://board.example/a"],
    ["https://board.example/a?id=2&utm_source=rss&page=1", "https://board.example/a?id=2&page=1"],
    ["https://board.example/a?page=1&id=2", "https://board.example/a?page=1&id=2"],
    [
      "https://board.example/a?UTM_Source=x&fbclid=1&gclid=2&mc_cid=3&mc_eid=4&at_campaign=5&pk_kwd=6",
      "https://board.example/a",
    ],
    ["https://board.example/a?utmost=1", "https://board.example/a?utmost=1"],
    ["https://board.example/a?q=%C3%BC+x&b", "https://board.example/a?q=%C3%BC+x&b"],
    ["https://board.example/a?", "https://board.example/a"],
    ["https://board.example/a#", "https://board.example/a"],
    ["https://board.example/a#part-2", "https://board.example/a#part-2"],
    ["https://board.example/a#xtor=RSS-1", "https://board.example/a"],
    ["https://board.example/a?id=2#utm_source=rss&utm_medium=feed", "https://board.example/a?id=2"],
    ["https://board.example/a#page=2&at_medium=rss", "https://board.example/a#page=2"],
    ["https://board.example/a#page=2&part", "https://board.example/a#page=2&part"],
    ["https://board.example/a#at_home", "https://board.example/a#at_home"],
    ["https://board.example/#/decision?id=7&x=1", "https://board.example/#/decision?id=7&x=1"],
    ["note #xtor=RSS-1", "note #xtor=RSS-1"],
    ["http://board.example/a", "https://board.example/a"],
    ["http://board.example:80/a", "https://board.example/a"],
    ["https://board.example:443/a", "https://board.example/a"],
    ["https://board.example:8443/a", "https://board.example:8443/a"],
    ["https://BOARD.example/A", "https://board.example/A"],
    ["https://me@board.example/a;jsessionid=0A1B?x=1", "https://board.example/a?x=1"],
    ["https://board.example", "https://board.example/"],
    [" 14921 at https://www.board.example ", "14921 at https://www.board.example"],
  ];
  for (const [url, expected] of rows) {
    assert.equal(cleanUrl(url), expected, url);
    assert.equal(cleanUrl(expected), expected, `again: ${url}`);
  }
});

Deno.test("absoluteUrl() and cleanUrl() agree with the URL parser on URLs that they handle without it", () => {
  const pieces = fc.constantFrom(
    ...("https:// http:// HTTPS:// office Office .example .1 .2 1.2.3.4 0x7f xn-- xn--mnchen-3ya . .. / // /./ /../ %2e " +
      "%2E%2e a b_c ~ - ? & && = # : :443 @ utm_source=x UTM_x at_ fbclid=1 id=5 jsessionid ;jsessionid=9 é ' | ^ { \\ * ( ,")
      .split(" "),
    " ",
  );
  const addresses = fc.array(pieces, { maxLength: 9 }).map((list) =>
    `https://office.example/${list.join("")}`
  );
  const anything = fc.array(pieces, { maxLength: 9 }).map((list) => list.join(""));
  const tracking = /^(?:utm_.*|at_.*|fbclid|jsessionid)$/;
  fc.assert(
    fc.property(fc.oneof(addresses, anything), (text) => {
      const parsed = URL.parse(text.trim());
      if (parsed === null || !/^https?:$/.test(parsed.protocol) || /[@&]amp;/.test(text)) return;
      parsed.username = parsed.password = "";
      if (/^https?:/i.test(text) && !text.includes("&amp;")) {
        assert.equal(absoluteUrl(text), parsed.href, text);
      }
      const kept = parsed.search.slice(1).split("&")
        .filter((part) => part !== "" && !tracking.test(part.split("=", 1)[0]?.toLowerCase() ?? ""));
      const query = kept.length === 0 ? "" : `?${kept.join("&")}`;
      const path = parsed.pathname.replace(/;jsessionid=[^/;]*/i, "");
      const { hash } = parsed;
      assert.equal(cleanUrlSinglePass(text), `https://${parsed.host}${path}${query}${hash}`, text);
    }),
    { numRuns: 20_000 },
  );
});
