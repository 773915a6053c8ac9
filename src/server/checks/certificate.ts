// Checks the server's certificate.
import type { Config } from "../../config/config.ts";
import {
  type CertificatePair,
  type CertificateState,
  examineCertificate,
} from "../../platform/tls/certificate.ts";
import type { Host } from "../../platform/process/process.ts";
import { readPair } from "../certificate_watch.ts";
import { type Finding, good, problem, warning } from "../../domain/operator/finding.ts";
import { utcDay } from "../../domain/utc_day.ts";

const DAY_MS = 86_400_000;
/** The remaining validity below which a certificate causes a warning, ms. */
const EXPIRES_SOON_MS = 14 * DAY_MS;

export async function checkTls(
  host: Pick<Host, "readText">,
  { server }: Pick<Config, "server">,
  nowMs: number,
): Promise<Finding[]> {
  if (server.tls === null) return [];
  try {
    return checkCertificate(await readPair(host, server.tls), new URL(server.publicUrl).hostname, nowMs);
  } catch (error) {
    return [problem("tls", (error as Error).message, "let this user read the file, or change the config")];
  }
}

export function checkCertificate(pair: CertificatePair, hostname: string, nowMs: number): Finding[] {
  const state = examineCertificate(pair);
  if (state.kind === "bad") {
    const todo = "set server.tls_cert and server.tls_key to a certificate and its own private key";
    return [problem("tls", state.reason, todo)];
  }
  const found = [...checkTimes(state, nowMs), ...checkName(state, hostname)];
  return found.length > 0
    ? found
    : [good("tls", `the certificate is valid until ${utcDay(state.expiresAtMs)}`)];
}

type GoodCertificate = Extract<CertificateState, { kind: "good" }>;

export function checkTimes(
  { beginsAtMs, expiresAtMs }: Pick<GoodCertificate, "beginsAtMs" | "expiresAtMs">,
  nowMs: number,
): Finding[] {
  const todo = "renew it: the server loads the new files automatically";
  const day = utcDay(expiresAtMs);
  const symptomOf = "clock" as const;
  if (expiresAtMs <= nowMs) {
    return [{ ...problem("tls", `the certificate expired on ${day}`, todo), symptomOf }];
  }
  if (beginsAtMs > nowMs) {
    const advice = "check the machine's clock: `date -u`";
    return [{ ...problem("tls", "the certificate is not valid yet", advice), symptomOf }];
  }
  if (expiresAtMs - nowMs >= EXPIRES_SOON_MS) return [];
  return [warning("tls", `the certificate expires on ${day}, in less than 14 days`, todo)];
}

function checkName({ fitsHost }: GoodCertificate, hostname: string): Finding[] {
  // Only names are checked, because some Deno versions do not compare IP addresses.
  const isName = /[a-z]/i.test(hostname) && !hostname.includes(":");
  if (!isName || fitsHost(hostname)) return [];
  return [
    warning(
      "tls",
      `the certificate is not valid for ${hostname}`,
      "change server.public_url, or get a certificate for that name",
    ),
  ];
}
