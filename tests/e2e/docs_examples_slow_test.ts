// The examples in docs/use and in the API reference work: each is run, as shown, against a real server.
import assert from "node:assert/strict";
import { join } from "node:path";
import { areasOf } from "../../src/web/docs/reference/areas.ts";
import { isSigned, samplesOf } from "../../src/web/docs/reference/samples.ts";
import { EXAMPLE_EVENT, EXAMPLE_SUBSCRIPTION } from "../../src/wire/examples.ts";
import type { OpenApi } from "../../src/wire/openapi.ts";
import { type CodeBlock, codeBlocks, fileName, writeProgram } from "../support/guides.ts";
import { freePort, LOCAL_CONFIG, openBoard } from "../support/loopback.ts";
import { needs, program } from "../support/needs.ts";
import { addCustomer, callApi, serve, withConfig, withFolder } from "../support/process.ts";

/** More than a page of the polling examples. */
const EVENTS = 205;
const EVENT_LINE = /^evt_\w{26} (?:\d )?\w+ Guidelines on general-purpose AI \d+$/m;

interface Expectation {
  arguments?: string[];
  output: RegExp;
  /** The number of lines, and of those that a second run prints. */
  lines?: [first: number, again: number];
}

/** What each example prints, by guide, section and number of the block in it. */
const EXPECTED: Record<string, Expectation> = {
  "quick-start.md 2. Request events": { output: /^evt_\w{26} \w+ Guidelines|^\{"events":\[\{"id":"evt_/ },
  "events.md Provenance": { output: /"provenance":\{/ },
  "filters.md In a list": { output: /disclaimer/ },
  "polling.md New events": { output: EVENT_LINE, lines: [EVENTS, 0] },
  "polling.md New events sh": { output: /^\{"events":\[\{"id":"evt_/ },
  "polling.md Polling often": { output: /^304$/m },
  "versions.md What changed": { arguments: ["evt_…"], output: /^1 Guidelines|^\{"versions":\[\{"event":/ },
  "errors.md Retrying a request": { output: /^1$/m },
};

/** Blocks that other tests run, and commands that install packages. */
const ELSEWHERE = /^(?:webhooks|api)\.md /;
/** The flow of the quick start, which has its own test. */
const QUICK_START = /^quick-start\.md [13]\. /;

const PROGRAMS: Record<string, { tool: string; command(file: string): string[] }> = {
  sh: { tool: "curl", command: (file) => ["sh", "-eu", file] },
  js: { tool: "node", command: (file) => ["node", file] },
  python: { tool: "python3", command: (file) => ["python3", file] },
};

/** The names of programs whose first line does not state one. */
const FILES: Record<string, string> = { sh: "example.sh", js: "example.mjs", python: "example.py" };

interface Service {
  folder: string;
  address: string;
  key: string;
  eventId: string;
  env: Record<string, string>;
  /** Runs a block with its placeholders replaced by `values`, and returns what it prints. */
  run(block: CodeBlock, values?: Record<string, string>, args?: readonly string[]): Promise<string>;
}

async function withService(work: (service: Service) => Promise<void>): Promise<void> {
  const board = openBoard();
  for (let number = 0; number < EVENTS; number++) board.publish(`Guidelines on general-purpose AI ${number}`);
  try {
    await withConfig(LOCAL_CONFIG + board.source, async (folder) => {
      const { key } = await addCustomer(folder);
      await Deno.writeTextFile(join(folder, ".curlrc"), "silent\n");
      const server = await serve(folder);
      try {
        const eventId = await firstEvent(server, key);
        // The folder's .curlrc turns the progress meter off, which curl shows if its output is not a terminal.
        const env = { REGFEED_URL: server.address, REGFEED_KEY: key, CURL_HOME: folder };
        const run: Service["run"] = (block, values = {}, args = []) =>
          runBlock(block, {
            folder,
            values: {
              "https://regfeed.example.org": server.address,
              "rgf_…": key,
              "evt_…": eventId,
              ...values,
            },
            args: args.map((one) => one === "evt_…" ? eventId : one),
            env,
          });
        await work({ folder, address: server.address, key, eventId, env, run });
      } finally {
        await server.end("SIGTERM");
      }
    });
  } finally {
    await board.close();
  }
}

async function firstEvent(server: { address: string }, key: string): Promise<string> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    const { events } = await (await callApi(server, key, "/v1/events?limit=200")).json();
    if (events.length === 200) return events[0].id;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("the service stored no events");
}

interface Running {
  folder: string;
  /** The values of placeholders. */
  values: Record<string, string>;
  args: readonly string[];
  env: Record<string, string>;
}

async function runBlock(block: CodeBlock, running: Running): Promise<string> {
  const { stdout, stderr } = await execute(block, running);
  assert.equal(stderr, "", `${block.guide}, ${block.section}, ${block.language}: ${stderr}`);
  return stdout;
}

async function execute(
  block: Pick<CodeBlock, "language" | "code">,
  { folder, values, args, env }: Running,
): Promise<{ stdout: string; stderr: string }> {
  const file = fileName(block) ?? FILES[block.language] ?? "";
  let { code } = block;
  for (const [placeholder, value] of Object.entries(values)) code = code.replaceAll(placeholder, value);
  await Deno.writeTextFile(join(folder, file), code);
  const [command = "", ...rest] = PROGRAMS[block.language]?.command(file) ?? [];
  const { stdout, stderr } = await new Deno.Command(command, { args: [...rest, ...args], cwd: folder, env })
    .output();
  const decoder = new TextDecoder();
  return { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

const RUNNABLE = codeBlocks().filter(({ language }) => language in PROGRAMS);
const nameOf = ({ guide, section }: CodeBlock) => `${guide} ${section}`;

for (const [language, { tool }] of Object.entries(PROGRAMS)) {
  const blocks = RUNNABLE.filter((block) =>
    block.language === language && !ELSEWHERE.test(nameOf(block)) && !QUICK_START.test(nameOf(block))
  );
  Deno.test(
    needs(`every ${language} example of the guides works`, program(tool)),
    () =>
      withService(async ({ run }) => {
        for (const block of blocks) {
          const name = nameOf(block);
          const expected = EXPECTED[`${name} ${language}`] ?? EXPECTED[name];
          assert.ok(expected !== undefined, `no test runs the ${language} example of ${name}`);
          for (const count of expected.lines ?? [null]) {
            const printed = await run(block, {}, expected.arguments);
            const lines = printed === "" ? 0 : printed.trimEnd().split("\n").length;
            if (count !== 0) assert.match(printed, expected.output, `${name} ${language}`);
            if (count !== null && language !== "sh") assert.equal(lines, count, `${name} ${language}`);
          }
        }
      }),
  );
}

Deno.test("every task of the guides has its example in curl, JavaScript and Python", () => {
  const sections = new Map<string, string[]>();
  for (const block of RUNNABLE) {
    if (ELSEWHERE.test(nameOf(block))) continue;
    sections.set(nameOf(block), [...sections.get(nameOf(block)) ?? [], block.language]);
  }
  const complete = [...sections].filter(([, languages]) => languages.join().includes("sh,js,python"));
  assert.deepEqual(complete.map(([name]) => name).sort(), [
    "filters.md In a list",
    "polling.md New events",
    "quick-start.md 2. Request events",
    "quick-start.md 3. Receive a webhook",
    "versions.md What changed",
  ]);
});

for (const [language, { tool }] of Object.entries(PROGRAMS)) {
  const receiver = language === "python" ? "receiver.py" : "receiver.mjs";
  const [interpreter = ""] = PROGRAMS[language === "python" ? "python" : "js"]?.command("") ?? [];
  Deno.test(
    needs(
      `docs/use/quick-start.md: from the key to a test delivery, in ${language}`,
      program(tool, interpreter, "curl"),
    ),
    () => withService((service) => followQuickStart(service, { language, receiver, interpreter })),
  );
}

interface Choice {
  language: string;
  receiver: string;
  interpreter: string;
}

async function followQuickStart(
  { run }: Service,
  { language, receiver, interpreter }: Choice,
): Promise<void> {
  const blocks = RUNNABLE.filter(({ guide }) => guide === "quick-start.md");
  const [setUp, ...others] = blocks.filter(({ language }) => language === "sh");
  const test = others.at(-1) ?? assert.fail("no test delivery");
  const subscribe = blocks.find((block) => block.section.startsWith("3.") && block.language === language) ??
    assert.fail(`no subscription in ${language}`);
  const port = freePort();
  const printed = await run(subscribe, { "https://hooks.example.org/ai": `http://127.0.0.1:${port}/` });
  const [, id = ""] = /(sub_\w{26})/.exec(printed) ?? [];
  const [, secret = ""] = /webhook_secret["']?: ?["']([0-9a-f]{64})/.exec(printed) ?? [];
  await withFolder(async (folder) => {
    await writeProgram(receiver, folder);
    const child = new Deno.Command(interpreter, {
      args: [receiver],
      cwd: folder,
      env: { PORT: String(port), WEBHOOK_SECRET: secret },
      stdout: "piped",
      stderr: "null",
    }).spawn();
    try {
      await listening(port);
      const code = `${setUp?.code ?? ""}${test.code}`;
      const result = await run({ ...test, code }, { "sub_…": id });
      assert.match(result, /"delivered":true/);
    } finally {
      child.kill("SIGKILL");
      await child.output();
    }
  });
}

async function listening(port: number): Promise<void> {
  for (const end = Date.now() + 20_000;;) {
    try {
      return (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Problems that only a wrong sample causes. */
const MISTAKE =
  /invalid_input|unauthenticated|method_not_allowed|unsupported_media_type|does not exist|HTTP Error (?!40[49])|SyntaxError/;

for (const [language, { tool }] of Object.entries(PROGRAMS)) {
  Deno.test(
    needs(`every ${language} sample of the API reference works`, program(tool)),
    () =>
      withService(async ({ folder, address, key, eventId, env }) => {
        const webhookUrl = `http://127.0.0.1:${freePort()}/${language}`;
        const created = await callApi({ address }, key, "/v1/subscriptions", { webhook_url: webhookUrl });
        const { subscription } = await created.json();
        const description: OpenApi = await (await fetch(`${address}/v1/openapi.json`)).json();
        const values = {
          [EXAMPLE_EVENT.id]: eventId,
          [EXAMPLE_SUBSCRIPTION.id]: subscription.id,
          [EXAMPLE_SUBSCRIPTION.webhook_url]: `${webhookUrl}/new`,
        };
        let count = 0;
        for (const operation of areasOf(description).flatMap(({ operations }) => operations)) {
          if (isSigned(operation)) continue;
          const code = samplesOf(operation).find(({ lang }) => lang === language)?.text ?? "";
          const { stdout, stderr } = await execute({ language, code }, { folder, values, args: [], env });
          const printed = stdout + stderr;
          const name = `${code}\n${printed.slice(0, 1_000)}`;
          if (operation.path.includes("{id}")) assert.equal(MISTAKE.exec(printed)?.[0], undefined, name);
          else assert.match(stdout, /disclaimer|openapi/, name);
          count++;
        }
        assert.ok(count > 15, `only ${count} samples`);
      }),
  );
}
