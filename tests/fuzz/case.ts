// Fuzzing inputs of any size: one or two strings, repeated at a position of a valid input.

/** A kind of input that can have any size. */
export interface GrowingCase {
  parser: string;
  /** The offset in the parser's sample at which the repetition is inserted. */
  at: number;
  before: string;
  /** The repeated string. If `isNumbered`, `#` is replaced by the number of the repetition. */
  repeated: string;
  middle: string;
  /** A string that is repeated as often as `repeated`, after the middle. */
  repeatedAfter: string;
  after: string;
  isNumbered: boolean;
  /** Whether all sizes are tried even if the time does not grow suspiciously. */
  isWhole: boolean;
}

/** Returns a case that tries all sizes unless `isWhole` is false. Other properties that are not given are empty. */
export function growing(given: Pick<GrowingCase, "parser" | "repeated"> & Partial<GrowingCase>): GrowingCase {
  return {
    at: 0,
    before: "",
    middle: "",
    repeatedAfter: "",
    after: "",
    isNumbered: false,
    isWhole: true,
    ...given,
  };
}

/** Returns an input of about `size` characters. */
export function inputOf(given: GrowingCase, sample: string, size: number): string {
  const { at, before, repeated, middle, repeatedAfter, after, isNumbered } = given;
  const times = Math.max(1, Math.floor(size / (repeated.length + repeatedAfter.length)));
  const grow = (text: string) =>
    isNumbered && text.includes("#")
      ? Array.from({ length: times }, (_, number) => text.replaceAll("#", String(number))).join("")
      : text.repeat(times);
  const grown = before + grow(repeated) + middle + grow(repeatedAfter) + after;
  return sample.slice(0, at) + grown + sample.slice(at);
}
