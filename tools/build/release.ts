// `deno task release [TARGET…]`: builds executables, packages, SBOM, checksums and a manifest in dist/release. Reports
// the files that cannot be built on this machine.
import { createHash } from "node:crypto";
import { join } from "node:path";
import manifest from "../../deno.json" with { type: "json" };
import { buildDebian, debianArchitecture } from "./debian.ts";
import { buildFacts, compile } from "./executable.ts";
import { whyLeftOut } from "./left_out.ts";
import { buildSbom, type Lock } from "./sbom.ts";

const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
  "x86_64-pc-windows-msvc",
] as const;
const FOLDER = "dist/release";

interface ReleasedFile {
  name: string;
  bytes: number;
  sha256: string;
}

const { version } = manifest;
const lock = JSON.parse(await Deno.readTextFile(new URL("../../executable.lock", import.meta.url))) as Lock;
const wanted: readonly string[] = Deno.args.length > 0 ? Deno.args : TARGETS;
const unknown = wanted.find((target) => !(TARGETS as readonly string[]).includes(target));
if (unknown !== undefined) {
  console.error(`unknown target ${unknown}; the targets are ${TARGETS.join(", ")}`);
  Deno.exit(2);
}
await Deno.remove(FOLDER, { recursive: true }).catch(() => {}); // there may be none
await Deno.mkdir(FOLDER, { recursive: true });
const files: ReleasedFile[] = [];
const leftOut: { what: string; why: string }[] = [];
for (const target of wanted) await releaseTarget(target);
const facts = await buildFacts();
const sbom = buildSbom(
  { name: "regfeed", version, license: manifest.license, denoVersion: Deno.version.deno },
  lock,
);
await release(`regfeed-${version}.cdx.json`, `${JSON.stringify(sbom, null, 2)}\n`);
const about = { version, commit: facts.commit, deno: Deno.version.deno, files, left_out: leftOut };
await Deno.writeTextFile(join(FOLDER, "manifest.json"), `${JSON.stringify(about, null, 2)}\n`);
const sums = files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join("");
await Deno.writeTextFile(join(FOLDER, "SHA256SUMS"), sums);
for (const { name, bytes } of files) console.log(`${join(FOLDER, name)}  ${bytes} bytes`);
for (const { what, why } of leftOut) console.log(`left out: ${what}: ${why}`);
Deno.exit(files.length > 1 ? 0 : 1);

async function releaseTarget(target: string): Promise<void> {
  // Deno silently uses DENORT_BIN for every target, although it is the base for only one.
  if (Deno.env.has("DENORT_BIN") && target !== Deno.build.target) {
    const why =
      "DENORT_BIN names a runtime base for this machine only: unset it, or build on a machine with that target";
    leftOut.push({ what: target, why });
    return;
  }
  const name = `regfeed-${version}-${target}${target.includes("windows") ? ".exe" : ""}`;
  const { ok, said } = await compile({ output: join(FOLDER, name), target });
  if (!ok) {
    leftOut.push({ what: target, why: whyLeftOut(said) });
    return;
  }
  await record(name);
  const architecture = debianArchitecture(target);
  if (architecture === null) return;
  const packageName = `regfeed_${version}_${architecture}.deb`;
  const built = await buildDebian({
    executable: join(FOLDER, name),
    output: join(FOLDER, packageName),
    version,
    architecture,
  });
  if (built.ok) await record(packageName);
  else leftOut.push({ what: packageName, why: whyLeftOut(built.said) });
}

async function release(name: string, text: string): Promise<void> {
  await Deno.writeTextFile(join(FOLDER, name), text);
  await record(name);
}

async function record(name: string): Promise<void> {
  const bytes = await Deno.readFile(join(FOLDER, name));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  files.push({ name, bytes: bytes.length, sha256 });
}
