// Finds settings that are valid but probably not intended.
import type { Config } from "../../config/config.ts";
import type { Host } from "../../platform/process/process.ts";
import { type Finding, warning } from "../../domain/operator/finding.ts";

/** Returns warnings about sources and declared customers. */
export async function checkSettings(
  host: Pick<Host, "list" | "readText">,
  config: Pick<Config, "sources" | "ingest" | "customers">,
): Promise<Finding[]> {
  const enabled = config.sources.filter((source) => source.enabled);
  const customers = checkCustomers(config);
  if (enabled.length === 0) {
    const todo = "set enabled = true for at least one source, or add [[sources]]";
    return [warning("config", "no source is enabled, so nothing is collected", todo), ...customers];
  }
  const findings: Finding[] = [];
  const byAddress = new Map<string, string>();
  for (const source of enabled) {
    const { id, fetchStrategy, location, caFile } = source;
    if (fetchStrategy === "files") {
      const failure = await failureOf(host.list(location));
      const todo = "create the folder, let this user read it, or change the source's path";
      if (failure !== null) {
        findings.push(warning("config", `the source ${id} cannot be read: ${failure}`, todo));
      }
      findings.push(...checkLanguages(source));
      continue;
    }
    const twin = byAddress.get(location);
    if (twin !== undefined) {
      const seen = `the sources ${twin} and ${id} have the same url, which is fetched twice`;
      findings.push(warning("config", seen, "disable or remove one of them"));
    }
    byAddress.set(location, id);
    const failure = caFile === undefined ? null : await failureOf(host.readText(caFile));
    if (failure !== null) {
      const seen = `the ca_file of the source ${id} cannot be read: ${failure}`;
      findings.push(warning("config", seen, "let this user read the file, or change ca_file"));
    }
  }
  if (byAddress.size > 0 && config.ingest.contact === null && !config.ingest.userAgent.includes("@")) {
    const todo = "set an email address or a URL, so that publishers can contact you instead of blocking you";
    findings.push(warning("config", "ingest.contact is missing", todo));
  }
  return [...findings, ...customers];
}

/** Warns of a folder with several languages but no pattern that tells them apart. */
function checkLanguages({ id, languages, languagePattern }: Config["sources"][number]): Finding[] {
  if (languages.length < 2 || languagePattern !== undefined) return [];
  const seen =
    `the source ${id} reads ${languages.length} languages from one folder and stores each translation as a ` +
    "separate event";
  const example = `language_pattern = "/(${languages.join("|")})/"`;
  const todo = `set a pattern that finds the language in item URLs, such as ${example}`;
  return [warning("config", seen, todo)];
}

function checkCustomers({ customers }: Pick<Config, "customers">): Finding[] {
  return customers.filter(({ limits }) => limits.apiRequestsPerDay === 0).map(({ name }) => {
    const seen = `the customer ${name} has api_requests_per_day = 0: all of its requests are refused`;
    return warning("config", seen, "set a higher limit, or remove the customer");
  });
}

/** Returns the message with which the work fails, or null if it succeeds. */
export function failureOf(work: Promise<unknown>): Promise<string | null> {
  return work.then(() => null, (error: Error) => error.message);
}
