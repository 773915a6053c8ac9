// Makes broken and hostile documents from valid ones.
import { gzipSync } from "node:zlib";
import type { Chance } from "./chance.ts";

/** A response body with its stated content type. */
export interface Hostile {
  body: Uint8Array;
  contentType: string;
}

const DEPTH = 20_000;
const LONG = 200_000;

const SNIPPETS: readonly string[] = [
  "<a>".repeat(DEPTH),
  "</channel></rss></feed></urlset></ul></html>",
  "<item><item><item>",
  `<x y="${"z".repeat(LONG)}">`,
  `<x ${Array.from({ length: 5_000 }, (_, at) => `a${at}="1"`).join(" ")}>`,
  "<x y=\"<z w='",
  '<!DOCTYPE a [<!ENTITY a "&b;&b;&b;"><!ENTITY b "&a;&a;">]>&a;',
  '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY % y SYSTEM "http://127.0.0.1/">%y;]>&x;',
  `<!DOCTYPE a [<!ENTITY a0 "x">${
    Array.from({ length: 30 }, (_, at) => `<!ENTITY a${at + 1} "&a${at};&a${at};">`).join("")
  }]>&a30;`,
  "&#0;&#x110000;&#xD800;&#99999999999999999999;&nosuch;&amp",
  "<![CDATA[<![CDATA[",
  "]]>",
  "<!--".repeat(1_000),
  "<?xml version='1.0' encoding='utf-16'?>",
  "<title>".repeat(5_000),
  "<script><style><textarea>",
  '<base href="javascript:alert(1)">',
  "[".repeat(100),
  '{"a":'.repeat(DEPTH),
  "[[[[[]]]]]",
  '"__proto__":{"x":1},',
  "1e999999",
  "-",
  '"\\ud800"',
  "\u0000\u0001\uffff\ufeff",
  "\u202e\u2066",
  "null",
  "https://[::1]:99999/%%%",
  "9999-99-99T99:99:99+99:99",
  "\r\n\r\n",
];

const CHARSETS = [..."utf-8 utf-16 utf-16le utf-32 iso-8859-1 windows-1252 koi8-r x-nobody".split(" "), ""];
const TYPES = [
  ..."application/xml text/html application/json text/plain application/gzip image/png".split(" "),
  "",
];

type Mutation = (bytes: Uint8Array, chance: Chance) => Uint8Array;

const place = (bytes: Uint8Array, { between }: Chance): number => between(0, bytes.length);
const splice = (bytes: Uint8Array, from: number, to: number, middle: Uint8Array): Uint8Array =>
  Uint8Array.from([...bytes.subarray(0, from), ...middle, ...bytes.subarray(to)]);
const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function asUtf16(bytes: Uint8Array, isBig: boolean): Uint8Array {
  const text = new TextDecoder().decode(bytes);
  const wide = new Uint8Array(text.length * 2 + 2);
  const view = new DataView(wide.buffer);
  [0xfeff, ...Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))]
    .forEach((unit, at) => view.setUint16(at * 2, unit, !isBig));
  return wide;
}

const MUTATIONS: readonly Mutation[] = [
  (bytes, chance) => bytes.slice(0, place(bytes, chance)),
  (bytes, chance) => bytes.slice(place(bytes, chance)),
  (bytes, chance) => {
    const from = place(bytes, chance);
    return splice(bytes, from, Math.min(bytes.length, from + chance.between(1, 200)), new Uint8Array());
  },
  (bytes, chance) => {
    const [from, to] = [place(bytes, chance), place(bytes, chance)].sort((a, b) => a - b);
    return splice(bytes, place(bytes, chance), place(bytes, chance), bytes.slice(from, to));
  },
  (bytes, chance) => {
    const at = place(bytes, chance);
    return splice(bytes, at, at, encode(chance.pick(SNIPPETS)));
  },
  (bytes, chance) => {
    const from = place(bytes, chance);
    const to = Math.min(bytes.length, from + chance.between(1, 40));
    return splice(bytes, from, to, encode(chance.pick(SNIPPETS)));
  },
  (bytes, chance) => {
    const changed = bytes.slice();
    for (let times = chance.between(1, 30); times > 0 && changed.length > 0; times--) {
      changed[chance.between(0, changed.length - 1)] = chance.between(0, 255);
    }
    return changed;
  },
  (bytes, chance) => asUtf16(bytes, chance.happens(0.5)).slice(0, chance.happens(0.5) ? undefined : -1),
  (bytes, chance) => {
    const wide = asUtf16(bytes, false);
    return splice(wide, chance.between(2, wide.length), chance.between(2, wide.length), Uint8Array.of(0));
  },
  (bytes) => gzipSync(bytes),
  (bytes, chance) => {
    const packed = gzipSync(bytes);
    return packed.slice(0, chance.between(1, packed.length));
  },
  () => new Uint8Array(),
  (_, chance) => encode(chance.pick(SNIPPETS)),
];

/** Returns a document after one to three mutations, sometimes with another document's content type. */
export function mutate(document: string, contentType: string, chance: Chance): Hostile {
  let body = encode(document);
  for (let times = chance.between(1, 3); times > 0; times--) body = chance.pick(MUTATIONS)(body, chance);
  const type = chance.happens(0.7) ? contentType : chance.pick(TYPES);
  return { body, contentType: chance.happens(0.7) ? type : `${type}; charset=${chance.pick(CHARSETS)}` };
}

function hostileText({ pick }: Chance): string {
  return pick(SNIPPETS);
}

export function hostileValue(chance: Chance): unknown {
  const nested = (depth: number): unknown =>
    depth === 0 ? hostileText(chance) : [{ value: nested(depth - 1) }];
  return chance.pick([
    null,
    true,
    -0,
    1e308,
    [],
    {},
    [[[[]]]],
    { "": { "": "" } },
    nested(100),
    hostileText(chance),
    "x".repeat(LONG),
  ]);
}
