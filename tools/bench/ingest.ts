// Ingest rows: a feed fetched for the first time and once more, beside its mere parsing by a feed library.
import type { BareParsing } from "./bare_parser.ts";
import type { Ingesting } from "./ingester.ts";
import { compare, type Compared } from "./measure.ts";
import { startCompanion } from "./processes.ts";
import { type Bench, sides, spread } from "./row.ts";

const SEED = 3;

/** Measures the first fetch of a feed and one that finds everything unchanged. */
export async function measureIngest({ settings, folder, tell, add }: Bench): Promise<void> {
  const { items, rounds } = settings;
  const [ingester, parser] = [startCompanion("ingester.ts"), startCompanion("bare_parser.ts")];
  let bytes = 0;
  const ingest = (into: Ingesting["into"]) => async (): Promise<number> => {
    const ingesting: Ingesting = { items, seed: SEED, folder, into };
    const answer = await ingester.ask<{ ms: number; bytes: number }>(ingesting);
    bytes = answer.bytes;
    return answer.ms;
  };
  const parse = async (): Promise<number> => {
    const parsing: BareParsing = { items, seed: SEED };
    return (await parser.ask<{ ms: number }>(parsing)).ms;
  };
  // Speeds are compared: the library's time stands first, so that the ratio is that of Regfeed's speed to its speed.
  const addRow = (work: string, { ours, theirs, ...rest }: Compared, atLeast: number): void =>
    add({
      work: `${work}: feed of ${items} items`,
      ...sides({ ours: theirs, theirs: ours, ...rest }, " ms", "feedsmith parsing alone"),
      target: { atLeast },
      notes: [`${spread(rest)}; the feed has ${Math.round(bytes / 1e6)} MB`],
    });
  tell("first ingest");
  addRow("first ingest", await compare(rounds, parse, ingest("empty")), 0.3);
  tell("unchanged");
  addRow("unchanged, no 304", await compare(rounds, parse, ingest("last")), 0.7);
  await Promise.all([ingester.end(), parser.end()]);
}
