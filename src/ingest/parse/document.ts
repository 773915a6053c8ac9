// A document's bytes to its items, whatever feed format it is in: the door of this folder.
import { decodeText } from "./decode.ts";
import { binaryFormat, foreignText } from "./foreign.ts";
import { DocumentError, type ParsedDocument } from "./parsed.ts";
import { readJsonFeed } from "./read_json.ts";
import { readXmlFeed } from "./read_xml.ts";

export { DocumentError };
export type { DocumentFormat, ParsedDocument, ParsedItem, ParseProblem } from "./parsed.ts";

/**
 * Reads a feed: RSS 0.9x and 2.0, RSS 1.0 (RDF), Atom 0.3 and 1.0, JSON Feed 1.0 and 1.1, told apart by what the
 * document holds, never by its name or content type (which only says the charset). What is broken in one item stays
 * in that item; a document that breaks off gives its complete items and a problem that says so. Items beyond
 * `maxItems` are counted and passed over. Reading takes time in proportion to the document, and no entity that the
 * document declares is ever expanded.
 *
 * Throws a {@link DocumentError}, and nothing else, when there is no feed or no complete item in it.
 */
export function parseDocument(
  bytes: Uint8Array,
  options: { contentType: string | null; maxItems: number },
): ParsedDocument {
  if (bytes.length === 0) throw new DocumentError("the document is empty");
  const binary = binaryFormat(bytes);
  if (binary !== null) throw new DocumentError(`this is ${binary}, not a feed`);
  const { text } = decodeText(bytes, options.contentType);
  const begin = text.search(/\S/);
  if (begin === -1) throw new DocumentError("the document is empty: it holds only spaces");
  const mark = text[begin];
  if (mark === "{" || mark === "[") return readJsonFeed(text, options.maxItems);
  if (mark !== "<" && !/<[a-z?!]/i.test(text)) throw foreignText(text);
  return readXmlFeed(text, options.maxItems);
}
