// What surrounds the executable is taken by the programs that it is for, where they are installed.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv } from "npm:ajv@8.20.0";
import formats from "npm:ajv-formats@3.0.1";
import { parseConfig } from "../../src/config/config.ts";
import { buildDebian, debianArchitecture, debianConfig } from "../../tools/build/debian.ts";
import { buildSbom, type Lock } from "../../tools/build/sbom.ts";
import { withFolder } from "../support/process.ts";

const PACKAGING = fileURLToPath(new URL("../../packaging/", import.meta.url));

/** What a program says and whether it is content; null where it is not installed. */
async function ask(program: string, args: string[]): Promise<{ ok: boolean; said: string } | null> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(program, { args, stdin: "null" }).output();
    return { ok: success, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

const isInstalled = async (program: string) =>
  await ask("which", [program]).then((found) => found?.ok === true);

Deno.test({
  name: "Prometheus takes the alerts, and they ask for nothing that is not measured",
  ignore: !await isInstalled("promtool"),
  fn: async () => {
    const file = join(PACKAGING, "alerts.yml");
    const checked = await ask("promtool", ["check", "rules", file]);
    assert.ok(checked?.ok, checked?.said);
    const text = await Deno.readTextFile(file);
    const rules = text.match(/- alert:/g)?.length ?? 0;
    assert.match(checked.said, new RegExp(`SUCCESS: ${rules} rules found`));
    const asked = new Set(text.match(/regfeed_[a-z_]+/g));
    const measuring = ["api/store_metrics.ts", "cli/sole_server.ts"].map((file) =>
      Deno.readTextFile(new URL(`../../src/${file}`, import.meta.url))
    );
    const measured = (await Promise.all(measuring)).join();
    assert.ok(asked.size >= 4 && rules >= 4);
    for (const name of asked) assert.ok(measured.includes(`"${name}"`), name);
  },
});

Deno.test({
  name: "systemd takes the unit and calls it safe",
  ignore: !await isInstalled("systemd-analyze"),
  fn: async () => {
    await withFolder(async (folder) => {
      // The program that it starts has to be there.
      const unit = (await Deno.readTextFile(join(PACKAGING, "regfeed.service"))).replaceAll(
        "/usr/bin/regfeed",
        Deno.execPath(),
      );
      const file = join(folder, "regfeed.service");
      await Deno.writeTextFile(file, unit);
      const verified = await ask("systemd-analyze", ["verify", file]);
      assert.deepEqual(verified, { ok: true, said: "" });
      const rated = await ask("systemd-analyze", ["security", "--offline=true", file]);
      const exposure = Number(
        /Overall exposure level for regfeed\.service: ([\d.]+)/.exec(rated?.said ?? "")?.[1],
      );
      assert.ok(exposure <= 2, rated?.said);
    });
  },
});

Deno.test({
  name: "Caddy takes the Caddyfile without a warning",
  ignore: !await isInstalled("caddy"),
  fn: async () => {
    const adapted = await ask("caddy", [
      "adapt",
      "--config",
      join(PACKAGING, "Caddyfile"),
      "--adapter",
      "caddyfile",
    ]);
    assert.ok(adapted?.ok, adapted?.said);
    assert.doesNotMatch(adapted.said, /"level":"(warn|error)"/);
  },
});

Deno.test({
  name: "nginx takes the site's file",
  ignore: !await isInstalled("nginx") || !await isInstalled("openssl"),
  fn: async () => {
    await withFolder(async (folder) => {
      const made = await ask("openssl", [
        ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=feed.example.org"],
        ...["-keyout", join(folder, "key.pem"), "-out", join(folder, "fullchain.pem")],
      ]);
      assert.ok(made?.ok, made?.said);
      const site = await Deno.readTextFile(join(PACKAGING, "nginx.conf"));
      await Deno.writeTextFile(
        join(folder, "site.conf"),
        site.replaceAll("/etc/ssl/feed.example.org", folder),
      );
      await Deno.writeTextFile(
        join(folder, "nginx.conf"),
        `pid ${folder}/pid; error_log stderr; events {} http { access_log off; include ${folder}/site.conf; }`,
      );
      const tested = await ask("nginx", ["-t", "-c", join(folder, "nginx.conf"), "-e", "stderr"]);
      assert.ok(tested?.ok, tested?.said);
    });
  },
});

Deno.test({
  name: "the Dockerfile makes an image whose user is nobody, with a folder of its own, and a health check",
  ignore: Deno.uid() !== 0 || !await isInstalled("buildah"), // without a daemon, on an empty base: nothing is fetched
  fn: () =>
    withFolder(async (folder) => {
      const buildah = async (...args: string[]) => {
        const where = [
          "--storage-driver",
          "vfs",
          "--root",
          join(folder, "store"),
          "--runroot",
          join(folder, "run"),
        ];
        const done = await ask("buildah", [...where, ...args]);
        assert.ok(done?.ok, done?.said);
        return done.said.trim();
      };
      await Deno.writeTextFile(join(folder, "base"), "FROM scratch\n");
      await Deno.mkdir(join(folder, "dist"));
      await Deno.writeTextFile(join(folder, "dist", "regfeed"), "the executable");
      const build = ["bud", "-q", "--isolation", "chroot", "--pull-never", "--format", "docker"];
      await buildah(...build, "-t", "base", "-f", join(folder, "base"), folder);
      const file = join(PACKAGING, "Dockerfile");
      await buildah(...build, "--build-arg", "BASE=localhost/base", "-t", "regfeed", "-f", file, folder);
      const { Docker: { config } } = JSON.parse(await buildah("inspect", "--type", "image", "regfeed"));
      assert.equal(config.User, "65532:65532");
      assert.deepEqual(config.Entrypoint, ["/usr/bin/regfeed"]);
      assert.deepEqual(config.Cmd, ["serve", "--config", "/etc/regfeed/regfeed.toml"]);
      assert.deepEqual(config.Healthcheck.Test.slice(0, 3), ["CMD", "/usr/bin/regfeed", "healthcheck"]);
      const machine = await buildah("mount", await buildah("from", "--pull-never", "localhost/regfeed"));
      const rights = async (path: string) => {
        const { uid, mode } = await Deno.stat(join(machine, path));
        return [uid, ((mode ?? 0) & 0o777).toString(8)];
      };
      assert.deepEqual(await rights("data"), [65_532, "755"]);
      assert.deepEqual(await rights("usr/bin/regfeed"), [0, "755"]);
      await buildah("umount", "--all");
    }),
});

Deno.test({
  name: "the Debian package holds the executable, its unit, and a config that it must not overwrite",
  ignore: !await isInstalled("dpkg-deb"),
  fn: async () => {
    await withFolder(async (folder) => {
      const executable = join(folder, "regfeed");
      await Deno.writeTextFile(executable, "#!/bin/sh\n");
      const output = join(folder, "regfeed.deb");
      const built = await buildDebian({ executable, output, version: "1.2.3", architecture: "amd64" });
      assert.ok(built.ok, built.said);
      const listed = (await ask("dpkg-deb", ["--contents", output]))?.said ?? "";
      assert.match(listed, /^-rwxr-xr-x root\/root .* \.\/usr\/bin\/regfeed$/m);
      assert.match(listed, /^-rw-r--r-- root\/root .* \.\/usr\/lib\/systemd\/system\/regfeed\.service$/m);
      assert.match(listed, /^-rw-r----- root\/root .* \.\/etc\/regfeed\/regfeed\.toml$/m);
      const again = join(folder, "again.deb");
      await new Promise((resolve) => setTimeout(resolve, 1_100)); // its files are of another second
      await buildDebian({ executable, output: again, version: "1.2.3", architecture: "amd64" });
      assert.deepEqual(await Deno.readFile(again), await Deno.readFile(output));
      const about = (await ask("dpkg-deb", ["--info", output]))?.said ?? "";
      assert.match(about, /Version: 1\.2\.3/);
      assert.match(about, /conffiles/);
    });
  },
});

Deno.test("the Debian package's config keeps everything below /var/lib/regfeed", async () => {
  const text = debianConfig(await Deno.readTextFile(new URL("../../config.example.toml", import.meta.url)));
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

Deno.test("the list of components is CycloneDX, names every package with its hash, and is the same each time", async () => {
  const lock: Lock = JSON.parse(await Deno.readTextFile(new URL("../../executable.lock", import.meta.url)));
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

Deno.test("the list of components is what the schema of CycloneDX 1.6 asks for", async () => {
  const { JSON_SCHEMA, SPDX, JSF } = await schemaFiles();
  const read = async (file: string) => JSON.parse(await Deno.readTextFile(file));
  const ajv = new Ajv({ strict: false, validateFormats: true, allErrors: true, addUsedSchema: false });
  formats.default(ajv);
  for (const format of ["iri-reference", "idn-email"]) ajv.addFormat(format, true); // not used here
  ajv.addSchema(await read(SPDX), "http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json");
  ajv.addSchema(await read(JSF), "http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json");
  const isValid = ajv.compile(await read(JSON_SCHEMA));
  const lock: Lock = JSON.parse(await Deno.readTextFile(new URL("../../executable.lock", import.meta.url)));
  const product = { name: "regfeed", version: "1.2.3", license: "MIT", denoVersion: "2.9.6" };
  const sbom = buildSbom(product, lock) as { components: { hashes?: unknown[] }[] };
  assert.ok(isValid(sbom), JSON.stringify(isValid.errors, null, 1));
  const broken = structuredClone(sbom);
  broken.components.at(-1)?.hashes?.push({ alg: "SHA-3", content: "x" });
  assert.equal(isValid(broken), false);
});

/** Where the official library has the schemas. */
async function schemaFiles(): Promise<Record<"JSON_SCHEMA" | "SPDX" | "JSF", string>> {
  // The library's types leave out what it has for its own use.
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
