// Backups: when, how large, whether they can be restored; creating and verifying one.
import * as z from "zod";
import { AppError } from "../../domain/error_codes.ts";
import type { ListedBackup } from "../../domain/operator/listed_backup.ts";
import { emptyState } from "../components/empty_state.ts";
import { facts } from "../components/facts.ts";
import { confirmDialog } from "../components/dialog.ts";
import { hiddenField, postForm } from "../components/form.ts";
import { notice } from "../components/notice.ts";
import { table } from "../components/table.ts";
import { exactTime, timeAgo } from "../components/time.ts";
import { markup, type Part } from "../html.ts";
import { type OperatorCall, operatorPage, type PageResult, type PageRoute, redirect } from "../page_route.ts";
import { actOf } from "./operator_act.ts";
import type { ServerActs } from "../../domain/operator/operator_acts.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";

const PATH = "/operator/backups";
/** Maximum number of backups on the page. */
const MAX_SHOWN = 100;

export function backupPages(options: OperatorPagesOptions): PageRoute[] {
  return [listPage(options), createForm(options), verifyForm(options)];
}

function requireServer({ acts }: OperatorPagesOptions): ServerActs {
  if (acts.server === null) throw new AppError("unavailable", "Only the server can create and list backups.");
  return acts.server;
}

function listPage(options: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: PATH,
    async handle(call) {
      const { operator: t } = call.texts;
      const { backupFolder, hasBackupSchedule } = options.acts.setup();
      const backups = await requireServer(options).backups();
      const [newest] = backups;
      const create = confirmDialog(call, {
        id: "create",
        action: `${PATH}/create`,
        open: t.backups.create,
        title: t.backups.create,
        text: t.backups.createText,
        submit: t.backups.create,
        tone: "plain",
      });
      const body = markup`<div class="title-row"><h1>${t.backups.title}</h1>${create}</div>
${
        hasBackupSchedule
          ? null
          : notice(markup`${t.backups.noSchedule} <code>backup.schedule = "15 3 * * *"</code>`, "warn")
      }
${
        facts([
          [t.backups.newest, newest === undefined ? t.none : timeAgo(newest.createdAtMs, call)],
          [t.backups.folder, markup`<code>${backupFolder}</code>`],
        ])
      }
${
        table({
          caption: t.backups.title,
          columns: [
            { label: t.backups.file },
            { label: t.created },
            { label: t.backups.size, kind: "number" },
            { label: t.backups.by },
            { label: t.actions, kind: "actions" },
          ],
          rows: backups.slice(0, MAX_SHOWN).map((backup) => backupCells(backup, call)),
          empty: emptyState({ title: t.backups.none, text: t.backups.noneText }),
        })
      }
<p class="soft">${t.backups.verifiedText}</p>`;
      return { kind: "page", title: t.backups.title, section: "backups", body };
    },
  });
}

function backupCells({ name, createdAtMs, bytes, isScheduled }: ListedBackup, call: OperatorCall): Part[] {
  const { texts: { operator: t }, format } = call;
  return [
    markup`<code>${name}</code>`,
    exactTime(createdAtMs, call),
    format.bytes(bytes),
    isScheduled ? t.backups.scheduled : t.backups.onRequest,
    postForm(call, {
      action: `${PATH}/verify`,
      fields: hiddenField("name", name),
      submit: t.backups.verify,
      tone: "plain",
      layout: "inline",
    }),
  ];
}

/** Returns to the list with a message. A failed backup has a reason for the operator, in English. */
async function report(
  { texts: { operator: t } }: OperatorCall,
  work: () => Promise<string>,
): Promise<PageResult> {
  try {
    return redirect(PATH, { toast: { text: await work(), tone: "good" } });
  } catch (error) {
    if (!(error instanceof Error) || error instanceof AppError) throw error;
    return redirect(PATH, { toast: { text: t.backups.failed(error.message), tone: "bad" } });
  }
}

function createForm(options: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: `${PATH}/create`,
    handle: (call) =>
      report(call, async () => {
        const file = await requireServer(options).createBackup(actOf(call));
        return call.texts.operator.backups.created(file);
      }),
  });
}

function verifyForm(options: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: `${PATH}/verify`,
    form: z.strictObject({ name: z.string().max(255) }),
    handle: (call) =>
      report(call, async () => {
        const server = requireServer(options);
        const { name = "" } = call.form.good;
        if (!(await server.backups()).some((backup) => backup.name === name)) {
          throw new AppError("not_found", `There is no backup ${name}.`);
        }
        const { rows } = await server.verifyBackup(name);
        return call.texts.operator.backups.verified(name, call.format.number(rows["events"] ?? 0));
      }),
  });
}
