// Who publishes an item: by the host of its address, else by the names in its title.
import { PUBLISHER_DATA, type PublisherKind, type PublisherRule } from "./data.ts";
import { buildPhraseIndex, findPhrases } from "./phrases.ts";
import type { FoldedText } from "./text.ts";

/** The publisher as the rules need it. */
export interface Publisher {
  kind: PublisherKind;
  /** An authority whose subject is data protection. */
  dataProtection: boolean;
  /** The host ending or the name that says so; empty when nothing does. */
  words: string;
}

const BY_HOST: ReadonlyMap<string, PublisherRule> = new Map(
  PUBLISHER_DATA.hosts.flatMap((rule) => rule.hosts.map((host) => [host, rule] as const)),
);

const NAMES = buildPhraseIndex(
  PUBLISHER_DATA.names.flatMap((rule, order) =>
    rule.names.map((phrase) => ({ phrase, value: { rule, order } }))
  ),
);

/** The publisher; `host` in small letters, empty when there is no address. */
export function findPublisher(host: string, title: FoldedText): Publisher {
  for (
    let ending = host;
    ending !== "";
    ending = ending.includes(".") ? ending.slice(ending.indexOf(".") + 1) : ""
  ) {
    const rule = BY_HOST.get(ending);
    if (rule !== undefined) return { kind: rule.kind, dataProtection: rule.dataProtection, words: ending };
  }
  const hits = findPhrases(NAMES, title);
  const first = hits.sort((a, b) => a.value.order - b.value.order || a.at - b.at)[0];
  if (first === undefined) return { kind: "unknown", dataProtection: false, words: "" };
  const { rule } = first.value;
  return { kind: rule.kind, dataProtection: rule.dataProtection, words: first.phrase };
}

/** The host of an address in small letters, without "www."; empty when it is no http(s) address. */
export function hostOf(url: string): string {
  const match = /^https?:\/\/(?:[^/?#@]*@)?([^/?#:@]+)/i.exec(url.trim());
  return (match?.[1] ?? "").toLowerCase().replace(/^www\./, "").replace(/\.$/, "");
}
