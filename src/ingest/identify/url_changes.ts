// Detects publications whose URL alone changes, because the site has moved or every fetch brings new URLs.
import type { RegEvent } from "../../domain/event/event.ts";
import type { StoredPublication } from "../../domain/ports/store/publications.ts";
import { trimEndOf } from "../../domain/trim_end.ts";
import { type IdentifiedItem, isSameButForAddress, isSameButForQuery, isSameButForSite } from "./identify.ts";
import { textsIn } from "./language_urls.ts";
import { cleanUrl } from "../normalise/links.ts";

/** If at least this many URLs have a changed query and none has its old one, the source generates the queries. */
const CHURNING_QUERIES = 3;
/** If at least this many items have a URL that differs only in its host or a trailing slash, the site has moved. */
const MOVED_TOGETHER = 3;
/** The first version that can show that the URL of a publication alternates between two values. */
const FIRST_RETURN = 3;

/** Items whose URL has changed only in its query, as with signed URLs and URLs that bypass caches. */
export class ChangedQueries {
  /** The items, with the external ids of their publications. */
  readonly moved = new Map<IdentifiedItem, string>();
  #isStable = false;

  /** Whether the source generates new queries at every fetch. `unnamed` counts the changed queries of unknown items. */
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

export class MovedUrls {
  /** Items whose URL has changed only in its host or a trailing slash. */
  moved: IdentifiedItem[] = [];
  /** Items that may have returned to an earlier URL. */
  returned: IdentifiedItem[] = [];
  readonly #hosts = new Map<IdentifiedItem, string>();
  readonly #stored = new Map<IdentifiedItem, RegEvent>();

  /** Whether the site has moved. The records then get the new URLs without notifications. */
  get hasMoved(): boolean {
    return this.moved.length >= MOVED_TOGETHER;
  }

  isMoved(one: IdentifiedItem, stored: StoredPublication | null): boolean {
    if (stored === null || stored.withdrawn || stored.contentHash === one.contentHash) return false;
    // If the text hash, which covers the URL, is the same, only the date has changed.
    if (stored.textHash === one.textHash) return false;
    const event = textsIn(stored.event, one.language);
    // Only an item in the record's own language can change the record's URL.
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
   * Removes the items that are back at their previous URL, if the URLs alternate or differ only in `www.` or a trailing
   * slash. Returns these items with their external ids.
   */
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
    } without other changes: their events get the new URLs without notifications; check url and base_url of the source`;
  }
}

/** Returns the URL without its scheme, `www.` and trailing slash. */
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
