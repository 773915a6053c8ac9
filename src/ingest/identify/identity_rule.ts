// The identity rule of a source, and the identity of an item under that rule.
import { createHash } from "node:crypto";
import {
  IDENTITY_RULES,
  type IdentityRule,
  PATTERN_RULE,
  type SourceSettings,
  type SourceState,
} from "../../domain/source/source.ts";
import { type LanguageForms, languageForms, withoutLanguage } from "./language_urls.ts";
import type { NormalisedItem } from "../normalise/item.ts";
import { cleanUrl } from "../normalise/links.ts";

/** Maximum length of an identity in characters. A longer one is replaced by its hash. */
const MAX_KEY_LENGTH = 500;
const MAX_FORMER = 5;
const ANY_LANGUAGE = "any-language ";

export interface Identity {
  rule: IdentityRule;
  /** The former rules, latest first. */
  former: readonly IdentityRule[];
  /** Whether the config sets the rule, which then never changes automatically. */
  isFixed: boolean;
  /** Null if publications have only one language. */
  languages: LanguageForms | null;
}

/** The identity of a source without state, under the rule `guid`. */
export const PLAIN_IDENTITY: Identity = { rule: "guid", former: [], isFixed: false, languages: null };

/** Returns the identity rules of a source. The current rule is that of the config, or else the stored one. */
export function identityOf(
  source: Pick<SourceSettings, "identity" | "languages" | "urls" | "languagePattern">,
  state: Pick<SourceState, "identityRule" | "formerRules" | "lastSuccessAtMs">,
): Identity {
  const languages = languageForms(source);
  const known = baseOf(state.identityRule);
  // Most ids belong to one language, so publications in several languages are identified by their URL.
  const automatic = languages !== null && known === "guid" ? "link" : known;
  const rule = (languages === null ? "" : ANY_LANGUAGE) + (source.identity ?? automatic);
  const before = state.lastSuccessAtMs === null ? [] : [state.identityRule, ...state.formerRules];
  return {
    rule,
    former: withoutRepeats(before, rule),
    isFixed: source.identity !== undefined,
    languages,
  };
}

export function movedOn(identity: Identity, base: IdentityRule): Identity {
  const rule = (identity.languages === null ? "" : ANY_LANGUAGE) + base;
  return { ...identity, rule, former: withoutRepeats([identity.rule, ...identity.former], rule) };
}

export function nextRule({ rule, isFixed }: Identity): IdentityRule | null {
  const index = IDENTITY_RULES.findIndex((known) => known === baseOf(rule));
  return isFixed || index < 0 ? null : IDENTITY_RULES[index + 1] ?? null;
}

export function baseOf(rule: IdentityRule): IdentityRule {
  return rule.startsWith(ANY_LANGUAGE) ? rule.slice(ANY_LANGUAGE.length) : rule;
}

function withoutRepeats(rules: readonly IdentityRule[], rule: IdentityRule): IdentityRule[] {
  return [...new Set(rules)].filter((one) => one !== rule).slice(0, MAX_FORMER);
}

/** Returns a function that identifies an item under a rule. `clean` normalises URLs. */
export function keyUnder(
  rule: IdentityRule,
  languages: LanguageForms | null,
  clean: (url: string) => string = cleanUrl,
): (item: NormalisedItem) => string {
  const isAnyLanguage = rule.startsWith(ANY_LANGUAGE) && languages !== null;
  const neutral = (url: string) => isAnyLanguage ? withoutLanguage(url, languages).url : url;
  // Items without a link have the site's URL. A title alone is not enough, because a bulletin may repeat it.
  const linkOf = (item: NormalisedItem) =>
    neutral(clean(item.link)) +
    (item.hasNoLink === true
      ? ` ${item.title} ${item.publishedAtMs ?? item.updatedAtMs ?? ""}`.trimEnd()
      : "");
  const base = baseOf(rule);
  if (base.startsWith(PATTERN_RULE)) return patternKey(base.slice(PATTERN_RULE.length), linkOf, clean);
  if (base === "link+title") return (item) => short(`${neutral(clean(item.link))} ${item.title}`);
  if (base === "guid") {
    return (item) => item.guid === null ? short(linkOf(item)) : short(neutral(cleanGuid(item.guid, clean)));
  }
  return (item) => short(linkOf(item));
}

function patternKey(
  source: string,
  linkOf: (item: NormalisedItem) => string,
  clean: (url: string) => string,
): (item: NormalisedItem) => string {
  const pattern = new RegExp(source);
  return (item) => {
    for (const text of [item.link, item.guid ?? ""]) {
      const found = pattern.exec(text)?.[1];
      if (found !== undefined && found !== "") return short(cleanGuid(found, clean));
    }
    return short(linkOf(item));
  };
}

/** Removes tracking parameters from an id that is a URL, and the edition time that some sites add as a fragment. */
function cleanGuid(guid: string, clean: (url: string) => string): string {
  // A lone surrogate cannot be stored. Escaping it keeps different ids different.
  if (!guid.isWellFormed()) return JSON.stringify(guid).slice(1, -1);
  if (!/^https?:\/\//i.test(guid) || !URL.canParse(guid)) return guid;
  return clean(guid.replace(/#\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/, ""));
}

function short(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : `sha256:${createHash("sha256").update(key).digest("hex")}`;
}
