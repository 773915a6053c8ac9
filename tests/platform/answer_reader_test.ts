// Tests of src/platform/answer_reader.ts: every answer is read alike however its bytes come, and never past its end.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { NetworkError } from "../../src/domain/ports.ts";
import { AnswerReader } from "../../src/platform/answer_reader.ts";

const HEAD = "HTTP/1.1 200 OK\r\n";

/** Reads an answer that comes in parts, then the connection's end; says what came of it. */
function read(parts: readonly string[], { maxBodyBytes = 1_000 } = {}): string {
  const reader = new AnswerReader(maxBodyBytes);
  try {
    let isWhole = false;
    for (const part of parts) {
      if (isWhole) break;
      // The reader is given memory that is overwritten afterwards.
      const bytes = Uint8Array.from(part, (letter) => letter.charCodeAt(0));
      isWhole = reader.take(bytes);
      bytes.fill(0x21);
    }
    if (!isWhole) reader.end();
  } catch (error) {
    assert.ok(error instanceof NetworkError, String(error));
    return error.reason;
  }
  const { body, truncated } = reader.body();
  const text = String.fromCharCode(...body);
  return `${reader.status} ${JSON.stringify(text)}${truncated ? " truncated" : ""} ${reader.keepMs}`;
}

const NOT_HTTP = "the answer is not valid HTTP";
const TOO_LARGE = "the answer's headers are too large";
const NOT_AS_LONG = "the answer is not as long as it says";
const BROKE_OFF = "the answer broke off";

/** Bytes behind an answer are only known of when they come with it: later ones meet no reader. */
const LEFT_OVER = "more than its length";

/** An answer, and what is read of it: status, body, and how long the connection may be kept, ms. */
const ROWS: [what: string, answer: string, read: string][] = [
  ["a length", `${HEAD}content-length: 2\r\n\r\nok`, '200 "ok" 4000'],
  ["no body", `${HEAD}content-length: 0\r\n\r\n`, '200 "" 4000'],
  ["a length twice", `${HEAD}content-length: 2\r\nContent-Length: 2, 2\r\n\r\nok`, '200 "ok" 4000'],
  ["two lengths", `${HEAD}content-length: 2\r\ncontent-length: 3\r\n\r\nok`, NOT_AS_LONG],
  ["a length that is none", `${HEAD}content-length: -2\r\n\r\nok`, NOT_HTTP],
  ["a length in hexadecimal", `${HEAD}content-length: 0x2\r\n\r\nok`, NOT_HTTP],
  ["an endless length", `${HEAD}content-length: ${"9".repeat(30)}\r\n\r\nok`, NOT_HTTP],
  [LEFT_OVER, `${HEAD}content-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n`, '200 "ok" 0'],
  ["less than its length", `${HEAD}content-length: 3\r\n\r\nok`, BROKE_OFF],
  ["the connection's end", `${HEAD}\r\nok`, '200 "ok" 0'],
  [
    "chunks",
    `${HEAD}transfer-encoding: chunked\r\n\r\n2\r\nok\r\n1;a="b"\r\n!\r\n0\r\n\r\n`,
    '200 "ok!" 4000',
  ],
  [
    "chunks and a trailer",
    `${HEAD}transfer-encoding: Chunked\r\n\r\n002\r\nok\r\n0\r\nx-a: b\r\n\r\n`,
    '200 "ok" 4000',
  ],
  [
    "chunks and a length",
    `${HEAD}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    '200 "ok" 0',
  ],
  [
    "chunks of HTTP/1.0",
    "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
    '200 "" 0',
  ],
  [
    "chunks within another coding",
    `${HEAD}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    '200 "" 4000',
  ],
  ["another coding", `${HEAD}transfer-encoding: gzip\r\n\r\nok`, '200 "ok" 0'],
  ["a chunk longer than it says", `${HEAD}transfer-encoding: chunked\r\n\r\n2\r\nok!\r\n0\r\n\r\n`, NOT_HTTP],
  [
    "a chunk of a size that is none",
    `${HEAD}transfer-encoding: chunked\r\n\r\n-2\r\nok\r\n0\r\n\r\n`,
    NOT_HTTP,
  ],
  [
    "a chunk of an endless size",
    `${HEAD}transfer-encoding: chunked\r\n\r\n${"f".repeat(16)}\r\nok`,
    NOT_HTTP,
  ],
  [
    "a chunk's line that never ends",
    `${HEAD}transfer-encoding: chunked\r\n\r\n1;${"a".repeat(2_000)}\r\n`,
    NOT_HTTP,
  ],
  [
    "chunks with long extensions",
    `${HEAD}transfer-encoding: chunked\r\n\r\n${`1;${"a".repeat(900)}\r\nb\r\n`.repeat(40)}0\r\n\r\n`,
    NOT_HTTP,
  ],
  [
    "a chunk of one byte and its line end",
    `${HEAD}transfer-encoding: chunked\r\n\r\n1\r\n\r\r\n0\r\n\r\n`,
    '200 "\\r" 4000',
  ],
  ["a chunk without a size", `${HEAD}transfer-encoding: chunked\r\n\r\n\r\nok\r\n0\r\n\r\n`, NOT_HTTP],
  [
    "chunks of sizes in capitals, with zeros in front and a blank behind",
    `${HEAD}transfer-encoding: chunked\r\n\r\nA\r\n0123456789\r\n0000000001\r\n!\r\n2 \r\nok\r\n0\n\n`,
    '200 "0123456789!ok" 4000',
  ],
  ["no last chunk", `${HEAD}transfer-encoding: chunked\r\n\r\n2\r\nok\r\n`, BROKE_OFF],
  ["no end of the last chunk", `${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n`, BROKE_OFF],
  [
    "an endless trailer",
    `${HEAD}transfer-encoding: chunked\r\n\r\n0\r\n${"a: b\r\n".repeat(9_000)}`,
    TOO_LARGE,
  ],
  ["204", "HTTP/1.1 204 No Content\r\n\r\n", '204 "" 4000'],
  ["204 with a length of none", "HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n", '204 "" 4000'],
  ["204 with a body to come", "HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n", '204 "" 0'],
  ["204 with chunks to come", "HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n", '204 "" 0'],
  ["204 with a length that is none", "HTTP/1.1 204 No Content\r\ncontent-length: x\r\n\r\n", '204 "" 0'],
  ["304 with a body to come", "HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n", '304 "" 0'],
  ["a connection that closes", `${HEAD}content-length: 0\r\nconnection: x, Close\r\n\r\n`, '200 "" 0'],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", '200 "" 0'],
  [
    "HTTP/1.0 that stays",
    "HTTP/1.0 200 OK\r\ncontent-length: 0\r\nconnection: Keep-Alive\r\n\r\n",
    '200 "" 4000',
  ],
  ["an offer to stay", `${HEAD}content-length: 0\r\nkeep-alive: timeout=5, max=100\r\n\r\n`, '200 "" 4000'],
  [
    "an offer to stay for long",
    `${HEAD}content-length: 0\r\nkeep-alive: max=9, timeout=3600\r\n\r\n`,
    '200 "" 60000',
  ],
  ["an offer to stay for no time", `${HEAD}content-length: 0\r\nkeep-alive: timeout=0\r\n\r\n`, '200 "" 0'],
  [
    "early hints first",
    `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${HEAD}content-length: 0\r\n\r\n`,
    '200 "" 4000',
  ],
  ["100 Continue first", `HTTP/1.1 100 Continue\r\n\r\n${HEAD}content-length: 2\r\n\r\nok`, '200 "ok" 4000'],
  [
    "nothing but hints",
    "HTTP/1.1 103 Hints\r\n\r\n".repeat(40),
    "interim answers come one after the other, and no answer",
  ],
  [
    "another protocol",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n",
    "the answer changes to another protocol, which was not asked for",
  ],
  ["line feeds alone", "HTTP/1.1 200 OK\ncontent-length: 2\n\nok", '200 "ok" 4000'],
  ["empty lines first", `\r\n\r\n${HEAD}content-length: 2\r\n\r\nok`, '200 "ok" 4000'],
  ["nothing but empty lines", "\r\n".repeat(100), NOT_HTTP],
  ["no reason", "HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", '200 "" 4000'],
  [
    "a reason of letters beyond ASCII",
    "HTTP/1.1 404 Pas trouv\xe9\r\ncontent-length: 0\r\n\r\n",
    '404 "" 4000',
  ],
  ["a status of two digits", "HTTP/1.1 99 Low\r\n\r\n", NOT_HTTP],
  ["a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", NOT_HTTP],
  ["HTTP/2", "HTTP/2 200 OK\r\n\r\n", NOT_HTTP],
  ["another protocol's greeting", "220 mail.example ESMTP\r\n", NOT_HTTP],
  ["a name with a blank", `${HEAD}content length: 2\r\n\r\nok`, NOT_HTTP],
  ["a blank before the colon", `${HEAD}content-length : 2\r\n\r\nok`, NOT_HTTP],
  ["a field without a colon", `${HEAD}content-length\r\n\r\n`, NOT_HTTP],
  ["a NUL in a value", `${HEAD}x: a\0b\r\ncontent-length: 0\r\n\r\n`, NOT_HTTP],
  [
    "a lone carriage return in a value",
    `${HEAD}x: a\rcontent-length: 9\r\ncontent-length: 0\r\n\r\n`,
    NOT_HTTP,
  ],
  ["a folded value", `${HEAD}x: a\r\n b\r\ncontent-length: 0\r\n\r\n`, '200 "" 4000'],
  ["a folded first line", `${HEAD} x: a\r\n\r\n`, NOT_HTTP],
  [
    "a name that every object has",
    `${HEAD}__proto__: a\r\nconstructor: b\r\ncontent-length: 2\r\n\r\nok`,
    '200 "ok" 4000',
  ],
  ["too many fields", `${HEAD}${"a: b\r\n".repeat(300)}\r\n`, TOO_LARGE],
  ["a head that is too large", `${HEAD}x: ${"a".repeat(40_000)}\r\n\r\n`, TOO_LARGE],
  ["nothing", "", "connection reset"],
  ["half a head", "HTTP/1.1 200 OK\r\nx-a: b", "connection reset"],
  [
    "a body longer than may be",
    `${HEAD}content-length: 2000\r\n\r\n${"a".repeat(1_500)}`,
    `200 ${JSON.stringify("a".repeat(1_000))} truncated 0`,
  ],
];

for (const [what, answer, expected] of ROWS) {
  Deno.test(`an answer: ${what}`, () => {
    assert.equal(read([answer]), expected);
    if (what !== LEFT_OVER) assert.equal(read([...answer]), expected, "byte by byte");
  });
}

Deno.test("an answer is read alike wherever its bytes are parted", () => {
  const rows = ROWS.filter(([what, answer]) => answer.length < 2_000 && what !== LEFT_OVER);
  const cutting = fc.array(fc.nat({ max: 200 }), { maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom(...rows), cutting, ([what, answer, expected], cuts) => {
      const ends = [...cuts.filter((cut) => cut < answer.length).sort((a, b) => a - b), answer.length];
      const parts = ends.map((end, at) => answer.slice(ends[at - 1] ?? 0, end));
      assert.equal(read(parts), expected, what);
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("no bytes make a reader throw anything but a NetworkError, or read past its bounds", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "HTTP/1.1 200 OK",
      "\r\n",
      "\n",
      "\r",
      "content-length: ",
      "transfer-encoding: chunked",
      "0",
      "5",
      "a",
      " ",
      ":",
      "f",
      ";",
    ),
    fc.string({ unit: "binary-ascii", maxLength: 4 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), fc.nat({ max: 20 }), (pieces, maxBodyBytes) => {
      const whole = pieces.join("");
      const outcomes = [
        read([whole], { maxBodyBytes }),
        read([`HTTP/1.1 200 OK\r\n${whole}`], { maxBodyBytes }),
      ];
      for (const outcome of outcomes) {
        const [, body] = /^\d+ (".*?")(?: truncated)? \d+$/.exec(outcome) ?? [];
        if (body !== undefined) assert.ok((JSON.parse(body) as string).length <= maxBodyBytes, outcome);
      }
    }),
    { numRuns: 3_000 },
  );
});
