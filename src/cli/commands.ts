// Every command, in the order in which the help lists them.
import { backupCommands } from "./backup.ts";
import { accountCommands } from "./account.ts";
import { auditCommand } from "./audit.ts";
import { checkCommand } from "./check.ts";
import type { Command } from "./command.ts";
import { customerCommands } from "./customer.ts";
import { demoCommand } from "./demo.ts";
import { doctorCommand } from "./doctor.ts";
import { eventCommands } from "./event.ts";
import { hashKeyCommand } from "./hash_key.ts";
import { healthcheckCommand } from "./healthcheck.ts";
import { ingestCommand } from "./ingest.ts";
import { initCommand } from "./init.ts";
import { mailCommands } from "./mail.ts";
import { newKeyCommand } from "./new_key.ts";
import { paymentCommands } from "./payment.ts";
import { serveCommand } from "./serve.ts";
import { sourceCommands } from "./source.ts";
import { versionCommand } from "./version.ts";
import { webhookCommands } from "./webhook.ts";

/** The commands. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  initCommand,
  checkCommand,
  demoCommand,
  ingestCommand,
  ...sourceCommands,
  ...eventCommands,
  ...customerCommands,
  ...accountCommands,
  hashKeyCommand,
  ...paymentCommands,
  ...mailCommands,
  auditCommand,
  ...webhookCommands,
  ...backupCommands,
  newKeyCommand,
  doctorCommand,
  healthcheckCommand,
  versionCommand,
];
