// `webhook verify`: checks the signature of a saved delivery.
import { isAbsolute, join } from "node:path";
import { diagnose, type Diagnosis } from "../../delivery/verify/diagnose.ts";
import { createClock } from "../../platform/clock.ts";
import type { Command } from "../command.ts";
import { print } from "../print.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { formatFields, textWidth, wrapText } from "../wrap_text.ts";

const SECRET_VARIABLE = "WEBHOOK_SECRET";

export const webhookCommands: Command[] = [
  {
    name: "webhook verify",
    usage:
      "--body FILE {--headers-file FILE | --header 'NAME: VALUE' …} [--secret-file FILE | --secret-env VARIABLE | --secret SECRET] [--at TIME] [--json]",
    summary: "checks the signature of a saved delivery and explains what is wrong",
    example: "regfeed webhook verify --secret-file secret --body body.json --header 'webhook-id: dlv_01…' " +
      "--header 'webhook-timestamp: 1785513605' --header 'webhook-signature: v1,… v1,…'",
    withoutConfig: true,
    options: {
      body: { kind: "text", value: "FILE", help: "the body, byte for byte as it arrived" },
      header: {
        kind: "list",
        value: "'NAME: VALUE'",
        short: "H",
        help: "a header of the request; repeat the option for each header",
      },
      "headers-file": {
        kind: "text",
        value: "FILE",
        help: "a file with one header per line; other lines are ignored",
      },
      "secret-file": { kind: "text", value: "FILE", help: "a file with the subscription's webhook_secret" },
      "secret-env": {
        kind: "text",
        value: "VARIABLE",
        help: `the environment variable that contains the secret (default ${SECRET_VARIABLE})`,
      },
      secret: {
        kind: "text",
        value: "SECRET",
        help: "the secret itself, which then stays in the shell's history",
      },
      at: {
        kind: "text",
        value: "TIME",
        help: "time of arrival: 2026-07-31T12:00:05Z or Unix seconds (default now)",
      },
    },
    run: verify,
  },
];

async function verify(call: CommandCall): Promise<number> {
  const { host, texts, lists } = call;
  const bodyFile = texts.get("body");
  if (bodyFile === undefined) {
    throw wrongUse("--body FILE is missing: name the file with the body as it was received");
  }
  const headers = [...await readHeadersFile(call), ...(lists.get("header") ?? []).map(readHeader)];
  if (headers.length === 0) {
    throw wrongUse(
      "headers are missing: use --headers-file FILE, or --header for each of webhook-id, webhook-timestamp " +
        "and webhook-signature",
    );
  }
  const nowMs = readTime(texts.get("at"));
  const secret = await readSecret(call);
  if (secret.trim() === "") throw wrongUse("the secret is empty");
  const body = await host.readBytes(inFolder(call, bodyFile));
  const diagnosis = diagnose({ secret, headers, body, nowMs });
  print(call, diagnosis, () => describe(diagnosis, textWidth(host.columns())));
  return diagnosis.ok ? EXIT.done : EXIT.failed;
}

/** Reads the headers of a saved request. Ignores all other lines, such as the request line. */
async function readHeadersFile(call: CommandCall): Promise<[string, string][]> {
  const file = call.texts.get("headers-file");
  if (file === undefined) return [];
  const lines = (await call.host.readText(inFolder(call, file))).split(/\r?\n/);
  return lines.filter((line) => /^[\w-]+:/.test(line)).map(readHeader);
}

function readHeader(text: string): [string, string] {
  const colon = text.indexOf(":");
  if (colon <= 0) throw wrongUse(`--header must be 'NAME: VALUE', not ${JSON.stringify(text)}`);
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

async function readSecret(call: CommandCall): Promise<string> {
  const { host, texts } = call;
  const given = ["secret", "secret-file", "secret-env"].filter((name) => texts.has(name));
  if (given.length > 1) {
    throw wrongUse(`use only one of ${given.map((name) => `--${name}`).join(" and ")}`);
  }
  const file = texts.get("secret-file");
  // A line break at the end of the file is not part of the secret.
  if (file !== undefined) return (await host.readText(inFolder(call, file))).replace(/\r?\n$/, "");
  const variable = texts.get("secret-env") ?? SECRET_VARIABLE;
  const secret = texts.get("secret") ?? host.env(variable);
  if (secret !== undefined) return secret;
  throw wrongUse(
    `the secret is missing: use --secret-file FILE, or set the environment variable ${variable}`,
  );
}

function readTime(text: string | undefined): number {
  if (text === undefined) return createClock().nowMs();
  if (/^\d{9,11}$/.test(text)) return Number(text) * 1_000;
  const ms = /^\d{12,14}$/.test(text) ? Number(text) : Date.parse(text);
  if (!Number.isFinite(ms)) {
    throw wrongUse(
      `--at must be a time such as 2026-07-31T12:00:05Z or 1785499205, not ${JSON.stringify(text)}`,
    );
  }
  return ms;
}

function inFolder({ host }: CommandCall, path: string): string {
  return isAbsolute(path) ? path : join(host.cwd, path);
}

function wrongUse(message: string): CommandError {
  return new CommandError(`${message}\n\`regfeed webhook verify --help\` shows an example`, EXIT.usage);
}

function describe({ ok, ways, findings, expected }: Diagnosis, width: number): string {
  const layout = { width, indent: 2 };
  const lines = [ok ? "OK: the signature is valid\n" : "NOT OK: a verifier would reject this delivery\n"];
  for (const way of ways) lines.push(wrapText(way, { ...layout, first: "  by " }));
  const problemsFirst = findings.toSorted((a, b) => Number(a.kind === "note") - Number(b.kind === "note"));
  for (const { kind, text } of problemsFirst) {
    lines.push(wrapText(text, { width, indent: 4, first: kind === "problem" ? "  ✗ " : "  · " }));
  }
  if (!ok && expected !== null) {
    lines.push("\nexpected signature\n");
    lines.push(formatFields([["ASCII", expected.ascii], ["base64", expected.base64]], layout));
  }
  return lines.join("");
}
