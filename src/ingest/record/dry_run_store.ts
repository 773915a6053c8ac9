// A dry run of several documents: each is decided on as if what stood in those before it had been kept.
import type { PublicationKey, RecordDecision, Store } from "../../domain/ports/store/store.ts";

type Preview = Store["previewPublications"];

/** What a decision would have left in the store. */
interface DryRunStore {
  publication: PublicationKey;
  decision: RecordDecision;
}

/**
 * Previews as the store does, with what earlier calls decided on the same publications. Of these alone, so that a long
 * list costs no more than it is long.
 */
export function createDryRunStore({ previewPublications }: { previewPublications: Preview }): Preview {
  const rehearsed = new Map<string, DryRunStore[]>();
  return async (sourceId, publications, decide) => {
    const names = new Set(publications.flatMap(namesOf));
    const before = new Set([...names].flatMap((name) => rehearsed.get(name) ?? []));
    const decided = new Map([...before].map(({ publication, decision }) => [publication, decision]));
    const known = new Set<PublicationKey>();
    const decisions = await previewPublications<PublicationKey>(
      sourceId,
      [...decided.keys(), ...publications],
      (publication, stored) => {
        if (stored?.foundBy === "key") known.add(publication);
        return decided.get(publication) ?? decide(publication as typeof publications[number], stored);
      },
    );
    const own = decisions.slice(decided.size);
    for (const [place, decision] of own.entries()) {
      const publication = publications[place];
      if (publication === undefined || decision.kind === "passed_over") continue;
      // What is as it was leaves something only where it was known by another name: this one.
      if (decision.kind === "unchanged" && known.has(publication)) continue;
      for (const name of namesOf(publication)) {
        rehearsed.set(name, [...rehearsed.get(name) ?? [], { publication, decision }]);
      }
    }
    return own;
  };
}

/** All by which the store would know it. */
function namesOf({ key, contentHash, formerKeys = [] }: PublicationKey): string[] {
  return [key, contentHash, ...formerKeys];
}
