// Plans which events of a fetch are quarantined as a change spike, and updates the source's usual volume.
import type { ChangeSpike, ChangeVolume } from "../source/change_volume.ts";

/** The share of the usual volume that remains after each fetch with changes. */
const USUAL_DECAY = 0.9;

export interface ArrivedEvent {
  seq: number;
  version: number;
  /** The id of its publication within the source. */
  externalId: string;
}

/**
 * Returns the `seq` of each event to quarantine: the events of a spike, and the revisions of publications that already
 * have quarantined events (`quarantined`). Otherwise, a revision would be delivered before its first version.
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

/** Returns the source's usual volume after a fetch, or null where it does not change. A spike does not count. */
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
