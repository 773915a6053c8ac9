// Certificates made for one test, by openssl.
import { join } from "node:path";

/** Where a certificate and its key are. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

/** Makes an authority in the folder: `ca.pem` with its key. */
export async function makeAuthority(folder: string): Promise<string> {
  await openssl(folder, [
    "-keyout",
    "ca.key",
    "-out",
    "ca.pem",
    "-days",
    "30",
    "-subj",
    "/CN=Test authority",
  ]);
  return await Deno.readTextFile(join(folder, "ca.pem"));
}

/** Makes a certificate for localhost and 127.0.0.1 that the folder's authority signs. */
export async function makeCertificate(folder: string, name: string, days = 90): Promise<CertificateFiles> {
  await openssl(folder, [
    ...["-keyout", `${name}.key`, "-out", `${name}.pem`, "-days", String(days), "-subj", `/CN=${name}`],
    ...["-CA", "ca.pem", "-CAkey", "ca.key", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ...["-addext", "basicConstraints=critical,CA:FALSE"],
  ]);
  await Deno.chmod(join(folder, `${name}.key`), 0o600);
  return { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
}

/** The texts of a certificate's files. */
export async function readPair({ cert, key }: CertificateFiles): Promise<{ cert: string; key: string }> {
  return { cert: await Deno.readTextFile(cert), key: await Deno.readTextFile(key) };
}

/** The common name of the certificate that a server shows. */
export async function shownName(port: number): Promise<string> {
  const { stdout } = await new Deno.Command("openssl", {
    args: ["s_client", "-connect", `127.0.0.1:${port}`, "-servername", "localhost"],
    stdin: "null",
    stderr: "null",
  }).output();
  return /subject=.*?CN ?= ?(\S+)/.exec(new TextDecoder().decode(stdout))?.[1] ?? "none";
}

async function openssl(folder: string, args: readonly string[]): Promise<void> {
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const { success, stderr } = await new Deno.Command("openssl", {
    args: ["req", "-x509", ...curve, ...args],
    cwd: folder,
    stdout: "null",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
