// Creates TLS certificates in a test's folder.
import { join } from "node:path";
import { connect } from "node:tls";
import "npm:reflect-metadata@0.2.2"; // @peculiar/x509 needs it
import * as x509 from "npm:@peculiar/x509@2.2.0";

export interface CertificateFiles {
  cert: string;
  key: string;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;
const AUTHORITY = "Test authority";

const authorityKeys = new Map<string, CryptoKey>();

/** Creates a certificate authority, writes its certificate to `ca.pem`, and returns the certificate. */
export async function makeAuthority(folder: string): Promise<string> {
  const { keys, cert } = await sign(AUTHORITY, {
    days: 30,
    extensions: [new x509.BasicConstraintsExtension(true, undefined, true)],
  });
  authorityKeys.set(folder, keys.privateKey);
  await Deno.writeTextFile(join(folder, "ca.pem"), cert);
  return cert;
}

/** Writes a certificate with the common name `name` for localhost and 127.0.0.1, signed by the folder's authority. */
export async function makeCertificate(folder: string, name: string, days = 90): Promise<CertificateFiles> {
  const issuerKey = authorityKeys.get(folder);
  if (issuerKey === undefined) throw new Error(`makeAuthority() was not called for ${folder}`);
  return await write(folder, name, {
    days,
    issuer: { name: AUTHORITY, key: issuerKey },
    extensions: [
      new x509.SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        { type: "ip", value: "127.0.0.1" },
      ]),
      new x509.BasicConstraintsExtension(false, undefined, true),
    ],
  });
}

/** Writes a self-signed certificate for a host name, like `openssl req -x509`. */
export async function makeSelfSigned(folder: string, name: string, host: string): Promise<CertificateFiles> {
  return await write(folder, name, {
    days: 30,
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: "dns", value: host }]),
      new x509.BasicConstraintsExtension(true, undefined, true),
    ],
  });
}

export async function readPair({ cert, key }: CertificateFiles): Promise<{ cert: string; key: string }> {
  return { cert: await Deno.readTextFile(cert), key: await Deno.readTextFile(key) };
}

/** Returns the common name in the certificate of the server at a port, or "none" if the connection fails. */
export function shownName(port: number): Promise<string> {
  return new Promise((resolve) => {
    const options = { host: "127.0.0.1", port, servername: "localhost", rejectUnauthorized: false };
    const socket = connect(options, () => {
      const { CN } = socket.getPeerCertificate().subject;
      socket.once("close", () => resolve(String(CN)));
      socket.destroy();
    });
    socket.once("error", () => resolve("none"));
  });
}

interface Request {
  days: number;
  /** Omitted for a self-signed certificate. */
  issuer?: { name: string; key: CryptoKey };
  extensions: x509.Extension[];
}

async function write(folder: string, name: string, request: Request): Promise<CertificateFiles> {
  const { keys, cert } = await sign(name, request);
  const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  const key = x509.PemConverter.encode(
    await crypto.subtle.exportKey("pkcs8", keys.privateKey),
    "PRIVATE KEY",
  );
  await Deno.writeTextFile(files.cert, cert);
  await Deno.writeTextFile(files.key, key, { mode: 0o600 });
  return files;
}

async function sign(
  name: string,
  { days, issuer, extensions }: Request,
): Promise<{ keys: CryptoKeyPair; cert: string }> {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as CryptoKeyPair;
  const nowMs = Date.now();
  const cert = await x509.X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: `CN=${issuer?.name ?? name}`,
    publicKey: keys.publicKey,
    signingKey: issuer?.key ?? keys.privateKey,
    signingAlgorithm: ALGORITHM,
    notBefore: new Date(nowMs),
    notAfter: new Date(nowMs + days * DAY_MS),
    extensions,
  });
  return { keys, cert: cert.toString("pem") + "\n" };
}
