// `mail …`: lists, shows, retries and cancels emails to customers.
import { type KeptMail, MAIL_STATUSES, type MailStatus } from "../../domain/customer/mail.ts";
import type { Config } from "../../config/config.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { cancelMail, retryMail } from "../../operate/deliveries.ts";
import type { Command } from "../command.ts";
import { type CommandCall, CommandError } from "../../server/command_context.ts";
import { actOf, CUSTOMER_OPTION, customerOf } from "./named_customer.ts";
import { withStore } from "../../server/open_store.ts";
import { pageOptions, printPage, readPage } from "../list_page.ts";
import { stateCell } from "../colours.ts";
import { nextCell, print, recordText, timeCell, timeText } from "../print.ts";

export const mailCommands: Command[] = [
  {
    name: "mail list",
    usage: "[--customer CUSTOMER] [--status STATUS] [--limit N] [--before MAIL] [--utc] [--json]",
    summary: "lists the emails to customers, newest first",
    example: "regfeed mail list --status failed",
    options: {
      ...CUSTOMER_OPTION,
      status: { kind: "text", value: "STATUS", values: MAIL_STATUSES, help: MAIL_STATUSES.join(", ") },
      ...pageOptions({ row: "MAIL" }),
    },
    run: (call) =>
      withStore(call, async ({ config, store }) => {
        const status = statusOf(call);
        const customer = await customerOf(call, store);
        const page = await readPage(call, "mail list", {
          read: async (page) => {
            if (page.before !== undefined) await requireMail(store, page.before);
            return await store.listMails({
              ...page,
              ...(status === undefined ? {} : { status }),
              ...customer,
            });
          },
          nameOf: ({ id }) => id,
        });
        printPage(call, page, "mails", {
          rows: page.rows.map(mailFields),
          none: "no emails",
          header: ["MAIL", "KIND", "CREATED (UTC)", "CUSTOMER", "STATUS", "TRIES", "NEXT (UTC)", "PROBLEM"],
          drop: ["CUSTOMER", "TRIES", "CREATED (UTC)", "NEXT (UTC)"],
          cut: "PROBLEM",
          cells: (row) => [
            row.id,
            row.kind,
            timeCell(row.created_at),
            row.customer,
            row.status === "sent" && config.mail.smtp === null ? "in the outbox" : stateCell(row.status),
            row.attempts,
            nextCell(call, row.next_attempt_at),
            row.problem ?? "",
          ],
        });
      }),
  },
  {
    name: "mail show",
    usage: "MAIL [--json]",
    summary: "shows an email's state, attempts and last problem, without its content",
    example: "regfeed mail show mail_01J9ZC3V5T8Q2W4E6R8Y0TAPNB",
    run: (call) =>
      withStore(call, async ({ config, store }) => {
        const mail = await requireMail(store, call.positionals[0] ?? "");
        print(call, { mail: mailFields(mail) }, () => describe(call, mail, config.mail));
      }),
  },
  {
    name: "mail retry",
    usage: "MAIL [--json]",
    summary: "sends a waiting, failed or cancelled email now",
    example: "regfeed mail retry mail_01J9ZC3V5T8Q2W4E6R8Y0TAPNB",
    run: (call) =>
      withStore(call, async ({ config, platform, store }) => {
        const id = call.positionals[0] ?? "";
        const outcome = await retryMail({ ...platform, config, store }, id, actOf(call, platform));
        const state = outcome === "soon" ? "being sent or is due within five minutes;" : "queued;";
        print(
          call,
          { mail: { id, status: "queued" } },
          () => `${id} is ${state} a running server sends it\n`,
        );
      }),
  },
  {
    name: "mail cancel",
    usage: "MAIL [--json]",
    summary: "cancels a waiting or failed email, which health then no longer reports",
    example: "regfeed mail cancel mail_01J9ZC3V5T8Q2W4E6R8Y0TAPNB",
    run: (call) =>
      withStore(call, async ({ config, platform, store }) => {
        const id = call.positionals[0] ?? "";
        await cancelMail({ ...platform, config, store }, id, actOf(call, platform));
        print(call, { mail: { id, status: "cancelled" } }, () => `${id} is cancelled\n`);
      }),
  },
];

async function requireMail(store: Store, id: string): Promise<KeptMail> {
  const mail = await store.findMail(id);
  if (mail === null) {
    throw new CommandError(`there is no email ${id}; \`regfeed mail list\` lists all emails`);
  }
  return mail;
}

function mailFields(mail: KeptMail) {
  return {
    id: mail.id,
    kind: mail.kind,
    customer: mail.customerId,
    status: mail.status,
    attempts: mail.attempts,
    created_at: mail.createdAtMs,
    next_attempt_at: mail.nextAttemptAtMs,
    finished_at: mail.finishedAtMs,
    problem: mail.problem,
  };
}

function describe(call: CommandCall, mail: KeptMail, { smtp, outbox }: Config["mail"]): string {
  const { id, status, nextAttemptAtMs, finishedAtMs, problem } = mail;
  const fields: [string, string | null][] = [
    ["kind", mail.kind],
    ["customer", mail.customerId],
    ["status", status === "failed" ? `failed: \`regfeed mail retry ${id}\` sends it again` : status],
    [
      "note",
      status === "sent" && smtp === null ? `no mail server is set: the email was written to ${outbox}` : null,
    ],
    ["attempts", String(mail.attempts)],
    ["created", timeText(call, mail.createdAtMs)],
    ["next attempt", nextAttemptAtMs === null ? null : timeText(call, nextAttemptAtMs)],
    ["finished", finishedAtMs === null ? null : timeText(call, finishedAtMs)],
    ["problem", problem],
  ];
  return recordText(call, id, fields);
}

function statusOf({ texts }: CommandCall): MailStatus | undefined {
  return texts.get("status") as MailStatus | undefined;
}
