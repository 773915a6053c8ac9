// Tidy rules on imports: modules, cycles, packages and URLs.
import { dirname, join, normalize } from "node:path/posix";
import { at, importsOf, type Offence, type Source } from "./source.ts";

const FEATURES = ["ingest", "classify", "delivery", "accounts", "api", "web", "backup", "coverage"];

/** The features that respond to HTTP requests. */
const SERVES_HTTP = ["api", "web"];

/** The modules that each module of src may import, besides itself. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  version: [],
  wire: ["domain"],
  config: ["domain"],
  store: ["domain", "version"],
  platform: ["domain"],
  classify: ["domain"],
  http: ["wire", "domain"],
  ...Object.fromEntries(
    FEATURES.filter((module) => module !== "classify").map((module) => [
      module,
      [...(SERVES_HTTP.includes(module) ? ["http"] : []), "wire", "domain", "version"],
    ]),
  ),
  // The operator's use cases, for the command line and the pages.
  operate: ["accounts", "backup", "classify", "config", "ingest", "wire", "domain"],
  app: ["operate", "version", "config", "store", "platform", ...FEATURES, "http", "wire", "domain"],
  server: ["app", "operate", "version", "config", "store", "platform", ...FEATURES, "http", "wire", "domain"],
  cli: [
    "server",
    "app",
    "operate",
    "version",
    "config",
    "store",
    "platform",
    ...FEATURES,
    "http",
    "wire",
    "domain",
  ],
  main: ["cli", "platform", "server"],
  // The programs of worker threads. No module imports them; they are started by their URLs.
  database_worker: ["platform", "store", "domain"],
  parse_worker: ["platform", "ingest", "classify", "domain"],
};

/**
 * Returns the module of a file: its folder in src, its own name if it is main.ts or directly in src, or null for other
 * files.
 */
export function moduleOf(path: string): string | null {
  if (path === "main.ts") return "main";
  const [top, next] = path.split("/");
  return top === "src" && next !== undefined ? next.replace(/\.ts$/, "") : null;
}

/** Imports run downwards only, and modules of different features never import each other. */
export function moduleRule(sources: readonly Source[]): Offence[] {
  return sources.flatMap((source) => {
    const module = moduleOf(source.path);
    if (module === null || source.tree === null) return [];
    const allowed = MAY_IMPORT[module];
    if (allowed === undefined) return [{ path: source.path, line: 1, what: `src has no module ${module}` }];
    return importsOf(source).flatMap(({ specifier, node }) => {
      if (!specifier.startsWith(".")) return [];
      const path = normalize(join(dirname(source.path), specifier));
      const target = moduleOf(path);
      if (target === module || (target !== null && allowed.includes(target))) return [];
      if (target === null && EMBEDDED.test(path)) return [];
      return [at(source, node, `${module} imports ${target ?? path}`)];
    });
  });
}

/** Files outside of src that the executable contains: the example config, the guides and the changelog. */
const EMBEDDED = /^(?:[\w.]+\.(?:toml|json|md)|docs\/use\/[\w.-]+\.md)$/;

/** Files do not import each other in a cycle, not even types. The offence is in the cycle's first file. */
export function cycleRule(sources: readonly Source[]): Offence[] {
  const imports = new Map(
    sources.filter(({ tree }) => tree !== null).map((source) => [
      source.path,
      importsOf(source).map(({ specifier }) => normalize(join(dirname(source.path), specifier))),
    ]),
  );
  const offences: Offence[] = [];
  // Depth first: an import of a file on the current path closes a cycle.
  const finished = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    if (finished.has(file)) return;
    const start = path.indexOf(file);
    if (start !== -1) {
      const cycle = path.slice(start);
      offences.push({
        path: cycle.toSorted()[0] ?? file,
        line: 1,
        what: `import cycle: ${cycle.join(" → ")} → ${file}`,
      });
      return;
    }
    path.push(file);
    imports.get(file)?.forEach(visit);
    path.pop();
    finished.add(file);
  };
  for (const file of imports.keys()) visit(file);
  return offences;
}

const OWN_PACKAGE = /^npm:(@[^/]+\/[^/@]+|[^/@]+)@(\d+\.\d+\.\d+)(\/|$)/;

/**
 * The program's packages are in deno.json under their own names with exact versions, and each is used. Tests and tools
 * import their own packages as `npm:NAME@VERSION` instead, because the executable embeds every package in deno.json.
 * Each package has one version throughout.
 */
export function packageRule(sources: readonly Source[]): Offence[] {
  const manifest = sources.find(({ path }) => path === "deno.json");
  const imports = (JSON.parse(manifest?.text ?? "{}") as { imports?: Record<string, string> }).imports ?? {};
  const offences: Offence[] = [];
  const used = new Set<string>();
  const versions = new Map<string, string>();
  for (const source of sources) {
    const isProgram = !/^(tests|tools)\//.test(source.path);
    for (const { specifier, node } of importsOf(source)) {
      if (/^(\.|node:)/.test(specifier)) continue;
      const [, own, version] = OWN_PACKAGE.exec(specifier) ?? [];
      if (own !== undefined && version !== undefined && !isProgram && imports[own] === undefined) {
        const first = versions.get(own) ?? version;
        versions.set(own, first);
        if (first !== version) {
          offences.push(at(source, node, `${specifier}, but ${own} is ${first} elsewhere`));
        }
        continue;
      }
      const name = /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
      if (isProgram) used.add(name);
      if (imports[name] === undefined) {
        offences.push(at(source, node, `${specifier} is not in deno.json's imports`));
      }
    }
  }
  const inManifest = (name: string, what: string) => {
    const line = (manifest?.text ?? "").split("\n").findIndex((text) => text.includes(`"${name}"`)) + 1;
    offences.push({ path: "deno.json", line, what });
  };
  for (const [name, target] of Object.entries(imports)) {
    const version = target.startsWith(`npm:${name}@`) ? target.slice(`npm:${name}@`.length) : "";
    if (!/^\d+\.\d+\.\d+$/.test(version)) {
      inManifest(name, `${target} is not npm:${name}@ with an exact version`);
    }
    if (!used.has(name)) inManifest(name, `${name} is not imported by the program`);
  }
  return offences;
}

/** No module is imported from a URL or from a registry other than npm. */
export function addressRule(sources: readonly Source[]): Offence[] {
  return sources.flatMap((source) =>
    importsOf(source).flatMap(({ specifier, node }) =>
      /^(?!node:|npm:)[a-z]+:/.test(specifier) ? [at(source, node, `imports ${specifier}`)] : []
    )
  );
}
