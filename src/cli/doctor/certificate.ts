// What the doctor says of the server's certificate and its key.
import { type CertificatePair, examineCertificate } from "../../platform/certificate.ts";
import type { Rights } from "../../platform/machine.ts";
import { type Finding, good, problem, warning } from "./finding.ts";

const DAY_MS = 86_400_000;
/** So long before its end somebody should look why no new one has come, ms. */
const EXPIRES_SOON_MS = 14 * DAY_MS;
/** Rights that nobody but the owner and the owner's group may have on the key. */
const TOO_OPEN = 0o137;

/** Of a pair, as it is read from its files, for a host name. */
export function judgeCertificate(pair: CertificatePair, hostname: string, nowMs: number): Finding {
  const state = examineCertificate(pair);
  if (state.kind === "bad") {
    return problem(
      "tls",
      state.reason,
      "name the two files of one certificate in server.tls_cert and server.tls_key",
    );
  }
  const day = new Date(state.expiresAtMs).toISOString().slice(0, 10);
  const todo = "renew it: the server takes the new files into use by itself";
  if (state.expiresAtMs <= nowMs) return problem("tls", `the certificate expired on ${day}`, todo);
  if (state.beginsAtMs > nowMs) {
    return problem("tls", "the certificate is not valid yet", "look at the machine's clock: `date -u`");
  }
  if (state.expiresAtMs - nowMs < EXPIRES_SOON_MS) {
    return warning("tls", `the certificate expires on ${day}, in less than 14 days`, todo);
  }
  // Literal addresses stand in another part of a certificate, which not every runtime compares.
  const isName = /[a-z]/i.test(hostname) && !hostname.includes(":");
  if (isName && !state.fitsHost(hostname)) {
    return warning(
      "tls",
      `the certificate is not for ${hostname}`,
      "change server.public_url, or get one for that name",
    );
  }
  return good("tls", `the certificate is good until ${day}`);
}

/** Of the key's file. */
export function judgeKeyFile(path: string, rights: Rights | null): Finding {
  const mode = (rights?.mode ?? 0).toString(8).padStart(3, "0");
  return rights === null || (rights.mode & TOO_OPEN) === 0
    ? good("tls", `${path} is its owner's and the owner's group's alone`)
    : problem("tls", `${path} has mode ${mode}: others can read it`, `chmod 640 ${path}`);
}
