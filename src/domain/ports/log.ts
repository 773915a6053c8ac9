// The areas and levels of the log.

export const LOG_AREAS = [
  "accounts",
  "api",
  "backup",
  "config",
  "delivery",
  "health",
  "ingest",
  "mail",
  "payment",
  "serve",
  "store",
  "tls",
] as const;

export type LogArea = typeof LOG_AREAS[number];

export function isLogArea(name: string): name is LogArea {
  return LOG_AREAS.includes(name as LogArea);
}

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;

export type LogLevel = typeof LOG_LEVELS[number];

/** The minimum levels of some areas. All other areas use the level of the whole log. */
export type LogLevels = Partial<Record<LogArea, LogLevel>>;
