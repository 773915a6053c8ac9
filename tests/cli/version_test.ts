// When the command line warns about traces.
import assert from "node:assert/strict";
import { tracesWarning } from "../../src/server/build_info.ts";

/** Returns the warning of an executable that was built with these settings, in this environment. */
function warningOf(made: { traces: boolean } | null, { otel, runtime = "Deno 2.4.2", program = "regfeed" }: {
  otel?: string;
  runtime?: string;
  program?: string;
}): Promise<string | null> {
  return tracesWarning({
    program,
    runtime,
    env: (name) => name === "OTEL_DENO" ? otel : undefined,
    exists: () => Promise.resolve(made !== null),
    readText: () => Promise.resolve(JSON.stringify({ commit: null, ...made })),
  });
}

Deno.test("tracesWarning() reports an executable on Deno 2.4 whose traces differ from the environment", async () => {
  for (const otel of ["true", "1"]) {
    assert.match(
      await warningOf({ traces: false }, { otel }) ?? "",
      /nothing is exported.*deno task compile/,
    );
    assert.equal(await warningOf({ traces: true }, { otel }), null);
    assert.equal(await warningOf({ traces: false }, { otel, runtime: "Deno 2.9.6" }), null);
    assert.equal(await warningOf(null, { otel, program: "deno task regfeed" }), null);
  }
  assert.match(
    await warningOf({ traces: true }, {}) ?? "",
    /exports a trace of every request \(default: to port 4318/,
  );
  assert.match(await warningOf({ traces: true }, { otel: "false" }) ?? "", /compiled without OTEL_DENO/);
  assert.equal(await warningOf({ traces: false }, {}), null);
});
