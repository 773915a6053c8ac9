// Trims the end of a text in linear time. The pattern `/[…]+$/` takes quadratic time for long runs in the middle.

export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
