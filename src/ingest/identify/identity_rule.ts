// The rule that tells the publications of a source apart: where it comes from, and what an item's identity is under it.
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

/** The longest identity that is kept as it is; of a longer one the hash is. */
const MAX_KEY_LENGTH = 500;
/** Former rules that are remembered. */
const MAX_FORMER = 5;
const ANY_LANGUAGE = "any-language ";

/** The rule of a source with what it was before. */
export interface Identity {
  rule: IdentityRule;
  /** The rules before it, the latest first. */
  former: readonly IdentityRule[];
  /** Whether the config names it: then it does not move on by itself. */
  isFixed: boolean;
  /** Null where a publication has one language. */
  languages: LanguageForms | null;
}

/** The rule `guid` of a source of which nothing else is known. */
export const PLAIN_IDENTITY: Identity = { rule: "guid", former: [], isFixed: false, languages: null };

/**
 * The identity with which a fetch begins: the rule of the config, else the one that the source has come to. Where that
 * is another one than before, the one before is a former rule: nothing that was known under it is new.
 */
export function identityOf(
  source: Pick<SourceSettings, "identity" | "languages" | "urls" | "languagePattern">,
  state: Pick<SourceState, "identityRule" | "formerRules" | "lastSuccessAtMs">,
): Identity {
  const languages = languageForms(source);
  const known = baseOf(state.identityRule);
  // Ids are mostly of one language: where a publication has several, its address tells it.
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

/** The same with another base rule. */
export function movedOn(identity: Identity, base: IdentityRule): Identity {
  const rule = (identity.languages === null ? "" : ANY_LANGUAGE) + base;
  return { ...identity, rule, former: withoutRepeats([identity.rule, ...identity.former], rule) };
}

/** The next rule by itself; null when there is none. */
export function nextRule({ rule, isFixed }: Identity): IdentityRule | null {
  const place = IDENTITY_RULES.findIndex((known) => known === baseOf(rule));
  return isFixed || place < 0 ? null : IDENTITY_RULES[place + 1] ?? null;
}

/** The rule without what it says of languages. */
export function baseOf(rule: IdentityRule): IdentityRule {
  return rule.startsWith(ANY_LANGUAGE) ? rule.slice(ANY_LANGUAGE.length) : rule;
}

function withoutRepeats(rules: readonly IdentityRule[], rule: IdentityRule): IdentityRule[] {
  return [...new Set(rules)].filter((one) => one !== rule).slice(0, MAX_FORMER);
}

/** A function that gives an item's identity under a rule; `clean` says what of an address counts. */
export function keyUnder(
  rule: IdentityRule,
  languages: LanguageForms | null,
  clean: (address: string) => string = cleanUrl,
): (item: NormalisedItem) => string {
  const isAnyLanguage = rule.startsWith(ANY_LANGUAGE) && languages !== null;
  const neutral = (address: string) => isAnyLanguage ? withoutLanguage(address, languages).address : address;
  // What stands at no address of its own shares that of the site with everything else that does not, and a bulletin its
  // title with that of last week.
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
  clean: (address: string) => string,
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

/** An id that is an address loses its tracking, and the time of its edition that some sites add as a fragment. */
function cleanGuid(guid: string, clean: (address: string) => string): string {
  // Half a character cannot be stored: written as its escape, two ids stay two.
  if (!guid.isWellFormed()) return JSON.stringify(guid).slice(1, -1);
  if (!/^https?:\/\//i.test(guid) || !URL.canParse(guid)) return guid;
  return clean(guid.replace(/#\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/, ""));
}

function short(key: string): string {
  return key.length <= MAX_KEY_LENGTH ? key : `sha256:${createHash("sha256").update(key).digest("hex")}`;
}
