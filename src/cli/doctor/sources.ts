// What the doctor says of the sources: which failed when they were last fetched, and of which a part is missing.
import type { Config } from "../../config/config.ts";
import type { FetchOutcome, SourceState } from "../../domain/source.ts";
import { cut, formatTime } from "../table.ts";
import { type Finding, good, warning } from "./finding.ts";

const REASON_WIDTH = 160;

const ADVICE: Readonly<Record<Exclude<FetchOutcome, "ok">, string>> = {
  failing: "tries it now; one that has moved needs its new url",
  blocked: "tries it now; set ingest.contact and a crawl_delay, or write to the publisher",
  empty: "shows what is found; its page may have been rebuilt, and its rules no longer fit",
};

/** The enabled sources of which something is wrong, each with since when; one finding when nothing is. */
export function judgeSources(
  { sources }: Pick<Config, "sources">,
  states: readonly SourceState[],
): Finding[] {
  const known = new Map(states.map((state) => [state.id, state]));
  const fetched = sources.filter(({ id, enabled }) => enabled && known.get(id)?.outcome);
  const findings = fetched.flatMap(({ id }) => judgeSource(known.get(id) as SourceState));
  if (findings.length > 0 || fetched.length === 0) return findings;
  return [good("sources", `of ${fetched.length} that were fetched all were had whole the last time`)];
}

function judgeSource({ id, outcome, outcomeSinceMs, lastError, gaps }: SourceState): Finding[] {
  const test = `\`regfeed source test ${id}\``;
  if (outcome !== null && outcome !== "ok") {
    const why = cut(lastError ?? "", REASON_WIDTH);
    const seen = `${id} is ${outcome} since ${formatTime(outcomeSinceMs)} UTC: ${why}`;
    return [warning("sources", seen, `${test} ${ADVICE[outcome]}`)];
  }
  return gaps.map(({ part, reason, sinceMs }) =>
    warning(
      "sources",
      `${id} is without ${cut(part, REASON_WIDTH)} since ${formatTime(sinceMs)} UTC: ${
        cut(reason, REASON_WIDTH)
      }`,
      `${test} tries it now; mend its address or its rules, or take it out of the config`,
    )
  );
}
