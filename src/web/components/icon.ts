// Shapes that accompany a word, so that no meaning depends on colour alone.
import { Html, markup } from "../html.ts";

const PATHS = {
  dot: '<circle cx="8" cy="8" r="4"/>',
  ring: '<circle cx="8" cy="8" r="4.5" fill="none" stroke="currentColor" stroke-width="2"/>',
  half:
    '<circle cx="8" cy="8" r="4.5" fill="none" stroke="currentColor" stroke-width="2"/><path d="M8 3.5a4.5 4.5 0 0 1 0 9z"/>',
  square: '<rect x="3.5" y="3.5" width="9" height="9" rx="1"/>',
  diamond: '<path d="M8 2l6 6-6 6-6-6z"/>',
  triangle: '<path d="M8 2l7 12H1z"/>',
  octagon: '<path d="M5 1h6l4 4v6l-4 4H5l-4-4V5z"/>',
  check: '<path d="M3 8.5l3.2 3.2L13 4.8" fill="none" stroke="currentColor" stroke-width="2"/>',
  cross: '<path d="M4 4l8 8M12 4l-8 8" fill="none" stroke="currentColor" stroke-width="2"/>',
  pause: '<path d="M4 3h3v10H4zM9 3h3v10H9z"/>',
  clock:
    '<circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" stroke-width="1.6"/><path d="M8 4.5V8l2.5 1.6" fill="none" stroke="currentColor" stroke-width="1.6"/>',
  external:
    '<path d="M9 3h4v4M13 3L7.5 8.5M6 4H3v9h9v-3" fill="none" stroke="currentColor" stroke-width="1.6"/>',
} as const;

export type Shape = keyof typeof PATHS;

/** A shape of the size of the text beside it. Screen readers skip it, so a word must say the same. */
export function icon(shape: Shape): Html {
  return markup`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="currentColor" aria-hidden="true">${new Html(
    PATHS[shape],
  )}</svg>`;
}
