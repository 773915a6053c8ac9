// Trims characters off the end of a text in linear time; `/[…]+$/` is quadratic for a long run in the middle.

/** The text without the given characters at its end. */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
