// Which encoding is used to decode a document.
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

type Row = [name: string, bytes: Uint8Array, contentType: string | null, charset: string, contains: string];

const DE = "Verordnung über Künstliche Intelligenz";
const LONG_HEAD = `<html><head>${"<!-- banner -->".repeat(200)}`;
const OLD_META = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">';
const MARK = [0xef, 0xbb, 0xbf];

const ROWS: Row[] = [
  ["undeclared UTF-8", utf8(DE), null, "utf-8", DE],
  ["a UTF-8 mark before HTTP", join(MARK, utf8(DE)), "text/xml; charset=windows-1251", "utf-8", DE],
  ["UTF-16LE with a mark", join([0xff, 0xfe], utf16(xml("utf-16", "ü"), true)), null, "utf-16le", "ü<"],
  ["UTF-16BE with a mark", join([0xfe, 0xff], utf16(xml("utf-16", "ü"), false)), null, "utf-16be", "ü<"],
  ["UTF-16LE without a mark", utf16(xml("utf-16", "ü"), true), null, "utf-16le", "ü<"],
  ["UTF-16BE without a mark", utf16(xml("utf-16", "ü"), false), "a/b; charset=utf-16", "utf-16be", "ü<"],
  ["declared utf-16 that is not", utf8(xml("utf-16", DE)), null, "utf-8", DE],
  [
    "HTTP before XML",
    latin1(xml("utf-8", "\xc8\xcd\xd2")),
    'a/b; charset="windows-1251"',
    "windows-1251",
    "ИНТ",
  ],
  ["the XML declaration", latin1(xml("ISO-8859-2", "\xbf\xf3\xb3w")), "text/xml", "iso-8859-2", "żółw"],
  ["iso-8859-1", latin1(xml("iso-8859-1", "\x93AI Act\x94 \x80")), null, "windows-1252", "“AI Act” €"],
  ["a meta element", latin1('<html><meta charset="iso-8859-2">\xf3\xb3w'), "text/html", "iso-8859-2", "ółw"],
  ["a late meta element", latin1(`${LONG_HEAD}${OLD_META}\xc8\xcd\xd2`), null, "windows-1251", "ИНТ"],
  ["HTTP before meta", utf8(`<html><meta charset="iso-8859-1">${DE}`), "a/b; charset=utf-8", "utf-8", DE],
  ["meta that the bytes refute", utf8(`<html><meta charset="windows-1251">${DE}`), null, "utf-8", DE],
  ["JSON with a mark", join(MARK, utf8(`{"t":"${DE}"}`)), "a/b; charset=iso-8859-1", "utf-8", DE],
  ["JSON before HTTP", utf8(`{"t":"${DE}"}`), "application/json; charset=windows-1251", "utf-8", DE],
  ["an unknown label", utf8(xml("x-unknown-charset", DE)), "text/xml; charset=unknown", "utf-8", DE],
  ["latin-1 as UTF-8", latin1(xml("utf-8", DE)), "text/xml; charset=utf-8", "windows-1252", DE],
  ["UTF-8 as latin-1", utf8(xml("utf-8", DE)), "text/xml; charset=ISO-8859-1", "utf-8", DE],
  ["Shift_JIS", join(utf8(xml("Shift_JIS", "")), [0x93, 0xfa, 0x96, 0x7b]), null, "shift_jis", "日本"],
  ["one invalid byte", join(utf8(`${DE}, `), [0xe9], utf8("<t>Größe")), null, "utf-8", `${DE}, �<t>Größe`],
  ["a truncated character", utf8(`${DE} ü`).subarray(0, -1), null, "utf-8", `${DE} `],
  ["text that was encoded twice", utf8("KÃ¼nstlich"), null, "utf-8", "KÃ¼nstlich"],
  ["NUL characters", utf8("a\0b\0"), null, "utf-8", "ab"],
  ["no bytes", new Uint8Array(), null, "utf-8", ""],
];

Deno.test("decodeText() uses the encoding of the byte order mark, HTTP or the document, unless the bytes disagree", () => {
  for (const [name, bytes, contentType, charset, contains] of ROWS) {
    const decoded = decodeText(bytes, contentType);
    assert.equal(decoded.charset, charset, name);
    assert.ok(decoded.text.includes(contains), `${name}: ${decoded.text}`);
    assert.doesNotMatch(decoded.text, /[\0\ufeff]/, name);
  }
});
