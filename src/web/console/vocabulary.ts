// The names of topics, event types, severities, sources and languages in the language of the page.
import type * as z from "zod";
import type { Customer } from "../../domain/customer/customer.ts";
import { DEFINED_EVENT_TYPES, DEFINED_SEVERITIES } from "../../domain/event/definitions.ts";
import { languageName } from "../../domain/event/language_codes.ts";
import type { CallApi } from "../../http/api_call.ts";
import type { sourceList, topicList } from "../../wire/health_sources_topics.ts";
import type { Language } from "../texts/texts.ts";

type TopicRecord = z.infer<typeof topicList>["topics"][number];

export interface Named {
  id: string;
  name: string;
}

export interface Vocabulary {
  topics: readonly TopicRecord[];
  /** The sources by name. */
  sources: readonly Named[];
  eventTypes: readonly Named[];
  /** In ascending order. */
  severities: readonly Named[];
  /** Unknown ids are their own names. */
  topicName(id: string): string;
  eventTypeName(id: string): string;
  severityName(id: string): string;
  sourceName(id: string): string;
  languageName(code: string): string;
}

interface Term {
  id: string;
  name_en: string;
  name_de: string;
  name_fr: string;
}

export async function readVocabulary(
  callApi: CallApi,
  customer: Customer,
  language: Language,
): Promise<Vocabulary> {
  const [topicAnswer, sourceAnswer] = await Promise.all([
    callApi(customer, { method: "GET", path: "/v1/topics" }),
    callApi(customer, { method: "GET", path: "/v1/sources" }),
  ]);
  const { topics } = topicAnswer.json as z.infer<typeof topicList>;
  const { sources } = sourceAnswer.json as z.infer<typeof sourceList>;
  const named = (terms: readonly Term[]): Named[] =>
    terms.map((term) => ({ id: term.id, name: term[`name_${language}`] }));
  const bySource = sources.map(({ id, name_en, name_de }) => ({
    id,
    name: (language === "de" ? name_de : null) ?? name_en,
  })).sort((a, b) => a.name.localeCompare(b.name, language));
  const [eventTypes, severities] = [named(DEFINED_EVENT_TYPES), named(DEFINED_SEVERITIES)];
  const finder = (terms: readonly Named[]) => {
    const names = new Map(terms.map(({ id, name }) => [id, name]));
    return (id: string): string => names.get(id) ?? id;
  };
  return {
    topics,
    sources: bySource,
    eventTypes,
    severities,
    topicName: finder(named(topics)),
    eventTypeName: finder(eventTypes),
    severityName: finder(severities),
    sourceName: finder(bySource),
    languageName: (code) => languageName(code, language),
  };
}
