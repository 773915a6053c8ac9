// Finds the publisher of an item by CELEX number, by the host of its URL, by names in its title, or else by language.
import { PUBLISHER_DATA, type PublisherKind, type PublisherRule } from "./data.ts";
import { lazy } from "./memoize.ts";
import { buildPhraseIndex, findPhrases } from "./phrases/find_phrases.ts";
import type { FoldedText } from "./phrases/fold_text.ts";

export interface Publisher {
  kind: PublisherKind;
  dataProtection: boolean;
  /** Whether the publisher supervises, audits or sets standards. True for data protection authorities. */
  supervises: boolean;
  /** The evidence: a CELEX number, a host suffix or a name; may be empty. */
  words: string;
  /** The evidence for `supervises`, which may differ from `words`; may be empty. */
  supervisesBy: string;
}

const BY_HOST: ReadonlyMap<string, PublisherRule> = new Map(
  PUBLISHER_DATA.hosts.flatMap((rule) => rule.hosts.map((host) => [host, rule] as const)),
);

const NAMES = lazy(() =>
  buildPhraseIndex(
    PUBLISHER_DATA.names.flatMap((rule, order) =>
      rule.names.map((phrase) => ({ phrase, value: { rule, order } }))
    ),
  )
);

/**
 * The EU's official languages except English. If an item is in one of these languages, an unknown publisher counts as a
 * Member State body.
 */
const EU_LANGUAGES: ReadonlySet<string> = new Set(
  "bg cs da de el es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv".split(" "),
);

export function findPublisher(
  from: { host: string; celex: string; title: FoldedText; language: string },
): Publisher {
  const { host, celex, title, language } = from;
  // CELEX sector 6 is the case law of the Court of Justice.
  if (celex.startsWith("6")) {
    return { kind: "eu-court", dataProtection: false, supervises: true, words: celex, supervisesBy: celex };
  }
  const byHost = findHost(host);
  const named = findPhrases(NAMES(), title).sort((a, b) => a.value.order - b.value.order || a.start - b.start)
    .filter((hit) => byHost === null || hit.value.rule.kind === byHost.rule.kind);
  const speaker = named.find((hit) => hit.value.rule.data_protection) ?? named[0];
  const rule = byHost?.rule ?? named[0]?.value.rule;
  if (rule === undefined) {
    const kind = EU_LANGUAGES.has(language) ? "member-state" : "unknown";
    return { kind, dataProtection: false, supervises: false, words: "", supervisesBy: "" };
  }
  const dataProtection = rule.data_protection || speaker?.value.rule.data_protection === true;
  const byName = speaker !== undefined && (byHost === null || dataProtection !== rule.data_protection);
  const words = byName ? speaker.phrase : byHost?.ending ?? "";
  const supervisor = named.find((hit) => hit.value.rule.supervises);
  const supervises = dataProtection || rule.supervises || supervisor !== undefined;
  // A supervisor's name is stronger evidence than a government's host.
  const supervisesBy = dataProtection || rule.supervises ? words : supervisor?.phrase ?? "";
  return {
    kind: rule.kind,
    dataProtection,
    supervises,
    words,
    supervisesBy,
  };
}

/** Returns the rule for the longest known suffix of the host, or null if no suffix is known. */
function findHost(host: string): { rule: PublisherRule; ending: string } | null {
  for (
    let ending = host;
    ending !== "";
    ending = ending.includes(".") ? ending.slice(ending.indexOf(".") + 1) : ""
  ) {
    const rule = BY_HOST.get(ending);
    if (rule !== undefined) return { rule, ending };
  }
  return null;
}

/** Returns the host of a URL in lower case, without "www."; empty if the URL is not http(s). */
export function hostOf(url: string): string {
  const match = /^https?:\/\/(?:[^/?#@]*@)?([^/?#:@]+)/i.exec(url.trim());
  return (match?.[1] ?? "").toLowerCase().replace(/^www\./, "").replace(/\.$/, "");
}
