// Trims the end of a string in linear time. `/[…]+$/` takes quadratic time for long runs before the end.

export function trimEndOf(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}
