// Addresses that move while nothing else of their publications does: with their site, or for each fetch anew.
import type { StoredPublication } from "../domain/store.ts";
import { type IdentifiedItem, isSameButForQuery, isSameButForSite } from "./identify.ts";

/** So many addresses whose queries change at once, while none with a query stands still, are made up for each fetch. */
const CHURNING_QUERIES = 3;
/** So many publications whose addresses have another host, and that are as they were, have moved with their site. */
const MOVED_TOGETHER = 3;

/** Addresses of a document of which nothing but the query has changed: signed ones, and those against caches. */
export class MovedQueries {
  readonly moved: IdentifiedItem[] = [];
  #standsStill = false;

  /** Whether they are made up for each fetch, so that they are no revisions; with so many that are known by no name. */
  areMadeUp(unnamed: number): boolean {
    return this.moved.length + unnamed >= CHURNING_QUERIES && !this.#standsStill;
  }

  /** Whether an item is one of them. */
  isMoved(one: IdentifiedItem, stored: StoredPublication | null): boolean {
    if (stored?.foundBy !== "key" || stored.withdrawn || !one.item.link.includes("?")) return false;
    if (stored.contentHash === one.contentHash) this.#standsStill = true;
    else if (isSameButForQuery(one.item, stored.event())) this.moved.push(one);
    else return false;
    return this.moved.at(-1) === one;
  }
}

/** Publications of a document of which nothing but the host of the address has changed, or its last slash. */
export class MovedSite {
  readonly moved: IdentifiedItem[] = [];
  readonly #hosts = new Set<string>();

  /** Whether their site has moved: their records get the new addresses, and nobody is told of that. */
  get hasMoved(): boolean {
    return this.moved.length >= MOVED_TOGETHER;
  }

  /** Whether an item is one of them. */
  isMoved(one: IdentifiedItem, stored: StoredPublication | null): boolean {
    if (stored === null || stored.withdrawn || stored.contentHash === one.contentHash) return false;
    // A publication in several languages has the address of one of them; with the same text only the date has moved.
    if (one.language !== undefined || stored.textHash === one.textHash) return false;
    const event = stored.event();
    if (!isSameButForSite(one.item, event)) return false;
    this.moved.push(one);
    this.#hosts.add(`from ${hostOf(event.url_official)} to ${hostOf(one.item.link)}`);
    return true;
  }

  /** What has happened, for the operator. */
  get words(): string {
    return `${this.moved.length} publications have moved ${
      [...this.#hosts].join(", ")
    }, and are as they were: ` +
      "their records have the new addresses, nobody is told; look whether url and base_url of the source are still right";
  }
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}
