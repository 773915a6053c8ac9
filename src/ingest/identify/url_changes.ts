// Addresses that move while nothing else of their publications does: with their site, or for each fetch anew.
import type { RegEvent } from "../../domain/event/event.ts";
import type { StoredPublication } from "../../domain/ports/store/store.ts";
import { trimEndOf } from "../../domain/trim.ts";
import { type IdentifiedItem, isSameButForAddress, isSameButForQuery, isSameButForSite } from "./identify.ts";
import { textsIn } from "./language_urls.ts";
import { cleanUrl } from "../normalise/links.ts";

/** So many addresses whose queries change at once, while none with a query stands still, are made up for each fetch. */
const CHURNING_QUERIES = 3;
/** So many publications whose addresses have another host, and that are as they were, have moved with their site. */
const MOVED_TOGETHER = 3;
/** The first version whose address can be one that was left and taken up again. */
const FIRST_RETURN = 3;

/** Addresses of a document of which nothing but the query has changed: signed ones, and those against caches. */
export class ChangedQueries {
  readonly moved: IdentifiedItem[] = [];
  #isStable = false;

  /** Whether they are made up for each fetch, so that they are no revisions; with so many that are known by no name. */
  areMadeUp(unnamed: number): boolean {
    return this.moved.length + unnamed >= CHURNING_QUERIES && !this.#isStable;
  }

  /** Whether an item is one of them. */
  isMoved(one: IdentifiedItem, stored: StoredPublication | null): boolean {
    if (stored?.foundBy !== "key" || stored.withdrawn || !one.item.link.includes("?")) return false;
    if (stored.contentHash === one.contentHash) this.#isStable = true;
    else if (isSameButForQuery(one.item, stored.event)) this.moved.push(one);
    else return false;
    return this.moved.at(-1) === one;
  }
}

/** Publications of a document of which nothing but the address has changed. */
export class MovedUrls {
  /** Those of which it is the host, or the last slash. */
  moved: IdentifiedItem[] = [];
  /** Those that may have the address again that they had before. */
  returned: IdentifiedItem[] = [];
  readonly #hosts = new Map<IdentifiedItem, string>();
  readonly #stored = new Map<IdentifiedItem, RegEvent>();

  /** Whether their site has moved: their records get the new addresses, and nobody is told of that. */
  get hasMoved(): boolean {
    return this.moved.length >= MOVED_TOGETHER;
  }

  /** Whether an item is one of them. */
  isMoved(one: IdentifiedItem, stored: StoredPublication | null): boolean {
    if (stored === null || stored.withdrawn || stored.contentHash === one.contentHash) return false;
    // With the same text only the date has moved.
    if (stored.textHash === one.textHash) return false;
    const event = textsIn(stored.event, one.language);
    // A publication in several languages has the address of its own.
    if (one.language !== undefined && one.language !== event.language) return false;
    const isSite = isSameButForSite(one.item, event);
    const mayReturn = event.version >= FIRST_RETURN &&
      cleanUrl(one.item.link) !== cleanUrl(event.url_official) && isSameButForAddress(one.item, event);
    if (!isSite && !mayReturn) return false;
    if (isSite) this.#hosts.set(one, `from ${hostOf(event.url_official)} to ${hostOf(one.item.link)}`);
    (isSite ? this.moved : this.returned).push(one);
    this.#stored.set(one, event);
    return true;
  }

  /**
   * Takes out, and returns by their external ids, those that go back and forth between two addresses, so that both lead to
   * the publication: they have the one again that the version before had, and had the one of now before that; or the two
   * are one but for `www.` and the last slash.
   */
  async takeReverted(
    findEvent: (id: string) => Promise<{ json: string } | null>,
  ): Promise<Map<IdentifiedItem, string>> {
    const find = async (id: string | null): Promise<RegEvent | null> => {
      const found = id === null ? null : await findEvent(id);
      return found === null ? null : JSON.parse(found.json);
    };
    const turned = new Map<IdentifiedItem, string>();
    for (const [one, { supersedes, url_official, external_id }] of this.#stored) {
      const before = await find(supersedes);
      if (before === null || cleanUrl(before.url_official) !== cleanUrl(one.item.link)) continue;
      const isSpelling = spellingless(one.item.link) === spellingless(url_official);
      const first = isSpelling ? null : await find(before.supersedes);
      if (isSpelling || first !== null && cleanUrl(first.url_official) === cleanUrl(url_official)) {
        turned.set(one, external_id);
      }
    }
    this.moved = this.moved.filter((one) => !turned.has(one));
    this.returned = this.returned.filter((one) => !turned.has(one));
    return turned;
  }

  /** What has happened, for the operator. */
  get words(): string {
    return `${this.moved.length} publications have moved ${
      [...new Set(this.moved.map((one) => this.#hosts.get(one)))].join(", ")
    } without other changes: their events get the new URLs, and nobody is notified; check url and base_url of the source`;
  }
}

/** What two spellings of one address have in common. */
function spellingless(address: string): string {
  const url = URL.parse(cleanUrl(address));
  if (url === null) return address;
  return `${url.host.replace(/^www\./, "")}${trimEndOf(url.pathname, "/")}${url.search}${url.hash}`;
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}
