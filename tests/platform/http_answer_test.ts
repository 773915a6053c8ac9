// Tests of src/platform/http_answer.ts: answers whole, in pieces, ambiguous and broken.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "npm:fast-check@4.10.2";
import { NetworkError } from "../../src/domain/ports.ts";
import { AnswerReader, MAX_HEAD_BYTES } from "../../src/platform/http_answer.ts";
import { sayingLast, serveRaw } from "./raw_server.ts";

interface Read {
  status: number;
  headers: Record<string, string>;
  body: string;
  isReusable: boolean;
}

/** What is read of these pieces, after which the connection ends; a text says what is wrong with them. */
function read(pieces: readonly Uint8Array[]): Read | string {
  let head = { status: 0, headers: {} as Record<string, string> };
  const body: Uint8Array[] = [];
  const reader = new AnswerReader({
    onHead: (given) => head = { ...given, headers: { ...given.headers } },
    onBody: (bytes) => void body.push(bytes),
  });
  try {
    for (const piece of pieces) reader.take(Buffer.from(piece));
    const isReusable = reader.isReusable;
    reader.finish();
    return { ...head, body: Buffer.concat(body).toString("latin1"), isReusable };
  } catch (error) {
    assert.ok(error instanceof NetworkError, String(error));
    return error.reason;
  }
}

const bytesOf = (text: string): Buffer => Buffer.from(text, "latin1");
/** Its bytes one by one: every place at which a network can cut it. */
const bytewise = (text: string): Uint8Array[] => Array.from(bytesOf(text), (byte) => Uint8Array.of(byte));

const OK = "HTTP/1.1 200 OK\r\n";
const NOT_HTTP = "the answer is not valid HTTP";
const BROKE_OFF = "the answer broke off";

/** Answers that every reader reads alike: status, headers, body, and whether the connection serves another request. */
const WHOLE: [string, Read][] = [
  [
    `${OK}Content-Length: 2\r\n\r\nok`,
    { status: 200, headers: { "content-length": "2" }, body: "ok", isReusable: true },
  ],
  [
    `${OK}content-length:2\t \r\nConnection: Close\r\n\r\nok`,
    { status: 200, headers: { "content-length": "2", connection: "Close" }, body: "ok", isReusable: false },
  ],
  [`${OK}\r\nall of it`, { status: 200, headers: {}, body: "all of it", isReusable: false }],
  [`HTTP/1.0 200\r\n\r\nold`, { status: 200, headers: {}, body: "old", isReusable: false }],
  [
    "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\nx",
    {
      status: 200,
      headers: { connection: "keep-alive", "content-length": "1" },
      body: "x",
      isReusable: true,
    },
  ],
  [
    `${OK}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0A ;x=1\r\n0123456789\r\n0\r\nx-trailer: y\r\n\r\n`,
    {
      status: 200,
      headers: { "transfer-encoding": "chunked" },
      body: "abc0123456789",
      isReusable: true,
    },
  ],
  ["HTTP/1.1 204 No Content\r\n\r\n", { status: 204, headers: {}, body: "", isReusable: true }],
  [
    `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${OK}content-length: 0\r\n\r\n`,
    { status: 200, headers: { "content-length": "0" }, body: "", isReusable: true },
  ],
  [
    `${OK}set-cookie: a=1; expires=Fri, 1 Jan\r\nx: 1\r\nset-cookie: b\r\nX: 2\r\ncontent-length: 0\r\n\r\n`,
    {
      status: 200,
      headers: { "set-cookie": "a=1; expires=Fri, 1 Jan\nb", x: "1, 2", "content-length": "0" },
      body: "",
      isReusable: true,
    },
  ],
  [
    `${OK}x: \xe4\xa0 \r\nconstructor: c\r\n__proto__: p\r\ncontent-length: 0\r\n\r\n`,
    {
      status: 200,
      headers: { x: "\xe4\xa0", constructor: "c", ["__proto__"]: "p", "content-length": "0" },
      body: "",
      isReusable: true,
    },
  ],
];

Deno.test("AnswerReader reads an answer, in one piece and byte by byte", () => {
  for (const [text, expected] of WHOLE) {
    assert.deepEqual(read([bytesOf(text)]), expected, text);
    assert.deepEqual(read(bytewise(text)), expected, text);
  }
});

Deno.test("AnswerReader reads what another client reads", async () => {
  for (const [text, { status, body, headers }] of WHOLE) {
    await using server = serveRaw(sayingLast(bytesOf(text)));
    const other = await fetch(server.address);
    assert.equal(other.status, status, text);
    assert.equal(await other.text(), body, text);
    assert.equal(other.headers.get("x") ?? undefined, headers["x"], text);
  }
});

Deno.test("AnswerReader takes some oddities of servers", () => {
  const rows: [string, Read][] = [
    ["\r\n\r\nHTTP/1.1 204 -\r\n\r\n", { status: 204, headers: {}, body: "", isReusable: true }],
    [
      `${OK}x: a\r\n  b\r\n\tc \r\ncontent-length: 0\r\n\r\n`,
      { status: 200, headers: { x: "a b c", "content-length": "0" }, body: "", isReusable: true },
    ],
    [
      `${OK}content-length: 1\r\ncontent-length: 1\r\n\r\nx`,
      { status: 200, headers: { "content-length": "1, 1" }, body: "x", isReusable: true },
    ],
    // What follows is nobody's: the connection is of no use any more.
    [
      "HTTP/1.1 204 No Content\r\ncontent-length: 2\r\n\r\nno",
      { status: 204, headers: { "content-length": "2" }, body: "", isReusable: false },
    ],
    [
      `${OK}content-length: 2\r\n\r\nok${OK}content-length: 6\r\n\r\nforged`,
      { status: 200, headers: { "content-length": "2" }, body: "ok", isReusable: false },
    ],
  ];
  for (const [text, expected] of rows) assert.deepEqual(read([bytesOf(text)]), expected, text);
});

Deno.test("AnswerReader refuses what is ambiguous, broken or too much, however it is cut", () => {
  const long = "a".repeat(MAX_HEAD_BYTES);
  const rows: [string, string][] = [
    ["", "connection reset"],
    ["HTTP/1.1 200 OK\r\nx: y\r\n", "connection reset"],
    ["SSH-2.0-server\r\n", NOT_HTTP],
    ["HTTP/2 200\r\n\r\n", NOT_HTTP],
    ["HTTP/1.1 99 Low\r\n\r\n", NOT_HTTP],
    ["HTTP/1.1 2000 OK\r\n\r\n", NOT_HTTP],
    ["HTTP/1.1  200 OK\r\n\r\n", NOT_HTTP],
    [`${OK}no colon\r\n\r\n`, NOT_HTTP],
    [`${OK}content-length : 2\r\n\r\nok`, NOT_HTTP],
    [`${OK} content-length: 2\r\n\r\nok`, NOT_HTTP],
    [`${OK}x: a\rcontent-length: 2\r\n\r\nok`, NOT_HTTP],
    [`${OK}x: a\ncontent-length: 2\r\n\r\nok`, NOT_HTTP],
    [`${OK}x: a\0b\r\n\r\n`, NOT_HTTP],
    [`${OK}content-length: 2, 3\r\n\r\nok`, "the answer is not as long as it says"],
    [`${OK}content-length: +2\r\n\r\nok`, NOT_HTTP],
    [`${OK}content-length: 0x2\r\n\r\nok`, NOT_HTTP],
    [`${OK}content-length:\r\n\r\nok`, NOT_HTTP],
    [`${OK}content-length: 99999999999999999999\r\n\r\nok`, NOT_HTTP],
    [`${OK}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`, NOT_HTTP],
    [
      `${OK}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
      "the answer is encoded as gzip, chunked, which was not asked for",
    ],
    [`${OK}transfer-encoding: chunked\r\n\r\n-1\r\n`, NOT_HTTP],
    [`${OK}transfer-encoding: chunked\r\n\r\n\r\n`, NOT_HTTP],
    [`${OK}transfer-encoding: chunked\r\n\r\n1\nx\n0\n\n`, NOT_HTTP],
    [`${OK}transfer-encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n`, NOT_HTTP],
    [`${OK}transfer-encoding: chunked\r\n\r\n1;${long}\r\n`, NOT_HTTP],
    [`${OK}transfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n`, BROKE_OFF],
    [`${OK}transfer-encoding: chunked\r\n\r\n0\r\nx: ${long}\r\n`, "the answer's headers are too large"],
    [
      `${OK}transfer-encoding: chunked\r\n\r\n0\r\n${"x: y\r\n".repeat(9_000)}`,
      "the answer's headers are too large",
    ],
    [`${OK}x: ${long}`, "the answer's headers are too large"],
    [`${OK}content-length: 3\r\n\r\nab`, BROKE_OFF],
    [
      "HTTP/1.1 100 Continue\r\n\r\n",
      "the answer begins with 100 Continue, which was not asked for",
    ],
    [
      "HTTP/1.1 101 Switching\r\n\r\n",
      "the answer changes to another protocol, which was not asked for",
    ],
  ];
  for (const [text, reason] of rows) {
    assert.equal(read([bytesOf(text)]), reason, text.slice(0, 100));
    if (text.length < 1_000) assert.equal(read(bytewise(text)), reason, `bytewise: ${text}`);
  }
});

Deno.test("AnswerReader reads the same wherever an answer, damaged or not, is cut", () => {
  const answers = WHOLE.map(([text]) => text);
  fc.assert(
    fc.property(
      fc.constantFrom(...answers),
      fc.array(fc.tuple(fc.nat(400), fc.constantFrom("", "\r", "\n", "\0", " ", "0", ":", "\r\n", "x")), {
        maxLength: 3,
      }),
      fc.array(fc.nat(400), { maxLength: 6 }),
      (text, damages, cuts) => {
        let damaged = text;
        for (const [at, by] of damages) damaged = damaged.slice(0, at) + by + damaged.slice(at + 1);
        const bytes = bytesOf(damaged);
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
        assert.deepEqual(read(pieces), read([bytes]));
      },
    ),
    { numRuns: 2_000 },
  );
});
