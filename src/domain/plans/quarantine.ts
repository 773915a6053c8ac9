// Plans which events of a fetch are quarantined as a change spike, and the source's usual volume after the fetch.
import type { ChangeSpike, ChangeVolume } from "../source/change_volume.ts";

/** The share of the usual volume that remains after each fetch with changes. */
const USUAL_DECAY = 0.9;

export interface ArrivedEvent {
  seq: number;
  version: number;
  /** The id of the event's publication within the source. */
  externalId: string;
}

/**
 * Returns the `seq` of each event to quarantine: the events of a spike, and the revisions of publications with other
 * quarantined events, so that no revision is delivered before an earlier version. `quarantined` contains the external
 * ids of the publications that had quarantined events before this fetch.
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

/** Returns a source's usual volume after a fetch. Each number is null if it does not change, as after a spike. */
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
