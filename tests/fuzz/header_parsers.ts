// Parsers of the headers in the responses of sources and of customers' endpoints.
import { NetworkError } from "../../src/domain/ports/ports.ts";
import { parseRetryAfter } from "../../src/domain/http_time.ts";
import { safeResponseText } from "../../src/wire/delivery_log.ts";
import { Cookies } from "../../src/ingest/fetch/cookies.ts";
import { freshUntil } from "../../src/ingest/schedule/freshness.ts";
import { nextLink } from "../../src/ingest/fetch/link_header.ts";
import { decodeText } from "../../src/ingest/parse/decode.ts";
import { createHttpClient } from "../../src/platform/http/http.ts";
import { sayingLast, serveRaw } from "../platform/raw_server.ts";
import { type FuzzedParser, splitTokens } from "./fuzzed_parser.ts";

const NOW_MS = Date.parse("2026-08-01T10:00:00Z");
const VALUE = splitTokens(' |\t|,|;|=|"|\'|\\|\\"|a|1|-|:|/|<|>|a=b|a=b;|a="b"|, |; ');
const BODY = new TextEncoder().encode("<?xml version='1.0'?><rss></rss>");

async function receive(response: string): Promise<void> {
  await using server = serveRaw(sayingLast(response));
  const client = createHttpClient({ forWebhooks: true });
  try {
    await client.request({
      method: "POST",
      url: new URL(server.address),
      headers: {},
      addresses: ["127.0.0.1"],
      maxBodyBytes: 65_536,
      signal: AbortSignal.timeout(5_000),
    });
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error;
  } finally {
    await client.close();
  }
}

export const HEADER_PARSERS: readonly FuzzedParser[] = [
  {
    name: "Cache-Control",
    sample: 'public, max-age=600, private="a, b"',
    tokens: [...VALUE, "max-age=", "no-store", '""x'],
    read: (text) => freshUntil({ "cache-control": text }, NOW_MS),
  },
  {
    name: "Expires",
    sample: "Sun, 06 Nov 2094 08:49:37 GMT",
    tokens: [...VALUE, "Sun, ", "06 ", "Nov ", "GMT"],
    read: (text) => freshUntil({ expires: text, date: text, age: text }, NOW_MS),
  },
  {
    name: "Retry-After",
    sample: "Sunday, 06-Nov-94 08:49:37 GMT",
    tokens: [...VALUE, "Sun, ", "06", "-Nov-", "GMT"],
    read: (text) => parseRetryAfter(text, NOW_MS),
  },
  {
    name: "Content-Type",
    sample: "text/xml; boundary=a; charset=utf-8",
    tokens: [...VALUE, "charset", "charset=", ';charset="', ";charset='"],
    read: (text) => decodeText(BODY, text),
  },
  {
    name: "Link",
    sample: '<https://a.example/?page=2>; rel="next"; title="a, b", </>; rel=prev',
    tokens: [...VALUE, "<a>", "rel=", "rel=next", '; a="', ";a"],
    read: (text) => nextLink(text),
  },
  {
    name: "Set-Cookie",
    sample: "a=b; Path=/; Expires=Sun, 06 Nov 2094 08:49:37 GMT\nc=d",
    tokens: [...VALUE, "\n", "a#=b\n", "a#=b; "],
    read: (text) => {
      const cookies = new Cookies();
      cookies.take(text, new URL("https://a.example"));
      cookies.header(new URL("https://a.example"));
    },
  },
  {
    name: "response of an endpoint",
    sample:
      "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nKeep-Alive: timeout=5\r\n\r\n" +
      "5;a=b\r\nhello\r\n0\r\n\r\n",
    tokens: [
      ...VALUE,
      ...splitTokens(
        "\r\n|\n|\r|\u0000|x:|x: |a#: b\r\n|HTTP/1.1 100 Continue\r\n\r\n|1\r\na\r\n|0\r\n|chunked, |" +
          "\r\nTransfer-Encoding: |\r\nContent-Length: 1|\r\n ",
      ),
    ],
    read: receive,
  },
  {
    name: "body of an endpoint's response",
    sample: '{"status": "ok"}',
    tokens: [...VALUE, "\x1b[31m", "\u202e", "\ufffd", "\ufeff", "\ud800", "\u00e4", "\u{1f600}", "\0"],
    read: (text) => safeResponseText(text),
  },
];
