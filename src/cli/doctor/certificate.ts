// What the doctor says of the server's certificate and its key.
import {
  type CertificatePair,
  type CertificateState,
  examineCertificate,
} from "../../platform/certificate.ts";
import type { Rights } from "../../platform/machine.ts";
import { type Finding, good, problem, warning } from "./finding.ts";

const DAY_MS = 86_400_000;
/** So long before its end somebody should look why no new one has come, ms. */
const EXPIRES_SOON_MS = 14 * DAY_MS;
/** Rights that nobody but the owner and the owner's group may have on the key. */
const TOO_OPEN = 0o137;

/** Of a pair, as it is read from its files, for a host name: all that is wrong with it, or that it is good. */
export function judgeCertificate(pair: CertificatePair, hostname: string, nowMs: number): Finding[] {
  const state = examineCertificate(pair);
  if (state.kind === "bad") {
    const todo = "name the two files of one certificate in server.tls_cert and server.tls_key";
    return [problem("tls", state.reason, todo)];
  }
  const found = [...judgeTimes(state, nowMs), ...judgeName(state, hostname)];
  return found.length > 0
    ? found
    : [good("tls", `the certificate is good until ${dayOf(state.expiresAtMs)}`)];
}

type GoodCertificate = Extract<CertificateState, { kind: "good" }>;

/** What is wrong with the times of a certificate: past, to come, or about to end. */
export function judgeTimes(
  { beginsAtMs, expiresAtMs }: Pick<GoodCertificate, "beginsAtMs" | "expiresAtMs">,
  nowMs: number,
): Finding[] {
  const todo = "renew it: the server takes the new files into use by itself";
  const day = dayOf(expiresAtMs);
  if (expiresAtMs <= nowMs) return [problem("tls", `the certificate expired on ${day}`, todo)];
  if (beginsAtMs > nowMs) {
    return [problem("tls", "the certificate is not valid yet", "look at the machine's clock: `date -u`")];
  }
  if (expiresAtMs - nowMs >= EXPIRES_SOON_MS) return [];
  return [warning("tls", `the certificate expires on ${day}, in less than 14 days`, todo)];
}

function judgeName({ fitsHost }: GoodCertificate, hostname: string): Finding[] {
  // Literal addresses stand in another part of a certificate, which not every runtime compares.
  const isName = /[a-z]/i.test(hostname) && !hostname.includes(":");
  if (!isName || fitsHost(hostname)) return [];
  const todo = "change server.public_url, or get one for that name";
  return [warning("tls", `the certificate is not for ${hostname}`, todo)];
}

function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Of the key's file. */
export function judgeKeyFile(path: string, rights: Rights | null): Finding {
  const mode = (rights?.mode ?? 0).toString(8).padStart(3, "0");
  return rights === null || (rights.mode & TOO_OPEN) === 0
    ? good("tls", `${path} is its owner's and the owner's group's alone`)
    : problem("tls", `${path} has mode ${mode}: others can read it`, `chmod 640 ${path}`);
}
