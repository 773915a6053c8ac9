// Which events of a fetch are quarantined as a change spike, and what a source's usual volume is after it.
import type { ChangeSpike, ChangeVolume } from "../source/change_volume.ts";

/** How much of the usual volume is kept after each fetch with changes. */
const USUAL_DECAY = 0.9;

/** An event that waited for its fetch to be judged. */
export interface ArrivedEvent {
  seq: number;
  version: number;
  /** Its publication within the source. */
  externalId: string;
}

/**
 * The events of a spike, and the revisions of quarantined events, which would otherwise be delivered first.
 * `quarantined` are the publications with quarantined events of earlier fetches.
 */
export function planQuarantine(
  arrived: readonly ArrivedEvent[],
  { isNew, isRevised }: ChangeSpike,
  quarantined: ReadonlySet<string>,
): number[] {
  const inSpike = ({ version }: ArrivedEvent) => version === 1 ? isNew : isRevised;
  const publications = new Set(quarantined);
  for (const event of arrived) if (inSpike(event)) publications.add(event.externalId);
  return arrived
    .filter((event) => inSpike(event) || (event.version > 1 && publications.has(event.externalId)))
    .map(({ seq }) => seq);
}

/** The source's usual volume after a fetch; null where it stays. A spike is not usual. */
export function planUsualVolume(
  { count, usual, revised, usualRevised }: ChangeVolume,
  spike: ChangeSpike,
): { usual: number | null; usualRevised: number | null } {
  const after = (arrived: number, before: number) => Math.max(arrived, Math.floor(before * USUAL_DECAY));
  return {
    usual: spike.isNew || count === 0 ? null : after(count, usual),
    usualRevised: spike.isRevised || revised === 0 ? null : after(revised, usualRevised),
  };
}
