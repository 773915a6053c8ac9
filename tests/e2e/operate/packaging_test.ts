// The config in the Debian package, and the SBOM.
import assert from "node:assert/strict";
import { Ajv } from "npm:ajv@8.20.0";
import formats from "npm:ajv-formats@3.0.1";
import { parseConfig } from "../../../src/config/config.ts";
import { debianArchitecture, debianConfig } from "../../../tools/build/debian.ts";
import { buildSbom, type Lock } from "../../../tools/build/sbom.ts";

Deno.test("the Debian package's config puts everything below /var/lib/regfeed", async () => {
  const text = debianConfig(
    await Deno.readTextFile(new URL("../../../config.example.toml", import.meta.url)),
  );
  const { store, backup } = await parseConfig(text, {
    file: "regfeed.toml",
    folder: "/etc/regfeed",
    readSecret: { file: () => Promise.reject(new Error("none")), env: () => undefined },
    findAdditionProblems: () => [],
  });
  for (const path of [store.path, store.keyFile, backup.folder]) assert.match(path, /^\/var\/lib\/regfeed\//);
  assert.doesNotMatch(text.replaceAll(/^#.*$/gm, ""), /"data\//);
  assert.equal(debianArchitecture("aarch64-apple-darwin"), null);
});

Deno.test("the SBOM is CycloneDX, names every package with its hash, and is reproducible", async () => {
  const lock: Lock = JSON.parse(
    await Deno.readTextFile(new URL("../../../executable.lock", import.meta.url)),
  );
  const product = { name: "regfeed", version: "1.2.3", license: "MIT", denoVersion: "2.9.6" };
  const text = JSON.stringify(buildSbom(product, lock));
  assert.equal(JSON.stringify(buildSbom(product, lock)), text);
  const { bomFormat, specVersion, serialNumber, components, dependencies } = JSON.parse(text);
  assert.deepEqual([bomFormat, specVersion], ["CycloneDX", "1.6"]);
  assert.match(serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  assert.equal(components.length, Object.keys(lock.npm ?? {}).length + 1);
  const zod = components.find(({ name }: { name: string }) => name === "zod");
  assert.match(zod.purl, /^pkg:npm\/zod@\d/);
  assert.match(zod.hashes[0].content, /^[0-9a-f]{128}$/);
  const known = new Set(["regfeed@1.2.3", ...components.map((one: { "bom-ref": string }) => one["bom-ref"])]);
  for (const { ref, dependsOn } of dependencies) {
    for (const one of [ref, ...dependsOn]) assert.ok(known.has(one), one);
  }
});

Deno.test("the SBOM matches the schema of CycloneDX 1.6", async () => {
  const { JSON_SCHEMA, SPDX, JSF } = await schemaFiles();
  const read = async (file: string) => JSON.parse(await Deno.readTextFile(file));
  const ajv = new Ajv({ strict: false, validateFormats: true, allErrors: true, addUsedSchema: false });
  formats.default(ajv);
  for (const format of ["iri-reference", "idn-email"]) ajv.addFormat(format, true); // no value here has this format
  ajv.addSchema(await read(SPDX), "http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json");
  ajv.addSchema(await read(JSF), "http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json");
  const isValid = ajv.compile(await read(JSON_SCHEMA));
  const lock: Lock = JSON.parse(
    await Deno.readTextFile(new URL("../../../executable.lock", import.meta.url)),
  );
  const product = { name: "regfeed", version: "1.2.3", license: "MIT", denoVersion: "2.9.6" };
  const sbom = buildSbom(product, lock) as { components: { hashes?: unknown[] }[] };
  assert.ok(isValid(sbom), JSON.stringify(isValid.errors, null, 1));
  const broken = structuredClone(sbom);
  broken.components.at(-1)?.hashes?.push({ alg: "SHA-3", content: "x" });
  assert.equal(isValid(broken), false);
});

/** Returns the paths of the schemas in the official library. */
async function schemaFiles(): Promise<Record<"JSON_SCHEMA" | "SPDX" | "JSF", string>> {
  // The library's types omit its internal members.
  const { _Resources: { FILES } } = await import("npm:@cyclonedx/cyclonedx-library@10.3.0") as unknown as {
    _Resources: {
      FILES: {
        CDX: { JSON_SCHEMA: Record<string, string> };
        SPDX: { JSON_SCHEMA: string };
        JSF: { JSON_SCHEMA: string };
      };
    };
  };
  const { CDX, SPDX, JSF } = FILES;
  return { JSON_SCHEMA: CDX.JSON_SCHEMA["1.6"] ?? "", SPDX: SPDX.JSON_SCHEMA, JSF: JSF.JSON_SCHEMA };
}
