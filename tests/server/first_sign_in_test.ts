// How an operator signs in to a new service: the log names a command, and only a terminal shows a link.
import assert from "node:assert/strict";
import { hashToken } from "../../src/accounts/sessions.ts";
import { createRandom } from "../../src/platform/random.ts";
import { explainFirstSignIn } from "../../src/server/first_sign_in.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { T0 } from "../store/contract/given.ts";
import { fakeClock } from "../support/clock.ts";
import { begin, regfeed, regfeedJson, serve, withConfig } from "../support/process.ts";
import { LINUX, needs, program } from "../support/needs.ts";
import { testVault } from "../support/vault.ts";

const platform = { clock: fakeClock(T0), random: createRandom() };

Deno.test("explainFirstSignIn() prints a link on a terminal only, and nothing after the first sign-in", async () => {
  const store = openStore(":memory:", testVault);
  const config = { server: { publicUrl: "https://feed.example" } };
  const explain = async (isTerminal: boolean, configFile: string | null = null) => {
    const logged: unknown[] = [];
    let printed = "";
    await explainFirstSignIn({
      host: { program: "regfeed", isTerminal, out: (text) => void (printed += text), user: () => "olga" },
      configFile,
      config: config as never,
      store,
      platform,
      log: { info: (message, fields) => void logged.push(message, fields?.["command"]) },
    });
    return { logged: JSON.stringify(logged), printed };
  };
  try {
    const { logged, printed } = await explain(false, "/etc/my feed.toml");
    assert.match(logged, /regfeed console link --config '\/etc\/my feed\.toml'/);
    assert.equal(printed, "");
    const onTerminal = await explain(true);
    const token = /https:\/\/feed\.example\/sign-in\/link\/([\w-]+)\n/.exec(onTerminal.printed)?.[1] ?? "";
    assert.match(onTerminal.logged, /"regfeed console link"/);
    assert.ok(!onTerminal.logged.includes(token));
    const started = await store.redeemSignInLink(hashToken(token) ?? "", {
      id: "ses_1",
      hash: "a".repeat(64),
      method: "link",
      keyHash: null,
      createdAtMs: T0,
      client: { ipAddress: "192.0.2.7", userAgent: "" },
    });
    assert.deepEqual(started, { kind: "operator", name: "olga" });
    assert.deepEqual(await explain(true), { logged: "[]", printed: "" });
  } finally {
    await store.close();
  }
});

/** Runs a program in a terminal, copies its output to stderr, and passes SIGTERM on to it. */
const IN_TERMINAL = `
import os, pty, signal, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
try:
    while data := os.read(terminal, 4096): os.write(2, data)
except OSError: pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`;

Deno.test(
  needs("serve on a terminal prints a link, once per start until it was used", program("python3"), LINUX),
  () =>
    withConfig('[server]\nlisten = "127.0.0.1:0"\npublic_url = "https://feed.example"\n', async (folder) => {
      const server = begin(folder, {}, ["python3", "-c", IN_TERMINAL]);
      await server.said("within 15 minutes");
      await server.said("/sign-in/link/");
      assert.match(server.log(), /https:\/\/feed\.example\/sign-in\/link\/[\w-]{22}\r?\n/);
      server.signal("SIGTERM");
      assert.equal((await server.over).code, 0);
      const { audit } = await regfeedJson<{ audit: { actor: string; act: string }[] }>(folder, "audit list");
      assert.deepEqual(audit.map(({ actor, act }) => [actor, act]), [["service", "console.link"]]);
    }),
);

Deno.test("serve logs the command that prints a link, but no link", () =>
  withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    const server = await serve(folder);
    await server.said("console link");
    const { log } = await server.end("SIGTERM");
    assert.doesNotMatch(log, /sign-in\/link/);
    const { stdout } = await regfeed(folder, "audit list");
    assert.doesNotMatch(stdout, /console\.link/);
  }));
