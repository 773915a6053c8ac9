// Tests of src/config/values.ts and listen.ts.
import assert from "node:assert/strict";
import { formatListen, readListen } from "../../src/config/listen.ts";
import {
  formatDuration,
  readCidr,
  readContact,
  readDuration,
  type Reading,
  readLanguage,
  readName,
  readPath,
  readPublicUrl,
  readSchedule,
  readSiteUrl,
  readSourceId,
  readTimezone,
  readUrl,
  readUserAgent,
  readVariable,
} from "../../src/config/parse_values.ts";

/** Rows of a text and what it is read as; a RegExp is what the problem must say. */
function check<T>(
  read: (text: string) => Reading<T>,
  rows: readonly (readonly [string, T | RegExp])[],
): void {
  for (const [text, expected] of rows) {
    const reading = read(text);
    const row = JSON.stringify(text);
    if (expected instanceof RegExp) {
      assert.ok("problem" in reading, `${row} was read as ${JSON.stringify(reading)}`);
      assert.match(reading.problem, expected, row);
    } else assert.deepEqual(reading, { value: expected }, row);
  }
}

Deno.test("readListen() reads an address with a port and says which form is wanted", () => {
  check(readListen, [
    ["127.0.0.1:8080", { hostname: "127.0.0.1", port: 8080 }],
    ["[::1]:8080", { hostname: "::1", port: 8080 }],
    [":8080", { hostname: "0.0.0.0", port: 8080 }],
    ["0.0.0.0:0", { hostname: "0.0.0.0", port: 0 }],
    ["[::]:65535", { hostname: "::", port: 65535 }],
    ["localhost:80", { hostname: "localhost", port: 80 }],
    ["feed-1.example.org:80", { hostname: "feed-1.example.org", port: 80 }],
    ["8080", /write ":8080"/],
    ["::1:8080", /IPv6 address without brackets/],
    ["127.0.0.1:65536", /port 65536: ports go from 0 to 65535/],
    ["127.0.0.1", /write ADDRESS:PORT/],
    ["127.0.0.1:", /write ADDRESS:PORT/],
    ["127.0.0.1:http", /write ADDRESS:PORT/],
    ["", /write ADDRESS:PORT/],
    ["256.0.0.1:80", /no address or host name in "256\.0\.0\.1"/],
    ["127.1:80", /no address or host name/],
    ["[127.0.0.1]:80", /no IPv6 address in the brackets/],
    ["[]:80", /no IPv6 address in the brackets/],
    ["http://localhost:80", /write ADDRESS:PORT/],
    ["-a:80", /no address or host name/],
    ["a b:80", /no address or host name/],
  ]);
  assert.equal(formatListen({ hostname: "::1", port: 80 }), "[::1]:80");
  assert.equal(formatListen({ hostname: "0.0.0.0", port: 80 }), "0.0.0.0:80");
});

Deno.test("readUrl() takes absolute http and https addresses without user names", () => {
  check(readUrl, [
    ["https://example.org/feed.xml", "https://example.org/feed.xml"],
    ["http://127.0.0.1:9/a?b=%5B%5D", "http://127.0.0.1:9/a?b=%5B%5D"],
    ["HTTPS://Example.org", "https://example.org/"],
    ["https://example.org/a#part", "https://example.org/a"],
    ["example.org/feed", /no address that can be used: "example\.org\/feed"; write it with "https:\/\/"/],
    ["", /no address/],
    ["/feed", /no address/],
    ["https://", /no address/],
    ["ftp://example.org", /begins with "ftp:"/],
    ["file:///etc/passwd", /begins with "file:"/],
    ["https://user:hush@example.org", /user name or password/],
  ]);
});

Deno.test("readSiteUrl() keeps an address as it is written", () => {
  check(readSiteUrl, [
    ["https://www.example.org", "https://www.example.org"],
    ["https://www.example.org/dir/", "https://www.example.org/dir/"],
    ["www.example.org", /no address/],
  ]);
});

Deno.test("readPublicUrl() gives an address that paths can be put behind", () => {
  check(readPublicUrl, [
    ["https://feed.example.org", "https://feed.example.org"],
    ["https://feed.example.org/", "https://feed.example.org"],
    ["https://example.org/feed/", "https://example.org/feed"],
    ["https://example.org/?a=1", /without a query/],
    ["example.org", /no address/],
  ]);
});

Deno.test("readCidr() gives a range in its canonical form", () => {
  check(readCidr, [
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["127.0.0.1/8", "127.0.0.0/8"],
    ["192.168.1.7/32", "192.168.1.7/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["fd00::/8", "fd00::/8"],
    ["fe80::1/10", "fe80::/10"],
    ["::1/128", "::1/128"],
    ["FD00:0:0::1/64", "fd00::/64"],
    ["10.0.0.1", /one address and no range: write "10\.0\.0\.1\/32"/],
    ["::1", /write "::1\/128"/],
    ["10/8", /no range of addresses: "10\/8"/],
    ["10.0.0.0/33", /goes from \/0 to \/32/],
    ["::/129", /goes from \/0 to \/128/],
    ["10.0.0.0/", /goes from \/0 to \/32/],
    ["10.0.0.0/-1", /goes from \/0/],
    ["10.0.0.0/8/8", /no range/],
    ["010.0.0.0/8", /no range/],
    ["300.0.0.0/8", /no range/],
    ["fe80::1%eth0/64", /no range/],
    ["::ffff:10.0.0.0/104", /write it as IPv4/],
    ["localhost/8", /no range/],
    ["", /no range/],
  ]);
});

Deno.test("readDuration() reads whole numbers of ms, s, m, h and d within the bounds", () => {
  check((text) => readDuration(text, { minMs: 500, maxMs: 3_600_000 }), [
    ["500ms", 500],
    ["15s", 15_000],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["15", /no duration: "15"; write a whole number and ms, s, m, h or d, such as "15s"/],
    ["15 s", /no duration/],
    ["1.5s", /no duration/],
    ["-5s", /no duration/],
    ["15S", /no duration/],
    ["1w", /no duration/],
    ["1d", /is 1d: it goes from 500ms to 1h/],
    ["", /no duration/],
    ["499ms", /is 499ms: it goes from 500ms to 1h/],
    ["61m", /is 61m: it goes from 500ms to 1h/],
  ]);
  const rows: [number, string][] = [[0, "0ms"], [1, "1ms"], [1_500, "1500ms"], [90_000, "90s"], [
    7_200_000,
    "2h",
  ], [172_800_000, "2d"]];
  for (const [ms, text] of rows) assert.equal(formatDuration(ms), text);
});

Deno.test("readSchedule() takes cron expressions of five or six fields that come due some day", () => {
  check(readSchedule, [
    ["*/30 * * * *", "*/30 * * * *"],
    ["  5  4 * *   MON-FRI ", "5 4 * * MON-FRI"],
    ["0 0 29 2 *", "0 0 29 2 *"],
    ["*/10 * * * * *", "*/10 * * * * *"],
    ["* * * *", /has 4 of 5 \(or 6\) fields/],
    ["", /has 0 of 5/],
    ["@daily", /has 1 of 5/],
    ["0 0 0 1 1 * 2020", /has 7 of 5/],
    ["61 * * * *", /Invalid value for minute: 61/],
    ["a b c d e", /no cron expression/],
    ["? * * * *", /holds a "\?"/],
    ["0 0 31 2 *", /never comes due/],
  ]);
});

Deno.test("readTimezone() takes names of the IANA database", () => {
  check(readTimezone, [
    ["Europe/Berlin", "Europe/Berlin"],
    ["UTC", "UTC"],
    ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    ["Europe/Berln", /no time zone: "Europe\/Berln".*Did you mean "Europe\/Berlin"\?/],
    ["europe-brussels", /Did you mean "Europe\/Brussels"\?/],
    ["+01:00", /no time zone/],
    ["", /no time zone/],
    ["Mars/Olympus", /no time zone.*such as "Europe\/Berlin"\.$/],
  ]);
});

Deno.test("readLanguage() takes two-letter codes of ISO 639-1", () => {
  check(readLanguage, [
    ["en", "en"],
    ["de", "de"],
    ["mt", "mt"],
    ["EN", /Did you mean "en"\?/],
    ["de-DE", /Did you mean "de"\?/],
    ["german", /no language code: "german".*such as "de"\.$/],
    ["xx", /no language code.*such as "de"\.$/],
    ["eng", /no language code/],
    ["", /no language code/],
  ]);
});

Deno.test("readSourceId() takes kebab-case up to 64 characters", () => {
  check(readSourceId, [
    ["eu-edpb-news", "eu-edpb-news"],
    ["a", "a"],
    ["2-b", "2-b"],
    ["a".repeat(64), "a".repeat(64)],
    ["a".repeat(65), /has 65 characters: 64 are allowed/],
    ["EU-edpb", /lower-case letters/],
    ["eu_edpb", /lower-case letters/],
    ["-eu", /single hyphens between/],
    ["eu-", /single hyphens between/],
    ["eu--edpb", /single hyphens between/],
    ["é", /letters a to z/],
    ["", /cannot be ""/],
  ]);
});

Deno.test("readUserAgent() takes a header's text whose placeholders can be filled in", () => {
  check(readUserAgent, [
    ["Regfeed/{version} (+{public_url})", "Regfeed/{version} (+{public_url})"],
    ["mine", "mine"],
    ["", /says who asks/],
    [" x", /line of ASCII/],
    ["a\nb", /line of ASCII/],
    ["Prüfer", /line of ASCII/],
    ["{versoin}", /holds "\{versoin\}": only \{version\}, \{public_url\} and \{contact\}/],
  ]);
});

Deno.test("readContact() takes whom one can write to", () => {
  check(readContact, [
    ["feeds@example.org", "feeds@example.org"],
    ["https://example.org/about-our-fetching", "https://example.org/about-our-fetching"],
    ["ask us", /nobody to write to: "ask us"; give a mail address, or a page/],
    ["feeds@localhost", /nobody/],
    ["https://example.org/a)b", /nobody/],
    ["feeds@example.org\nx: y", /nobody/],
    ["", /nobody/],
  ]);
});

Deno.test("readName(), readPath() and readVariable() refuse what cannot be one", () => {
  check(readName, [["  a b ", "a b"], ["", /one line/], [" ", /one line/], ["a\nb", /one line/], [
    "a\u0000",
    /one line/,
  ]]);
  check(readPath, [["data/regfeed.db", "data/regfeed.db"], ["", /no path/], ["  ", /no path/], [
    "a\0",
    /no path/,
  ]]);
  check(readVariable, [["A_1", "A_1"], ["", /no name/], ["1A", /no name/], ["Bearer x", /no name/], [
    "A=B",
    /no name/,
  ]]);
});
