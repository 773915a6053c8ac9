// The log of collecting: what documents and addresses say gets into it, but nobody's mail address and no key.
import { withoutMailAddresses } from "../domain/customer/mail.ts";
import type { Log, LogFields } from "../domain/ports/ports.ts";
import { withoutQueries } from "./partial_failures.ts";

/** The log, every text of which is without mail addresses and without the queries of addresses. */
export function discreetLog(log: Log): Log {
  return {
    debug: (message, fields) => log.debug(message, discreet(fields)),
    info: (message, fields) => log.info(message, discreet(fields)),
    warn: (message, fields) => log.warn(message, discreet(fields)),
    error: (message, fields) => log.error(message, discreet(fields)),
  };
}

function discreet(fields: LogFields = {}): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? discreetText(value) : isList(value) ? value.map(discreetText) : value,
    ]),
  );
}

function discreetText(text: string): string {
  return withoutMailAddresses(withoutQueries(text));
}

function isList(value: LogFields[string]): value is readonly string[] {
  return Array.isArray(value);
}
