// The log. Writes one line per entry to stderr, as text or JSON, before the call returns.
import { allowsColours } from "../terminal_colours.ts";
import {
  configureSync,
  getLogger,
  type LogLevel as LogTapeLevel,
  type LogRecord,
  resetSync,
} from "@logtape/logtape";
import { escapeToLine } from "../../domain/control_characters.ts";
import { LOG_AREAS, type LogArea, type LogLevel, type LogLevels } from "../../domain/ports/log.ts";
import type { Log, LogFields } from "../../domain/ports/ports.ts";
import { redact } from "../../domain/redact.ts";
import { writeWhole } from "../process/standard_streams.ts";

export interface LogSettings {
  /** `text` is for people. `json` is for programs, with one object per line. */
  format: "text" | "json";
  level: LogLevel;
  levels?: LogLevels;
}

const ROOT = "regfeed";

/** Names that every JSON line contains. A log field with one of these names gets an underscore at the end. */
const RESERVED = new Set(["time", "level", "area", "message"]);

const COLOURS: Readonly<Record<string, string>> = {
  debug: "\x1b[2m",
  info: "\x1b[32m",
  warn: "\x1b[33m",
  error: "\x1b[31m",
};
const DIM = "\x1b[2m";
const CYAN = "\x1b[36m";
const PLAIN = "\x1b[0m";

/** The areas with level debug. In other areas, debug entries are skipped. */
const debugged = new Set<LogArea>();

/** Creates one log per area. All write to stderr. The settings apply to the whole process, and the last call wins. */
export function createLogs(settings: LogSettings): { log(area: LogArea): Log; close(): void } {
  const format = settings.format === "json" ? formatJson : textFormat(isColourful());
  debugged.clear();
  for (const area of LOG_AREAS) {
    if ((settings.levels?.[area] ?? settings.level) === "debug") debugged.add(area);
  }
  configureSync({
    reset: true,
    sinks: { stderr: (record) => writeWhole(Deno.stderr, format(record)) },
    loggers: [
      { category: ROOT, sinks: ["stderr"], lowestLevel: levelOf(settings.level) },
      ...Object.entries(settings.levels ?? {}).map(([area, level]) => ({
        category: [ROOT, area],
        sinks: ["stderr"],
        parentSinks: "override" as const,
        lowestLevel: levelOf(level),
      })),
      // LogTape's own messages, such as those about a failed sink.
      { category: ["logtape", "meta"], sinks: ["stderr"], lowestLevel: "warning" },
    ],
  });
  return { log: createLog, close: resetSync };
}

function levelOf(level: LogLevel): LogTapeLevel {
  return level === "warn" ? "warning" : level;
}

function createLog(area: LogArea): Log {
  const logger = getLogger([ROOT, area]);
  return {
    get isDebugged() {
      return debugged.has(area);
    },
    debug: (message, fields) => {
      if (debugged.has(area)) logger.debug(message, { ...fields });
    },
    info: (message, fields) => logger.info(message, { ...fields }),
    warn: (message, fields) => logger.warn(message, { ...fields }),
    error: (message, fields) => logger.error(message, { ...fields }),
  };
}

/** Formats a JSON line: `time` (ISO 8601, UTC), `level`, `area`, `message`, then the fields. */
export function formatJson(record: LogRecord): string {
  const line: Record<string, unknown> = { ...headOf(record) };
  for (const [name, value] of Object.entries(fieldsOf(record))) {
    line[RESERVED.has(name) ? `${name}_` : name] = redactValue(value);
  }
  return `${escapeToLine(JSON.stringify(line))}\n`;
}

/**
 * Formats text lines: time, level, area, message, then `name=value`. Line breaks are escaped. With colour, only the
 * message and the values have the terminal's own colour.
 */
export function textFormat(withColour: boolean): (record: LogRecord) => string {
  const paint = (text: string, colour = "") => withColour ? `${colour}${text}${PLAIN}` : text;
  return (record) => {
    const { time, level, area, message } = headOf(record);
    const fields = Object.entries(fieldsOf(record)).map(([name, value]) =>
      ` ${paint(`${name}=`, DIM)}${showValue(value)}`
    );
    const head = [
      paint(time, DIM),
      paint(level.toUpperCase().padEnd(5), COLOURS[level]),
      paint(area.padEnd(8), CYAN),
    ];
    return `${head.join(" ")} ${escapeToLine(message)}${fields.join("")}\n`;
  };
}

function headOf(record: LogRecord): { time: string; level: string; area: string; message: string } {
  const category = record.category[0] === ROOT ? record.category.slice(1) : record.category;
  return {
    time: new Date(record.timestamp).toISOString(),
    level: record.level === "warning" ? "warn" : record.level,
    area: category.join("."),
    message: redact(typeof record.rawMessage === "string" ? record.rawMessage : record.message.join("")),
  };
}

function fieldsOf(record: LogRecord): LogFields {
  return record.properties as LogFields;
}

type FieldValue = LogFields[string];

function redactValue(value: FieldValue): FieldValue {
  if (typeof value === "string") return redact(value);
  return typeof value === "object" && value !== null ? value.map(redact) : value;
}

function showValue(value: FieldValue): string {
  const redacted = redactValue(value);
  if (typeof redacted !== "string") return escapeToLine(JSON.stringify(redacted));
  // deno-lint-ignore no-control-regex -- control characters must be escaped
  const isBare = redacted !== "" && !/[\s"=\u0000-\u001f]/.test(redacted);
  return escapeToLine(isBare ? redacted : JSON.stringify(redacted));
}

function isColourful(): boolean {
  return Deno.stderr.isTerminal() && allowsColours((name) => Deno.env.get(name));
}
