// Inputs that grow: a token, or two, repeated at a position of a valid input.

/** One kind of input, of any size. */
export interface GrowingCase {
  /** The name of the parser in the list of parsers. */
  parser: string;
  /** Where in the parser's sample it is put, characters from the beginning. */
  at: number;
  before: string;
  /** What is repeated; `#` in it becomes the number of the repetition when `isNumbered`. */
  repeated: string;
  /** What stands in the middle. */
  middle: string;
  /** What is repeated as often behind the middle; mostly empty. */
  repeatedAfter: string;
  after: string;
  isNumbered: boolean;
  /** Whether it is tried up to the longest input even where its time does not look as if it grew too fast. */
  isWhole: boolean;
}

/** A case with everything empty but what is given. */
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

/** The input of about so many characters. */
export function inputOf(given: GrowingCase, sample: string, size: number): string {
  const { at, before, repeated, middle, repeatedAfter, after, isNumbered } = given;
  const times = Math.max(1, Math.floor(size / (repeated.length + repeatedAfter.length)));
  const times_ = (text: string) =>
    isNumbered && text.includes("#")
      ? Array.from({ length: times }, (_, number) => text.replaceAll("#", String(number))).join("")
      : text.repeat(times);
  const grown = before + times_(repeated) + middle + times_(repeatedAfter) + after;
  return sample.slice(0, at) + grown + sample.slice(at);
}
