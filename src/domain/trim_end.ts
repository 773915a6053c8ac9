// Trims chosen characters off the end of a text in linear time; `/[…]+$/` is quadratic where a long run is not at the end.

/** The text without those of the characters that are at its end. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
