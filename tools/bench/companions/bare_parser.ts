// The baseline of the ingest rows, in a separate process: feedsmith parses a feed.
import { parseFeed } from "npm:feedsmith@3.0.1";
import { inventFeed } from "../data/invented.ts";
import { answerLines } from "./lines.ts";

/** A job, as a line on stdin: to parse the invented feed of this size and seed once. */
export interface BareParsing {
  items: number;
  seed: number;
}

let known: { items: number; seed: number; text: string } | null = null;

if (import.meta.main) await answerLines(parse);

function parse({ items, seed }: BareParsing): Promise<{ ms: number }> {
  if (known?.items !== items || known.seed !== seed) known = { items, seed, text: inventFeed(items, seed) };
  const startMs = performance.now();
  const { feed } = parseFeed(known.text);
  const ms = performance.now() - startMs;
  const found = (feed as { items?: unknown[] }).items?.length;
  if (found !== items) throw new Error(`feedsmith found ${found} of ${items} items`);
  return Promise.resolve({ ms });
}
