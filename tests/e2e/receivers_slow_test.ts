// The receivers in docs/use/webhooks.md work as documented. They are extracted from the page and run.
import assert from "node:assert/strict";
import { join } from "node:path";
import { signPayload } from "../../src/delivery/sign.ts";
import { guide, writeProgram } from "../support/guides.ts";
import { regfeed, withFolder } from "../support/process.ts";
import { freePort } from "../support/loopback.ts";
import { needs, program } from "../support/needs.ts";

const DOCS = guide("webhooks.md");
const SECRET = "0123456789abcdef".repeat(4);
const OTHER = "fedcba9876543210".repeat(4);
const BODY = '{"type":"event.published","sequence":7,"title":"Grüße – 規則"}';
const PATIENCE_MS = 20_000;

interface Sent {
  headers: Record<string, string>;
  body: string;
}

function delivery(change: { id?: string; secrets?: string[]; ageSeconds?: number } = {}): Sent {
  const { id = "dlv_1", secrets = [SECRET], ageSeconds = 0 } = change;
  const timestampSeconds = Math.floor(Date.now() / 1_000) - ageSeconds;
  return {
    body: BODY,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(timestampSeconds),
      "webhook-signature": signPayload({ secrets, id, timestampSeconds, body: BODY }),
    },
  };
}

function cases(): [name: string, sent: Sent, good: boolean][] {
  const good = delivery();
  const without = (name: string) => ({
    ...good,
    headers: Object.fromEntries(Object.entries(good.headers).filter(([own]) => own !== name)),
  });
  return [
    ["a good one", good, true],
    ["the same again", delivery(), true],
    ["another one", delivery({ id: "dlv_2" }), true],
    ["one signed with the old and the new secret", delivery({ id: "dlv_3", secrets: [OTHER, SECRET] }), true],
    ["one of four minutes ago", delivery({ id: "dlv_4", ageSeconds: 240 }), true],
    ["one of six minutes ago", delivery({ ageSeconds: 360 }), false],
    ["one of the future", delivery({ ageSeconds: -360 }), false],
    ["another secret's", delivery({ secrets: [OTHER] }), false],
    ["a changed body", { ...good, body: BODY.replace("7", "8") }, false],
    ["a body written anew", { ...good, body: JSON.stringify(JSON.parse(BODY), null, 1) }, false],
    ["another id", { ...good, headers: { ...good.headers, "webhook-id": "dlv_9" } }, false],
    ["no signature", { ...good, headers: { ...good.headers, "webhook-signature": "" } }, false],
    ["half a signature", { ...good, headers: { ...good.headers, "webhook-signature": "v1,AAAA" } }, false],
    ["a time that is none", { ...good, headers: { ...good.headers, "webhook-timestamp": "now" } }, false],
    ["no header of the time", without("webhook-timestamp"), false],
    ["no header of the signature", without("webhook-signature"), false],
  ];
}

async function post(port: number, { headers, body }: Sent): Promise<number> {
  for (const end = Date.now() + PATIENCE_MS;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body });
      await response.body?.cancel();
      return response.status;
    } catch (error) {
      // The receiver is not listening yet.
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

const RECEIVERS: [file: string, tool: string, run: string[]][] = [
  ["receiver.mjs", "node", ["node", "receiver.mjs"]],
  ["receiver.py", "python3", ["python3", "receiver.py"]],
  // Built first, because `go run` would leave its child process behind.
  ["receiver.go", "go", ["./receiver"]],
];

async function build(tool: string, file: string, folder: string): Promise<void> {
  if (tool !== "go") return;
  const { success, stderr } = await new Deno.Command("go", {
    args: ["build", "-o", "receiver", file],
    cwd: folder,
    env: { GOCACHE: join(folder, "cache"), GOPATH: join(folder, "path"), GOFLAGS: "" },
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

for (const [file, tool, [command = "", ...args]] of RECEIVERS) {
  Deno.test(
    needs(
      `docs/use/webhooks.md: ${file} accepts valid deliveries once, and refuses invalid ones`,
      program(tool),
    ),
    () =>
      withFolder(async (folder) => {
        await writeProgram(file, folder);
        await build(tool, file, folder);
        const port = freePort();
        const child = new Deno.Command(command.startsWith(".") ? join(folder, command) : command, {
          args,
          cwd: folder,
          env: { PORT: String(port), WEBHOOK_SECRET: SECRET },
          stdout: "piped",
          stderr: "piped",
        }).spawn();
        try {
          for (const [name, sent, good] of cases()) {
            assert.equal(await post(port, sent), good ? 204 : 401, name);
          }
        } finally {
          child.kill("SIGKILL");
        }
        const { stdout } = await child.output();
        if (tool === "go") return; // this program leaves storing the ids to its reader
        const lines = new TextDecoder().decode(stdout).trim().split("\n");
        assert.deepEqual(lines.map((line) => line.split(" ")[0]), ["dlv_1", "dlv_2", "dlv_3", "dlv_4"]);
        assert.match(lines[0] ?? "", /event\.published 7 Grüße – 規則$/);
      }),
  );
}

Deno.test(
  needs("docs/use/webhooks.md: verify.sh accepts valid and refuses invalid deliveries", program("openssl")),
  () =>
    withFolder(async (folder) => {
      await writeProgram("verify.sh", folder);
      for (const [name, { headers, body }, good] of cases()) {
        if (headers["webhook-timestamp"] === undefined || !/^\d+$/.test(headers["webhook-timestamp"])) {
          continue;
        }
        await Deno.writeTextFile(join(folder, "body"), body);
        const { code, stdout } = await new Deno.Command("sh", {
          args: ["verify.sh", "body"],
          cwd: folder,
          env: {
            WEBHOOK_SECRET: SECRET,
            WEBHOOK_ID: headers["webhook-id"] ?? "",
            WEBHOOK_TIMESTAMP: headers["webhook-timestamp"],
            WEBHOOK_SIGNATURE: headers["webhook-signature"] ?? "",
          },
        }).output();
        assert.equal(code, good ? 0 : 1, `${name}: ${new TextDecoder().decode(stdout)}`);
      }
    }),
);

for (const [file, tool] of [["save.mjs", "node"], ["save.py", "python3"]] as const) {
  Deno.test(
    needs(
      `docs/use/webhooks.md: webhook verify accepts the files that ${file} saves, as documented`,
      program(tool),
    ),
    () =>
      withFolder(async (folder) => {
        await writeProgram(file, folder);
        await Deno.writeTextFile(join(folder, "secret"), `${SECRET}\n`);
        const port = freePort();
        const child = new Deno.Command(tool, {
          args: [file],
          cwd: folder,
          env: { PORT: String(port) },
          stdout: "null",
          stderr: "null",
        }).spawn();
        try {
          assert.equal(await post(port, delivery()), 204);
        } finally {
          child.kill("SIGKILL");
          await child.status;
        }
        assert.equal(await Deno.readTextFile(join(folder, "body.json")), BODY);
        const command = /^regfeed (webhook verify .*--headers-file.*)$/m.exec(DOCS)?.[1]?.split(" ");
        assert.ok(command, "the page shows the command");
        const good = await regfeed(folder, command);
        assert.equal(good.code, 0, good.stdout + good.stderr);
        await Deno.writeTextFile(join(folder, "body.json"), `${BODY}\n`);
        assert.equal((await regfeed(folder, command)).code, 1);
      }),
  );
}
