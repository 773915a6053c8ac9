// Removes email addresses and URL queries from the ingest log, which quotes documents and URLs.
import { withoutMailAddresses } from "../domain/customer/mail.ts";
import type { Log, LogFields } from "../domain/ports/ports.ts";
import { withoutQueries } from "./partial_failures.ts";

export function redactingLog(log: Log): Log {
  return {
    debug: (message, fields) => log.debug(message, redactFields(fields)),
    info: (message, fields) => log.info(message, redactFields(fields)),
    warn: (message, fields) => log.warn(message, redactFields(fields)),
    error: (message, fields) => log.error(message, redactFields(fields)),
  };
}

function redactFields(fields: LogFields = {}): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? redactText(value) : isTexts(value) ? value.map(redactText) : value,
    ]),
  );
}

function redactText(text: string): string {
  return withoutMailAddresses(withoutQueries(text));
}

function isTexts(value: LogFields[string]): value is readonly string[] {
  return Array.isArray(value);
}
