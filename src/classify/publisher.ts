// Who publishes an item: by the host of its address, else by the names in its title.
import { PUBLISHER_DATA, type PublisherKind, type PublisherRule } from "./data.ts";
import { lazy } from "./lazy.ts";
import { buildPhraseIndex, findPhrases } from "./phrases/find_phrases.ts";
import type { FoldedText } from "./phrases/fold_text.ts";

/** The publisher as the rules need it. */
export interface Publisher {
  kind: PublisherKind;
  /** An authority whose subject is data protection. */
  dataProtection: boolean;
  /** An authority that supervises, audits or sets the standards of others; one for data protection is one too. */
  supervises: boolean;
  /** The host ending or the name that says so; empty when nothing does. */
  words: string;
  /** The one that says that it supervises, which may be another; empty when nothing does. */
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

/** The Union's official languages but English: who writes in one and is not known is taken for a Member State's body. */
const EU_LANGUAGES: ReadonlySet<string> = new Set(
  "bg cs da de el es et fi fr ga hr hu it lt lv mt nl pl pt ro sk sl sv".split(" "),
);

/**
 * The publisher; `host` in small letters, empty when there is no address. What the case law of the Court of Justice
 * says (CELEX sector 6) is the Court's, whoever shows it. Where nothing else says who speaks, a language of the Member
 * States does.
 */
export function findPublisher(
  from: { host: string; celex: string; title: FoldedText; language: string },
): Publisher {
  const { host, celex, title, language } = from;
  if (celex.startsWith("6")) {
    return { kind: "eu-court", dataProtection: false, supervises: true, words: celex, supervisesBy: celex };
  }
  const byHost = findHost(host);
  const named = findPhrases(NAMES(), title).sort((a, b) => a.value.order - b.value.order || a.start - b.start)
    .filter((hit) => byHost === null || hit.value.rule.kind === byHost.rule.kind);
  const speaker = named.find((hit) => hit.value.rule.dataProtection) ?? named[0];
  const rule = byHost?.rule ?? named[0]?.value.rule;
  if (rule === undefined) {
    const kind = EU_LANGUAGES.has(language) ? "member-state" : "unknown";
    return { kind, dataProtection: false, supervises: false, words: "", supervisesBy: "" };
  }
  const dataProtection = rule.dataProtection || speaker?.value.rule.dataProtection === true;
  const byName = speaker !== undefined && (byHost === null || dataProtection !== rule.dataProtection);
  const words = byName ? speaker.phrase : byHost?.ending ?? "";
  const supervisor = named.find((hit) => hit.value.rule.supervises);
  const supervises = dataProtection || rule.supervises || supervisor !== undefined;
  // The name of a supervisor under the address of a government says more than the address.
  const supervisesBy = dataProtection || rule.supervises ? words : supervisor?.phrase ?? "";
  return {
    kind: rule.kind,
    dataProtection,
    supervises,
    words,
    supervisesBy,
  };
}

/** The rule for the longest known ending of the host. */
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

/** The host of an address in small letters, without "www."; empty when it is no http(s) address. */
export function hostOf(url: string): string {
  const match = /^https?:\/\/(?:[^/?#@]*@)?([^/?#:@]+)/i.exec(url.trim());
  return (match?.[1] ?? "").toLowerCase().replace(/^www\./, "").replace(/\.$/, "");
}
