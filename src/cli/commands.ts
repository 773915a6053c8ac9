// All commands in the order of the help; each is loaded on demand.
import type { Command } from "./command.ts";

/** The commands of one file, with their first words. */
interface Loader {
  words: readonly string[];
  load(): Promise<readonly Command[]>;
}

// Loaded on demand, because `version` and `healthcheck` must start fast. The specifiers are literals, because the
// executable contains only modules that are imported by a literal specifier.
const LOADERS: readonly Loader[] = [
  { words: ["serve"], load: async () => [(await import("./serve.ts")).serveCommand] },
  { words: ["init"], load: async () => [(await import("./init.ts")).initCommand] },
  { words: ["check"], load: async () => [(await import("./check.ts")).checkCommand] },
  { words: ["demo"], load: async () => [(await import("./demo/demo.ts")).demoCommand] },
  { words: ["ingest"], load: async () => [(await import("./ingest.ts")).ingestCommand] },
  { words: ["source"], load: async () => (await import("./source/source.ts")).sourceCommands },
  { words: ["event"], load: async () => (await import("./event/event.ts")).eventCommands },
  { words: ["customer"], load: async () => (await import("./customer/customer.ts")).customerCommands },
  {
    words: ["customer"],
    load: async () => [(await import("./customer/customer_show.ts")).customerShowCommand],
  },
  {
    words: ["customer"],
    load: async () => [(await import("./customer/customer_erase.ts")).customerEraseCommand],
  },
  { words: ["customer"], load: async () => [(await import("./customer/hash_key.ts")).hashKeyCommand] },
  { words: ["key"], load: async () => (await import("./customer/key.ts")).keyCommands },
  { words: ["payment"], load: async () => (await import("./customer/payment.ts")).paymentCommands },
  { words: ["mail"], load: async () => (await import("./customer/mail.ts")).mailCommands },
  { words: ["console"], load: async () => [(await import("./console/console_link.ts")).consoleLinkCommand] },
  { words: ["audit"], load: async () => [(await import("./customer/audit.ts")).auditCommand] },
  { words: ["delivery"], load: async () => (await import("./delivery/delivery.ts")).deliveryCommands },
  { words: ["webhook"], load: async () => (await import("./delivery/webhook.ts")).webhookCommands },
  { words: ["backup"], load: async () => (await import("./backup/backup.ts")).backupCommands },
  { words: ["store"], load: async () => [(await import("./store/new_secret_key.ts")).newKeyCommand] },
  { words: ["doctor"], load: async () => [(await import("./doctor.ts")).doctorCommand] },
  { words: ["healthcheck"], load: async () => [(await import("./healthcheck.ts")).healthcheckCommand] },
  { words: ["completions"], load: () => completions ??= loadCompletions() },
  { words: ["version"], load: async () => [(await import("./version.ts")).versionCommand] },
];

let completions: Promise<Command[]> | undefined;

/** The command gets the list of commands, because it cannot import this file, which imports it. */
async function loadCompletions(): Promise<Command[]> {
  const { createCompletionsCommand } = await import("./completions/completions.ts");
  return [createCompletionsCommand({ loadEveryCommand, subjects: SUBJECTS })];
}

/** The sections of the overview, with the first words of their commands. */
export const SECTIONS: readonly (readonly [title: string, words: readonly string[]])[] = [
  ["Start", ["init", "check", "serve", "demo"]],
  ["Sources and events", ["ingest", "source", "event"]],
  ["Customers", ["customer", "key", "payment", "mail", "console", "audit"]],
  ["Deliveries", ["delivery", "webhook"]],
  ["Operation", ["doctor", "healthcheck", "backup", "store", "completions", "version"]],
];

/** What the commands with a common first word are about. */
export const SUBJECTS: Readonly<Record<string, string>> = {
  source: "sources, their states and held events",
  event: "stored events and their versions",
  customer: "customers, their tiers and limits",
  key: "API keys of customers",
  payment: "events of the payment provider",
  mail: "emails to customers",
  console: "links that sign in to the console",
  audit: "who changed what",
  delivery: "deliveries and their attempts",
  webhook: "signatures of saved deliveries",
  backup: "archives of the config and the database",
  store: "the database's secret key",
};

export async function loadCommands(word: string): Promise<readonly Command[]> {
  const commands = await load(LOADERS.filter(({ words }) => words.includes(word)));
  return commands.filter(({ name }) => name.split(" ")[0] === word);
}

export async function loadEveryCommand(): Promise<readonly Command[]> {
  const byWord = Map.groupBy(await load(LOADERS), ({ name }) => name.split(" ")[0]);
  return [...byWord.values()].flat();
}

async function load(loaders: readonly Loader[]): Promise<Command[]> {
  return (await Promise.all(loaders.map((loader) => loader.load()))).flat();
}
