// Tests of src/ingest/parse/decode.ts.
import assert from "node:assert/strict";
import { decodeText } from "../../../src/ingest/parse/decode.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (character) => character.charCodeAt(0));
const utf16 = (text: string, littleEndian: boolean): Uint8Array =>
  Uint8Array.from([...text].flatMap((character) => {
    const code = character.charCodeAt(0);
    return littleEndian ? [code & 255, code >> 8] : [code >> 8, code & 255];
  }));
const join = (...parts: (Uint8Array | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]));
const xml = (encoding: string, text: string): string =>
  `<?xml version="1.0" encoding="${encoding}"?><t>${text}</t>`;

interface Row {
  name: string;
  bytes: Uint8Array;
  contentType?: string;
  charset: string;
  holds: string;
}

const GERMAN = "Verordnung über Künstliche Intelligenz";

const ROWS: Row[] = [
  { name: "UTF-8 that nothing declares", bytes: utf8(GERMAN), charset: "utf-8", holds: GERMAN },
  {
    name: "a UTF-8 mark against another charset in HTTP",
    bytes: join([0xef, 0xbb, 0xbf], utf8(GERMAN)),
    contentType: "text/xml; charset=windows-1251",
    charset: "utf-8",
    holds: GERMAN,
  },
  {
    name: "UTF-16, little-endian, with a mark",
    bytes: join([0xff, 0xfe], utf16(xml("utf-16", "Künstlich"), true)),
    charset: "utf-16le",
    holds: "Künstlich",
  },
  {
    name: "UTF-16, big-endian, with a mark",
    bytes: join([0xfe, 0xff], utf16(xml("utf-16", "Künstlich"), false)),
    charset: "utf-16be",
    holds: "Künstlich",
  },
  {
    name: "UTF-16, little-endian, without a mark",
    bytes: utf16(xml("utf-16", "Künstlich"), true),
    charset: "utf-16le",
    holds: "Künstlich",
  },
  {
    name: "UTF-16, big-endian, without a mark",
    bytes: utf16(xml("utf-16", "Künstlich"), false),
    contentType: "text/xml; charset=utf-16",
    charset: "utf-16be",
    holds: "Künstlich",
  },
  {
    name: "a declaration of utf-16 in bytes that are not",
    bytes: utf8(xml("utf-16", "Künstlich")),
    charset: "utf-8",
    holds: "Künstlich",
  },
  {
    name: "the charset of HTTP before that of the XML declaration",
    bytes: latin1(xml("utf-8", "\xc8\xcd\xd2\xc5\xcb\xcb\xc5\xca\xd2")),
    contentType: 'application/rss+xml; charset="windows-1251"',
    charset: "windows-1251",
    holds: "ИНТЕЛЛЕКТ",
  },
  {
    name: "the charset of the XML declaration",
    bytes: latin1(xml("ISO-8859-2", "Sztuczna inteligencja \xbf\xf3\xb3w")),
    contentType: "text/xml",
    charset: "iso-8859-2",
    holds: "żółw",
  },
  {
    name: "iso-8859-1 that is windows-1252",
    bytes: latin1(xml("iso-8859-1", "the \x93AI Act\x94 \x96 12 \x80")),
    charset: "windows-1252",
    holds: "the “AI Act” – 12 €",
  },
  {
    name: "the charset of a page's meta element",
    bytes: latin1('<!doctype html><html><head><meta charset="iso-8859-2"><title>\xbf\xf3\xb3w</title>'),
    contentType: "text/html",
    charset: "iso-8859-2",
    holds: "żółw",
  },
  {
    name: "the charset of an older meta element, behind much else",
    bytes: latin1(
      `<html><head>${
        "<!-- banner -->".repeat(200)
      }<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">\xc8\xcd\xd2`,
    ),
    charset: "windows-1251",
    holds: "ИНТ",
  },
  {
    name: "a meta element that HTTP contradicts",
    bytes: utf8(`<html><meta charset="iso-8859-1"><p>${GERMAN}`),
    contentType: "text/html; charset=utf-8",
    charset: "utf-8",
    holds: GERMAN,
  },
  {
    name: "a meta element that the bytes refute",
    bytes: utf8(`<html><meta charset="windows-1251"><p>${GERMAN}`),
    charset: "utf-8",
    holds: GERMAN,
  },
  {
    name: "JSON in UTF-8, whatever HTTP says of it",
    bytes: join([0xef, 0xbb, 0xbf], utf8(`{"titulo":"Resolución"}`)),
    contentType: "application/json; charset=iso-8859-1",
    charset: "utf-8",
    holds: "Resolución",
  },
  {
    name: "a label that nobody knows",
    bytes: utf8(xml("x-unknown-charset", GERMAN)),
    contentType: "text/xml; charset=unknown",
    charset: "utf-8",
    holds: GERMAN,
  },
  {
    name: "latin-1 that is declared as UTF-8",
    bytes: latin1(xml("utf-8", "K\xfcnstliche Intelligenz")),
    contentType: "text/xml; charset=utf-8",
    charset: "windows-1252",
    holds: "Künstliche Intelligenz",
  },
  {
    name: "UTF-8 that the server calls latin-1",
    bytes: utf8(xml("utf-8", GERMAN)),
    contentType: "text/xml; charset=ISO-8859-1",
    charset: "utf-8",
    holds: GERMAN,
  },
  {
    name: "Shift_JIS",
    bytes: join(
      utf8('<?xml version="1.0" encoding="Shift_JIS"?><t>'),
      [0x93, 0xfa, 0x96, 0x7b],
      utf8("</t>"),
    ),
    charset: "shift_jis",
    holds: "日本",
  },
  {
    name: "one wrong byte among many right ones",
    bytes: join(utf8(`<t>${GERMAN}</t>`), [0xe9], utf8("<t>Größe</t>")),
    charset: "utf-8",
    holds: `<t>${GERMAN}</t>�<t>Größe</t>`,
  },
  {
    name: "UTF-8 that breaks off within a character",
    bytes: utf8(`${GERMAN} ü`).subarray(0, -1),
    charset: "utf-8",
    holds: `${GERMAN} `,
  },
  {
    name: "JSON with a mark",
    bytes: join([0xef, 0xbb, 0xbf], utf8('{"title":"Künstlich"}')),
    charset: "utf-8",
    holds: '{"title":"Künstlich"}',
  },
  {
    name: "JSON whose charset HTTP states wrongly",
    bytes: utf8('{"title":"Künstlich"}'),
    contentType: "application/json; charset=windows-1251",
    charset: "utf-8",
    holds: '{"title":"Künstlich"}',
  },
  { name: "text that was encoded twice", bytes: utf8("KÃ¼nstlich"), charset: "utf-8", holds: "KÃ¼nstlich" },
  { name: "NUL characters", bytes: utf8("a\0b\0"), charset: "utf-8", holds: "ab" },
  { name: "no bytes", bytes: new Uint8Array(), charset: "utf-8", holds: "" },
];

Deno.test("decodeText() reads the encoding from the mark, HTTP or the XML declaration, unless the bytes refute it", () => {
  for (const { name, bytes, contentType = null, charset, holds } of ROWS) {
    const decoded = decodeText(bytes, contentType);
    assert.equal(decoded.charset, charset, name);
    assert.ok(decoded.text.includes(holds), `${name}: ${decoded.text}`);
    assert.doesNotMatch(decoded.text, /[\0\ufeff]/, name);
  }
});
