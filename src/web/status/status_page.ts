// GET /status: the state of every source with the coverage of the last 90 days, and incidents.
import {
  type CoverageDay,
  type CoverageRun,
  coverageRuns,
  type DayCoverage,
} from "../../domain/source/coverage_days.ts";
import type { Incident } from "../../domain/source/incident.ts";
import type { SourceCondition } from "../../domain/source/source_health.ts";
import { externalLink } from "../components/link.ts";
import { icon, type Shape } from "../components/icon.ts";
import { table } from "../components/table.ts";
import { dateOnly, exactTime, timeAgo } from "../components/time.ts";
import { type Html, markup, type Part } from "../html.ts";
import type { PageCall, PageContent } from "../page_route.ts";
import { coverageBars } from "./coverage_bars.ts";
import { incidentText, incidentTitle, sourceName } from "./incident_texts.ts";
import { stateLine } from "./state_line.ts";
import {
  CONDITION_ORDER,
  DAYS_SHOWN,
  MAX_INCIDENTS,
  type SourceStatus,
  type StatusReport,
} from "./status_report.ts";

const DAY_MS = 86_400_000;
/** Maximum number of rows in a source's table of gaps. A source that fails every other day would have 45. */
const MAX_GAPS = 6;

const LOOKS: Readonly<Record<SourceCondition, { shape: Shape; tone: "good" | "warn" | "bad" | "neutral" }>> =
  {
    failing: { shape: "octagon", tone: "bad" },
    blocked: { shape: "cross", tone: "bad" },
    empty: { shape: "triangle", tone: "warn" },
    partial: { shape: "half", tone: "warn" },
    silent: { shape: "pause", tone: "warn" },
    new: { shape: "ring", tone: "neutral" },
    ok: { shape: "check", tone: "good" },
  };

/** The coverages that the legend explains. */
const LEGEND: readonly Exclude<DayCoverage, "before">[] = ["complete", "partly", "failed", "missed", "idle"];
const GAPS: readonly DayCoverage[] = ["partly", "failed", "missed"];

export const FEED_PATH = "/status/incidents.atom";

type Call = Pick<PageCall, "texts" | "format" | "language" | "nowMs">;

export function statusPage(report: StatusReport, call: Call): PageContent {
  const { texts: { status } } = call;
  const groups = CONDITION_ORDER.map((condition) => ({
    condition,
    sources: report.sources.filter((source) => source.condition === condition),
  })).filter(({ sources }) => sources.length > 0);
  const current = report.incidents.filter(({ endedAtMs }) => endedAtMs === null);
  const past = report.incidents.filter(({ endedAtMs }) => endedAtMs !== null);
  const body = markup`<div class="page-head"><h1>${status.title}</h1>
<p class="soft">${status.asOf} ${exactTime(call.nowMs, call)}</p></div>
${stateLine(report, call.texts)}
${groups.length < 2 ? null : markup`<ul class="chips">${groups.map((group) => groupLink(group, call))}</ul>`}
${current.length === 0 ? null : incidentList(status.incidents.current, current, { ...report, ...call })}
${groups.length === 0 ? null : legend(call)}
${groups.map((group) => groupOf(group, report, call))}
${incidentList(status.incidents.past, past, { ...report, ...call })}
<p class="feed-link"><a href="${FEED_PATH}">${status.incidents.feedLink}</a></p>`;
  const head =
    markup`<link rel="alternate" type="application/atom+xml" title="${status.incidents.feedTitle}" href="${FEED_PATH}">
`;
  return { kind: "page", title: status.title, section: "status", body, head };
}

interface Group {
  condition: SourceCondition;
  sources: readonly SourceStatus[];
}

function groupLink({ condition, sources }: Group, { texts: { status }, format }: Call): Html {
  return markup`<li><a class="chip" href="#${condition}">${icon(LOOKS[condition].shape)}${
    status.conditions[condition].title
  } <strong>${format.number(sources.length)}</strong></a></li>`;
}

function groupOf({ condition, sources }: Group, { days }: StatusReport, call: Call): Html {
  const { title, text } = call.texts.status.conditions[condition];
  const { shape, tone } = LOOKS[condition];
  return markup`<section class="sources-group" aria-labelledby="${condition}">
<h2 id="${condition}" class="${tone}">${icon(shape)}${title} <span class="soft">${
    call.format.number(sources.length)
  }</span></h2>
<p class="soft">${text}</p>
<ul class="sources">${
    sources.map((source) => sourceItem(source, days.get(source.source.id) ?? [], call))
  }</ul>
</section>`;
}

function sourceItem(
  { source, condition, sinceMs, lastSuccessAtMs, lastNewAtMs }: SourceStatus,
  days: readonly CoverageDay[],
  call: Call,
): Html {
  const { texts: { status }, language } = call;
  const name = sourceName(source, language);
  const facts: [label: string, ms: number | null][] = [
    [status.since, condition === "ok" ? null : sinceMs],
    [status.lastFetched, lastSuccessAtMs],
    [status.lastNew, lastNewAtMs],
  ];
  return markup`<li><div><h3>${externalLink(source.baseUrl, name)}</h3><p class="soft">${
    facts.map(([label, ms]) => ms === null ? null : markup`<span>${label} ${timeAgo(ms, call)}</span> `)
  }</p></div>${coverageOf(days, call)}</li>
`;
}

function coverageOf(days: readonly CoverageDay[], call: Call): Html {
  const { texts: { status } } = call;
  const runs = coverageRuns(days);
  const counts = new Map<DayCoverage, number>();
  for (const { coverage, days } of runs) counts.set(coverage, (counts.get(coverage) ?? 0) + days.length);
  const gaps = GAPS.reduce((sum, coverage) => sum + (counts.get(coverage) ?? 0), 0);
  const complete = counts.get("complete") ?? 0;
  const summary = complete + gaps === 0 ? status.noDays : status.completeDays(complete, complete + gaps);
  const parts = LEGEND.flatMap((coverage) => {
    const count = counts.get(coverage) ?? 0;
    return count === 0 ? [] : [`${status.coverage[coverage]}: ${count}`];
  });
  return markup`<div>${coverageBars(runs, [summary, ...parts].join(". "))}${
    gaps === 0
      ? markup`<p class="soft">${summary}</p>`
      : markup`<details><summary>${summary}</summary>${gapTable(runs, call)}</details>`
  }</div>`;
}

/** The table beside the bars: the periods with gaps, newest first. */
function gapTable(runs: readonly CoverageRun[], { texts: { status }, format }: Call): Html {
  const found = runs.filter(({ coverage }) => GAPS.includes(coverage)).reverse();
  const { columns, caption, successes, more } = status.gaps;
  const rows = found.slice(0, MAX_GAPS).map(({ coverage, days }) => {
    const [first, last] = [days[0], days.at(-1)];
    const sum = (of: (day: CoverageDay) => number) => days.reduce((total, day) => total + of(day), 0);
    const fetches = sum((day) => day.fetches);
    const longestGapMs = Math.max(...days.map((day) => day.longestGapMs));
    return [
      markup`${dayAt(last, format)}${first === last ? null : markup` – ${dayAt(first, format)}`}`,
      status.coverage[coverage],
      fetches === 0 ? null : successes(sum((day) => day.successes), fetches),
      longestGapMs === 0 ? null : format.duration(longestGapMs),
    ];
  });
  const labels = [columns.days, columns.coverage, columns.successes, columns.longestGap];
  const rest = found.length - rows.length;
  return markup`${table({ caption, columns: labels.map((label) => ({ label })), rows })}${
    rest === 0 ? null : markup`<p class="soft">${more(rest)}</p>`
  }`;
}

function dayAt(day: CoverageDay | undefined, format: Call["format"]): Part {
  return day === undefined ? null : dateOnly(day.day * DAY_MS, { format });
}

function legend({ texts: { status } }: Call): Html {
  const day = { day: 0, fetches: 0, successes: 0, longestGapMs: 0 };
  const sample = (coverage: DayCoverage) => [{ coverage, days: Array(4).fill({ ...day, coverage }) }];
  return markup`<div class="legend"><p>${status.legend(DAYS_SHOWN)}</p><ul>${
    LEGEND.map((coverage) => {
      const word = status.coverage[coverage];
      return markup`<li>${coverageBars(sample(coverage), word)}${word}</li>`;
    })
  }</ul></div>`;
}

function incidentList(
  title: string,
  incidents: readonly Incident[],
  context: Call & Pick<StatusReport, "sources">,
): Html {
  const { status } = context.texts;
  const more = incidents.length < MAX_INCIDENTS
    ? null
    : markup`<p class="soft">${status.incidents.more(MAX_INCIDENTS)}</p>`;
  return markup`<section><h2>${title}</h2>
${
    incidents.length === 0
      ? markup`<p class="soft">${status.incidents.none(DAYS_SHOWN)}</p>`
      : markup`<ul class="incidents">${
        incidents.map((incident) => incidentItem(incident, context))
      }</ul>${more}`
  }</section>`;
}

function incidentItem(incident: Incident, context: Call & Pick<StatusReport, "sources">): Html {
  const { texts, format } = context;
  const { began, ended, duration } = texts.status.incidents;
  const { id, sinceMs, endedAtMs } = incident;
  const times = endedAtMs === null
    ? markup`${began} ${exactTime(sinceMs, context)} (${timeAgo(sinceMs, context)})`
    : markup`${began} ${exactTime(sinceMs, context)} · ${ended} ${
      exactTime(endedAtMs, context)
    } · ${duration} ${format.duration(endedAtMs - sinceMs)}`;
  return markup`<li id="${id}"${endedAtMs === null ? markup` class="current"` : null}><h3>${
    incidentTitle(incident, context)
  }</h3><p>${incidentText(incident, texts)}</p><p class="soft">${times}</p></li>
`;
}
