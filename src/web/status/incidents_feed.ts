// GET /status/incidents.atom: incidents as an Atom feed (RFC 4287).
import { harmless } from "../../domain/control_characters.ts";
import type { Incident } from "../../domain/source/incident.ts";
import { type Html, markup } from "../html.ts";
import type { PageCall } from "../page_route.ts";
import { FEED_PATH } from "./status_page.ts";
import { incidentText, incidentTitle } from "./incident_texts.ts";
import type { ServiceState } from "./status_report.ts";

const DAY_MS = 86_400_000;

/**
 * Renders the feed. The ids are tag URIs (RFC 4151) of the feed and of the incidents. They do not contain the URL of the
 * service, so that nothing becomes unread when it changes.
 */
export function incidentsFeed(
  { incidents, sources }: ServiceState,
  { feedId, publicUrl, ...call }: Pick<PageCall, "texts" | "format" | "language" | "nowMs"> & {
    feedId: string;
    publicUrl: string;
  },
): string {
  const { texts: { status }, language, nowMs } = call;
  const newest = [...incidents].sort((a, b) => b.updatedAtMs - a.updatedAtMs);
  // Without incidents, the time is that of the day, so that the feed does not change with each request.
  const updatedAtMs = newest[0]?.updatedAtMs ?? Math.floor(nowMs / DAY_MS) * DAY_MS;
  const feed = markup`<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">
<id>tag:regfeed,2026:incidents/${feedId}</id>
<title>${status.incidents.feedTitle}</title>
<updated>${new Date(updatedAtMs).toISOString()}</updated>
<link rel="self" type="application/atom+xml" href="${publicUrl}${FEED_PATH}"/>
<link rel="alternate" type="text/html" href="${publicUrl}/status"/>
<author><name>Regfeed</name></author>
${newest.map((incident) => entryOf(incident, { ...call, sources, publicUrl }))}</feed>
`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${feed.text}`;
}

function entryOf(
  incident: Incident,
  context: Parameters<typeof incidentTitle>[1] & Pick<PageCall, "format"> & { publicUrl: string },
): Html {
  const { texts, format, publicUrl } = context;
  const { id, kind, sinceMs, endedAtMs, updatedAtMs } = incident;
  const { began, ended, ongoing } = texts.status.incidents;
  const end = endedAtMs === null ? ongoing : `${ended} ${format.dateTime(endedAtMs)}.`;
  const summary = `${incidentText(incident, texts)} ${began} ${format.dateTime(sinceMs)}. ${end}`;
  return markup`<entry>
<id>tag:regfeed,2026:incident/${id}</id>
<title>${harmless(incidentTitle(incident, context))}</title>
<published>${new Date(sinceMs).toISOString()}</published>
<updated>${new Date(updatedAtMs).toISOString()}</updated>
<link rel="alternate" type="text/html" href="${publicUrl}/status#${id}"/>
<category term="${kind}"/>
<summary>${summary}</summary>
</entry>
`;
}
