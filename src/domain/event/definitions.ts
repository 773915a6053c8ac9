// The names and definitions of severities, event types and topics, in English, German and French.
import data from "./definitions.json" with { type: "json" };
import { EVENT_TYPES, type EventType } from "./event.ts";
import { SEVERITIES, type Severity } from "./severity.ts";

/** The field names are those of the API. */
export interface Definition {
  definition_en: string;
  definition_de: string;
  definition_fr: string;
}

export interface DefinedTerm<Id extends string = string> extends Definition {
  id: Id;
  name_en: string;
  name_de: string;
  name_fr: string;
}

/** Returns the name of a term, or the id itself if it is unknown. */
export function termName(terms: readonly DefinedTerm[], id: string, language: "en" | "de" | "fr"): string {
  return terms.find((term) => term.id === id)?.[`name_${language}`] ?? id;
}

/** In ascending order. */
export const DEFINED_SEVERITIES: readonly DefinedTerm<Severity>[] = SEVERITIES.map((id) => ({
  id,
  ...data.severities[id],
}));

export const DEFINED_EVENT_TYPES: readonly DefinedTerm<EventType>[] = EVENT_TYPES.map((id) => ({
  id,
  ...data.event_types[id],
}));

const TOPIC_DEFINITIONS: ReadonlyMap<string, Definition> = new Map(Object.entries(data.topics));

/** Returns the definition of a topic, or null if the operator added the topic. */
export function topicDefinition(id: string): Definition | null {
  return TOPIC_DEFINITIONS.get(id) ?? null;
}
