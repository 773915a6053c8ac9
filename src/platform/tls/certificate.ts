// Checks the server's certificate and key.
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";

/** A certificate chain and its key, in PEM. */
export interface CertificatePair {
  cert: string;
  key: string;
}

export type CertificateState =
  | { kind: "good"; beginsAtMs: number; expiresAtMs: number; fitsHost(name: string): boolean }
  | { kind: "bad"; reason: string };

/** Checks whether a pair can be used. A reason never contains a part of the key. */
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
