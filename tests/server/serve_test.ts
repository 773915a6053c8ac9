// What a server loads before its first answer: each file and package more is read and compiled at every start.
import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path/posix";
import ts from "npm:typescript@5.9.3";
import { importsOf, readRepository } from "../../tools/tidy/source.ts";

Deno.test("a server that starts loads no reader of documents, no archiver and no description of the API", () => {
  const sources = new Map(
    readRepository(new URL("../../", import.meta.url)).map((source) => [source.path, source]),
  );
  const loaded = new Set<string>();
  const load = (path: string) => {
    const source = sources.get(path);
    if (loaded.has(path)) return;
    loaded.add(path);
    if (source?.tree === null || source === undefined) return;
    for (const { specifier, node, clause } of importsOf(source)) {
      // What is imported by a call is loaded when that call is made, and types never are.
      const isStatic = ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
      if (!isStatic || clause?.isTypeOnly === true) continue;
      load(specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : specifier);
    }
  };
  for (
    const start of ["src/app.ts", "src/cli/serve.ts", "src/server/server_process.ts", "src/config/config.ts"]
  ) {
    load(start);
  }
  assert.ok(loaded.has("src/api/server.ts") && loaded.has("src/ingest/ingest.ts") && loaded.has("zod"));
  const later = ["htmlparser2", "css-select", "modern-tar", "undici", "nodemailer", "standardwebhooks"];
  const laterFiles = [
    "src/ingest/ingest_source.ts",
    "src/ingest/parse/document.ts",
    "src/api/openapi.ts",
    "src/web/docs.ts",
  ];
  assert.deepEqual([...later, ...laterFiles].filter((path) => loaded.has(path)), []);
});
