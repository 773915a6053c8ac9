// Lists the URLs and hosts in the settings of a source.
import type { SourceSettings } from "../../domain/source/source.ts";

/** Returns the host from which a source is fetched, or null for a folder. */
export function hostOf(source: SourceSettings): string | null {
  return source.fetchStrategy === "files" ? null : new URL(source.location).host;
}

export function addressesOf({ fetchStrategy, location, urls }: SourceSettings): string[] {
  if (urls !== undefined) return Object.values(urls);
  return fetchStrategy === "files" ? [] : [location];
}

export function hostsOf(source: SourceSettings): string[] {
  return [...new Set(addressesOf(source).map((address) => new URL(address).host))];
}
