// What an incident is called, and what it means, in the language of a page.
import type { Incident } from "../../domain/source/incident.ts";
import type { Language, Texts } from "../texts/texts.ts";
import type { SourceStatus } from "./status_report.ts";

interface Named {
  language: Language;
  texts: Texts;
  sources: readonly SourceStatus[];
}

export function sourceName({ nameEn, nameDe }: SourceStatus["source"], language: Language): string {
  return language === "de" ? nameDe : nameEn;
}

/** Returns the title of an incident. A source that is no longer configured is named by its id. */
export function incidentTitle({ kind, sourceId }: Incident, { language, texts, sources }: Named): string {
  const title = texts.status.incidents.kinds[kind];
  if (sourceId === null) return title;
  const found = sources.find(({ source }) => source.id === sourceId);
  return texts.status.incidents.ofSource(
    found === undefined ? sourceId : sourceName(found.source, language),
    title,
  );
}

export function incidentText({ kind, cause }: Incident, { status: { incidents } }: Texts): string {
  if (kind === "silent" || kind === "deliveries_late" || kind === "stopped") return incidents.texts[kind];
  return incidents.causes[cause ?? "internal"];
}
