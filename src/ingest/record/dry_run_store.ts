// Previews several documents as if the decisions on earlier ones had been stored.
import type { PublicationKey, RecordDecision } from "../../domain/ports/store/publications.ts";
import type { Store } from "../../domain/ports/store/store.ts";

type Preview = Store["previewPublications"];

export function createDryRunStore({ previewPublications }: { previewPublications: Preview }): Preview {
  const previewed = new Map<string, { publication: PublicationKey; decision: RecordDecision }[]>();
  return async (sourceId, publications, decide) => {
    const names = new Set(publications.flatMap(namesOf));
    const before = new Set([...names].flatMap((name) => previewed.get(name) ?? []));
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
    for (const [index, decision] of own.entries()) {
      const publication = publications[index];
      if (publication === undefined || decision.kind === "irrelevant") continue;
      // An unchanged item affects later decisions only if it was not found by its key, because it then gets an alias.
      if (decision.kind === "unchanged" && known.has(publication)) continue;
      for (const name of namesOf(publication)) {
        previewed.set(name, [...previewed.get(name) ?? [], { publication, decision }]);
      }
    }
    return own;
  };
}

function namesOf({ key, contentHash, formerKeys = [] }: PublicationKey): string[] {
  return [key, contentHash, ...formerKeys];
}
