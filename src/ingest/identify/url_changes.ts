// Publications of which only the URL changes: because their site has moved, or at every fetch.
import type { RegEvent } from "../../domain/event/event.ts";
import type { StoredPublication } from "../../domain/ports/store/publications.ts";
import { trimEndOf } from "../../domain/trim_end.ts";
import { type IdentifiedItem, isSameButForAddress, isSameButForQuery, isSameButForSite } from "./identify.ts";
import { textsIn } from "./language_urls.ts";
import { cleanUrl } from "../normalise/links.ts";

/** From this many changed queries on, while no URL with a query is unchanged, the source generates them. */
const CHURNING_QUERIES = 3;
/** From this many publications on of which only the host has changed, their site has moved. */
const MOVED_TOGETHER = 3;
/** The lowest version from which a URL can return to one that was replaced earlier. */
const FIRST_RETURN = 3;

/** Items of which only the query of the URL has changed: signed URLs, and those that bypass caches. */
export class ChangedQueries {
  /** The items, with the external ids of their publications. */
  readonly moved = new Map<IdentifiedItem, string>();
  #isStable = false;

  /** Whether the source generates them at every fetch, so that they are not revisions; `unnamed` have no known id. */
  areGenerated(unnamed: number): boolean {
    return this.moved.size + unnamed >= CHURNING_QUERIES && !this.#isStable;
  }

  isMoved(one: IdentifiedItem, stored: StoredPublication | null): boolean {
    if (stored?.foundBy !== "key" || stored.withdrawn || !one.item.link.includes("?")) return false;
    if (stored.contentHash === one.contentHash) {
      this.#isStable = true;
      return false;
    }
    if (!isSameButForQuery(one.item, stored.event)) return false;
    this.moved.set(one, stored.externalId);
    return true;
  }
}

/** Items of which only the URL has changed. */
export class MovedUrls {
  /** Those of which the host or a trailing slash has changed. */
  moved: IdentifiedItem[] = [];
  /** Those that may have a previous URL again. */
  returned: IdentifiedItem[] = [];
  readonly #hosts = new Map<IdentifiedItem, string>();
  readonly #stored = new Map<IdentifiedItem, RegEvent>();

  /** Whether their site has moved: their records get the new URLs, without notifications. */
  get hasMoved(): boolean {
    return this.moved.length >= MOVED_TOGETHER;
  }

  isMoved(one: IdentifiedItem, stored: StoredPublication | null): boolean {
    if (stored === null || stored.withdrawn || stored.contentHash === one.contentHash) return false;
    // With the same text only the date has changed.
    if (stored.textHash === one.textHash) return false;
    const event = textsIn(stored.event, one.language);
    // The record of a publication in several languages has the URL of its own language.
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

  /** Removes and returns, by external id, items that alternate between two URLs or differ in `www.` or a slash. */
  async takeReverted(
    findEvent: (id: string) => Promise<{ json: string } | null>,
  ): Promise<Map<IdentifiedItem, string>> {
    const find = async (id: string | null): Promise<RegEvent | null> => {
      const found = id === null ? null : await findEvent(id);
      return found === null ? null : JSON.parse(found.json);
    };
    const reverted = new Map<IdentifiedItem, string>();
    for (const [one, { supersedes, url_official, external_id }] of this.#stored) {
      const before = await find(supersedes);
      if (before === null || cleanUrl(before.url_official) !== cleanUrl(one.item.link)) continue;
      const isSpelling = withoutSpelling(one.item.link) === withoutSpelling(url_official);
      const first = isSpelling ? null : await find(before.supersedes);
      if (isSpelling || first !== null && cleanUrl(first.url_official) === cleanUrl(url_official)) {
        reverted.set(one, external_id);
      }
    }
    this.moved = this.moved.filter((one) => !reverted.has(one));
    this.returned = this.returned.filter((one) => !reverted.has(one));
    return reverted;
  }

  get note(): string {
    return `${this.moved.length} publications have moved ${
      [...new Set(this.moved.map((one) => this.#hosts.get(one)))].join(", ")
    } without other changes: their events get the new URLs, and nobody is notified; check url and base_url of the source`;
  }
}

/** The URL without `www.` and a trailing slash. */
function withoutSpelling(url: string): string {
  const parsed = URL.parse(cleanUrl(url));
  if (parsed === null) return url;
  return `${parsed.host.replace(/^www\./, "")}${
    trimEndOf(parsed.pathname, "/")
  }${parsed.search}${parsed.hash}`;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}
