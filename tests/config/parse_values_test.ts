// The parsers of config values accept valid values and explain invalid ones.
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

/** Checks rows. Each consists of a text and either its parsed value or a RegExp that the problem must match. */
function check<T>(
  read: (text: string) => Reading<T>,
  rows: readonly (readonly [string, T | RegExp])[],
): void {
  for (const [text, expected] of rows) {
    const reading = read(text);
    const row = JSON.stringify(text);
    if (expected instanceof RegExp) {
      assert.ok("problem" in reading, `${row} was parsed as ${JSON.stringify(reading)}`);
      assert.match(reading.problem, expected, row);
    } else assert.deepEqual(reading, { value: expected }, row);
  }
}

Deno.test("readListen() parses an address with a port and explains the valid forms", () => {
  check(readListen, [
    ["127.0.0.1:8080", { hostname: "127.0.0.1", port: 8080 }],
    ["[::1]:8080", { hostname: "::1", port: 8080 }],
    [":8080", { hostname: "0.0.0.0", port: 8080 }],
    ["0.0.0.0:0", { hostname: "0.0.0.0", port: 0 }],
    ["[::]:65535", { hostname: "::", port: 65535 }],
    ["localhost:80", { hostname: "localhost", port: 80 }],
    ["feed-1.example.org:80", { hostname: "feed-1.example.org", port: 80 }],
    ["8080", /use ":8080"/],
    ["::1:8080", /IPv6 address without brackets/],
    ["127.0.0.1:65536", /port 65536; the maximum is 65535/],
    ["127.0.0.1", /use ADDRESS:PORT/],
    ["127.0.0.1:", /use ADDRESS:PORT/],
    ["127.0.0.1:http", /use ADDRESS:PORT/],
    ["", /use ADDRESS:PORT/],
    ["256.0.0.1:80", /not have a valid address or host name: "256\.0\.0\.1"/],
    ["127.1:80", /not have a valid address or host name/],
    ["[127.0.0.1]:80", /valid IPv6 address in the brackets/],
    ["[]:80", /valid IPv6 address in the brackets/],
    ["http://localhost:80", /use ADDRESS:PORT/],
    ["-a:80", /not have a valid address or host name/],
    ["a b:80", /not have a valid address or host name/],
  ]);
  assert.equal(formatListen({ hostname: "::1", port: 80 }), "[::1]:80");
  assert.equal(formatListen({ hostname: "0.0.0.0", port: 80 }), "0.0.0.0:80");
});

Deno.test("readUrl() accepts absolute http and https URLs without user names", () => {
  check(readUrl, [
    ["https://example.org/feed.xml", "https://example.org/feed.xml"],
    ["http://127.0.0.1:9/a?b=%5B%5D", "http://127.0.0.1:9/a?b=%5B%5D"],
    ["HTTPS://Example.org", "https://example.org/"],
    ["https://example.org/a#part", "https://example.org/a"],
    ["example.org/feed", /not a valid URL: "example\.org\/feed"; include "https:\/\/"/],
    ["", /not a valid URL/],
    ["/feed", /not a valid URL/],
    ["https://", /not a valid URL/],
    ["ftp://example.org", /starts with "ftp:"/],
    ["file:///etc/passwd", /starts with "file:"/],
    ["https://user:hush@example.org", /user name or password/],
  ]);
});

Deno.test("readSiteUrl() keeps the URL unchanged", () => {
  check(readSiteUrl, [
    ["https://www.example.org", "https://www.example.org"],
    ["https://www.example.org/dir/", "https://www.example.org/dir/"],
    ["www.example.org", /not a valid URL/],
  ]);
});

Deno.test("readPublicUrl() returns a URL to which paths can be appended", () => {
  check(readPublicUrl, [
    ["https://feed.example.org", "https://feed.example.org"],
    ["https://feed.example.org/", "https://feed.example.org"],
    ["https://example.org/feed/", "https://example.org/feed"],
    ["https://example.org/?a=1", /has a query/],
    ["example.org", /not a valid URL/],
  ]);
});

Deno.test("readCidr() returns a CIDR in canonical form", () => {
  check(readCidr, [
    ["10.0.0.0/8", "10.0.0.0/8"],
    ["127.0.0.1/8", "127.0.0.0/8"],
    ["192.168.1.7/32", "192.168.1.7/32"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["fd00::/8", "fd00::/8"],
    ["fe80::1/10", "fe80::/10"],
    ["::1/128", "::1/128"],
    ["FD00:0:0::1/64", "fd00::/64"],
    ["10.0.0.1", /a single address: write "10\.0\.0\.1\/32"/],
    ["::1", /write "::1\/128"/],
    ["10/8", /not a valid CIDR: "10\/8"/],
    ["10.0.0.0/33", /use \/0 to \/32/],
    ["::/129", /use \/0 to \/128/],
    ["10.0.0.0/", /use \/0 to \/32/],
    ["10.0.0.0/-1", /use \/0/],
    ["10.0.0.0/8/8", /not a valid CIDR/],
    ["010.0.0.0/8", /not a valid CIDR/],
    ["300.0.0.0/8", /not a valid CIDR/],
    ["fe80::1%eth0/64", /not a valid CIDR/],
    ["::ffff:10.0.0.0/104", /write it as IPv4/],
    ["localhost/8", /not a valid CIDR/],
    ["", /not a valid CIDR/],
  ]);
});

Deno.test("readDuration() parses integers of ms, s, m, h and d within bounds", () => {
  check((text) => readDuration(text, { minMs: 500, maxMs: 3_600_000 }), [
    ["500ms", 500],
    ["15s", 15_000],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["15", /not a valid duration: "15"; use an integer and ms, s, m, h or d, such as "15s"/],
    ["15 s", /not a valid duration/],
    ["1.5s", /not a valid duration/],
    ["-5s", /not a valid duration/],
    ["15S", /not a valid duration/],
    ["1w", /not a valid duration/],
    ["1d", /is 1d: use 500ms to 1h/],
    ["", /not a valid duration/],
    ["499ms", /is 499ms: use 500ms to 1h/],
    ["61m", /is 61m: use 500ms to 1h/],
  ]);
  const formatted = [0, 1, 1_500, 90_000, 7_200_000, 172_800_000].map(formatDuration);
  assert.deepEqual(formatted, ["0ms", "1ms", "1500ms", "90s", "2h", "2d"]);
});

Deno.test("readSchedule() accepts cron expressions of five or six fields that have a next run", () => {
  check(readSchedule, [
    ["*/30 * * * *", "*/30 * * * *"],
    ["  5  4 * *   MON-FRI ", "5 4 * * MON-FRI"],
    ["0 0 29 2 *", "0 0 29 2 *"],
    ["*/10 * * * * *", "*/10 * * * * *"],
    ["* * * *", /does not have 5 \(or 6\) fields/],
    ["", /does not have 5/],
    ["@daily", /does not have 5/],
    ["0 0 0 1 1 * 2020", /does not have 5/],
    ["61 * * * *", /Invalid value for minute: 61/],
    ["a b c d e", /not a valid cron expression/],
    ["? * * * *", /contains "\?"/],
    ["0 0 31 2 *", /never runs/],
  ]);
});

Deno.test("readTimezone() accepts IANA names", () => {
  check(readTimezone, [
    ["Europe/Berlin", "Europe/Berlin"],
    ["UTC", "UTC"],
    ["America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"],
    ["Europe/Berln", /not a valid time zone: "Europe\/Berln".*Did you mean "Europe\/Berlin"\?/],
    ["europe-brussels", /Did you mean "Europe\/Brussels"\?/],
    ["+01:00", /not a valid time zone/],
    ["", /not a valid time zone/],
    ["Mars/Olympus", /not a valid time zone.*such as "Europe\/Berlin"\.$/],
  ]);
});

Deno.test("readLanguage() accepts two-letter codes of ISO 639-1", () => {
  check(readLanguage, [
    ["en", "en"],
    ["de", "de"],
    ["mt", "mt"],
    ["EN", /Did you mean "en"\?/],
    ["de-DE", /Did you mean "de"\?/],
    ["german", /not a valid language code: "german".*such as "de"\.$/],
    ["xx", /not a valid language code.*such as "de"\.$/],
    ["eng", /not a valid language code/],
    ["", /not a valid language code/],
  ]);
});

Deno.test("readSourceId() accepts kebab-case of up to 64 characters", () => {
  check(readSourceId, [
    ["eu-edpb-news", "eu-edpb-news"],
    ["a", "a"],
    ["2-b", "2-b"],
    ["a".repeat(64), "a".repeat(64)],
    ["a".repeat(65), /has 65 characters; the maximum is 64/],
    ["EU-edpb", /lower-case letters/],
    ["eu_edpb", /lower-case letters/],
    ["-eu", /single hyphens between/],
    ["eu-", /single hyphens between/],
    ["eu--edpb", /single hyphens between/],
    ["é", /letters a to z/],
    ["", /cannot be ""/],
  ]);
});

Deno.test("readUserAgent() accepts header values with known placeholders", () => {
  check(readUserAgent, [
    ["Regfeed/{version} (+{public_url})", "Regfeed/{version} (+{public_url})"],
    ["mine", "mine"],
    ["", /identifies the client/],
    [" x", /line of printable ASCII/],
    ["a\nb", /line of printable ASCII/],
    ["Prüfer", /line of printable ASCII/],
    ["{versoin}", /contains "\{versoin\}": only \{version\}, \{public_url\} and \{contact\}/],
  ]);
});

Deno.test("readContact() accepts email addresses and URLs", () => {
  check(readContact, [
    ["feeds@example.org", "feeds@example.org"],
    ["https://example.org/about-our-fetching", "https://example.org/about-our-fetching"],
    ["ask us", /not a valid contact: "ask us"; use an email address or a URL/],
    ["feeds@localhost", /not a valid contact/],
    ["https://example.org/a)b", /not a valid contact/],
    ["feeds@example.org\nx: y", /not a valid contact/],
    ["", /not a valid contact/],
  ]);
});

Deno.test("readName(), readPath() and readVariable() reject invalid values", () => {
  const refused = (texts: string[], problem: RegExp) => texts.map((text) => [text, problem] as const);
  check(readName, [["  a b ", "a b"], ...refused(["", " ", "a\nb", "a\u0000"], /one line/)]);
  check(readPath, [
    ["data/regfeed.db", "data/regfeed.db"],
    ...refused(["", "  ", "a\0"], /not a valid path/),
  ]);
  check(readVariable, [["A_1", "A_1"], ...refused(["", "1A", "Bearer x", "A=B"], /not a valid env/)]);
});
