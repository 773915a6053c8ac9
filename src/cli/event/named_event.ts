// Finds the event that a command names by its id or by a URL.
import { isId } from "../../domain/event/ids.ts";
import type { FoundEvent } from "../../domain/ports/store/events.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { absoluteUrl, cleanUrl } from "../../ingest/normalise/links.ts";
import { CommandError, EXIT } from "../../server/command_context.ts";

/** Matches the path of an event or of its versions in the API. The host does not matter, because it may be a proxy's. */
const API_PATH = /\/v1\/events\/([^/]+)/;

/** Finds an event. For the URL of a publication, finds the publication's newest version. */
export async function findNamedEvent(
  store: Store,
  named: string,
): Promise<{ id: string; found: FoundEvent }> {
  const id = isId("event", named) ? named : await findByUrl(store, named);
  const found = isId("event", id) ? await store.findEvent(id) : null;
  if (found === null) {
    throw new CommandError(`there is no event ${id}; \`regfeed event list\` lists the events`);
  }
  return { id, found };
}

async function findByUrl(store: Store, named: string): Promise<string> {
  const parsed = URL.parse(named);
  const inApi = API_PATH.exec(parsed?.pathname ?? "")?.[1];
  if (inApi !== undefined) return inApi;
  const url = parsed === null ? null : absoluteUrl(named);
  if (url === null) {
    throw new CommandError(
      `${named} is not an event id, which is evt_ followed by 26 characters, or a URL; \`regfeed event list\` lists the events`,
      EXIT.usage,
    );
  }
  const clean = cleanUrl(url);
  const [newest, ...others] = await store.listByUrl([url, clean, clean.replace(/^https/, "http")]);
  if (newest === undefined) {
    throw new CommandError(
      `no event has the URL ${url}; \`regfeed event list --q WORDS\` finds events by words of their titles and summaries`,
    );
  }
  if (others.length > 0) {
    const ids = [newest, ...others].map(({ id }) => id).join(", ");
    throw new CommandError(
      `${others.length + 1} publications have the URL ${url}; use one of the ids: ${ids}`,
    );
  }
  return newest.id;
}
