// Generates the SBOM of an executable from executable.lock, in CycloneDX 1.6 (ECMA-424).
import { createHash } from "node:crypto";

/** The parts of a Deno lock file that are read here. */
export interface Lock {
  npm?: Record<string, { integrity?: string; dependencies?: string[] }>;
}

interface Product {
  name: string;
  version: string;
  license: string;
  /** For example, "2.9.6". */
  denoVersion: string;
}

/** Returns the SBOM. It contains no time and no random number: the same product and lock always give the same SBOM. */
export function buildSbom(product: Product, lock: Lock): unknown {
  const packages = Object.entries(lock.npm ?? {});
  const runtime = component({
    name: "deno",
    version: product.denoVersion,
    type: "platform",
    ref: `deno@${product.denoVersion}`,
  });
  const root = `${product.name}@${product.version}`;
  const refs = packages.map(([key]) => key);
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([product, lock]))}`,
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": root,
        name: product.name,
        version: product.version,
        licenses: [{ license: { id: product.license } }],
      },
    },
    components: [
      runtime,
      ...packages.map(([key, { integrity }]) => {
        const { name, version } = nameAndVersion(key);
        return {
          ...component({ name, version, type: "library", ref: key }),
          purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
          ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
        };
      }),
    ],
    dependencies: [
      { ref: root, dependsOn: [`deno@${product.denoVersion}`, ...refs] },
      ...packages.map(([key, { dependencies = [] }]) => ({
        ref: key,
        dependsOn: dependencies.flatMap((name) => {
          const found = refs.find((ref) => ref === name) ??
            refs.find((ref) => nameAndVersion(ref).name === name);
          return found === undefined ? [] : [found];
        }),
      })),
    ],
  };
}

function component(
  { name, version, type, ref }: { name: string; version: string; type: string; ref: string },
) {
  return { type, "bom-ref": ref, name, version };
}

function nameAndVersion(key: string): { name: string; version: string } {
  // Peer dependencies may follow the version: "a@1.0.0_b@2.0.0".
  const [, name = key, version = ""] = /^(@?[^@]+)@([^_]+)/.exec(key) ?? [];
  return { name, version };
}

function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = "", base64 = ""] = integrity.split("-");
  const content = Array.from(atob(base64), (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join(
    "",
  );
  return { alg: algorithm.replace("sha", "SHA-"), content };
}

/** Returns a version 8 UUID (RFC 9562) derived from the text. Identical texts get identical UUIDs. */
function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${
    hex.slice(20, 32)
  }`;
}
