// The address of an event's page.

export const EVENT_PATH = "/console/events/{id}";

export function eventUrl(id: string): string {
  return `/console/events/${encodeURIComponent(id)}`;
}
