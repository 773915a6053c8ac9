// Certificates of the server: whether a certificate and a key belong together, and for how long.
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";

/** A certificate with what is above it, and its key, both PEM. */
export interface CertificatePair {
  cert: string;
  key: string;
}

/** What a pair is good for, or why it cannot be used. */
export type CertificateState =
  | { kind: "good"; beginsAtMs: number; expiresAtMs: number; fitsHost(name: string): boolean }
  | { kind: "bad"; reason: string };

/** Looks at a pair; no reason holds anything of the key. */
export function examineCertificate({ cert, key }: CertificatePair): CertificateState {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch {
    return { kind: "bad", reason: "the certificate is not a PEM certificate" };
  }
  let publicKey: string | Uint8Array;
  try {
    publicKey = createPublicKey(createPrivateKey(key)).export({ type: "spki", format: "pem" });
  } catch {
    return { kind: "bad", reason: "the key is not a PEM private key, or it is encrypted" };
  }
  if (publicKey !== certificate.publicKey.export({ type: "spki", format: "pem" })) {
    return { kind: "bad", reason: "the certificate and the key do not match" };
  }
  return {
    kind: "good",
    beginsAtMs: Date.parse(certificate.validFrom),
    expiresAtMs: Date.parse(certificate.validTo),
    fitsHost: (name) => certificate.checkHost(name) !== undefined,
  };
}
