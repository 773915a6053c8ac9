// Detects change spikes: fetches with more new publications or revisions than the source's history explains.
import type { ChangeSpike, ChangeVolume } from "../../domain/source/change_volume.ts";

/** At or below this count, a fetch is never a spike. */
const ALWAYS_ALLOWED = 20;
/** A spike is more than this many times the expected count. */
const ALLOWED_TIMES_EXPECTED = 5;
/** New publications are a spike only above this share of the items. */
const NEW_PART = 0.5;
/** Revisions are a spike only above this share of the items. */
const REVISED_PART = 0.25;
/** The weight of an old publication. If a site changes its ids, many old publications seem to be new. */
const WEIGHT_OF_OLD = 3;
/** The weight of a publication that is dated after all known ones. */
const WEIGHT_OF_NEWER = 0.25;
const DAY_MS = 86_400_000;

/**
 * Decides whether a fetch of `items` items is a spike. New publications are a spike if most items are new and their
 * weight exceeds both {@link ALWAYS_ALLOWED} and {@link ALLOWED_TIMES_EXPECTED} times the expected number, which
 * is the usual maximum per fetch or, if more, what the source usually publishes in the time since its last success.
 * Revisions are judged similarly.
 */
export function detectSpike(volume: ChangeVolume, items: number): ChangeSpike {
  const { count, older, newer, usual, perDay, revised, usualRevised } = volume;
  const days = volume.elapsedMs / DAY_MS;
  const isAbove = (weight: number, expected: number) =>
    weight > Math.max(ALWAYS_ALLOWED, ALLOWED_TIMES_EXPECTED * expected);
  const weight = count - older - newer + WEIGHT_OF_OLD * older + WEIGHT_OF_NEWER * newer;
  return {
    isNew: count > items * NEW_PART && isAbove(weight, Math.max(usual, perDay * days)),
    isRevised: revised > items * REVISED_PART && isAbove(revised, usualRevised * Math.max(1, days)),
  };
}
