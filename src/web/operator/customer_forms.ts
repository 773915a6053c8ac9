// The pages of one customer: what its forms change.
import * as z from "zod";
import { isKeyLabel } from "../../domain/customer/api_key.ts";
import type { Act } from "../../domain/customer/audit.ts";
import { isMailAddress } from "../../domain/customer/mail.ts";
import { TIERS } from "../../domain/customer/tier.ts";
import { Refusal } from "../../domain/operator/refusal.ts";
import type { Account } from "../../domain/ports/store/customers.ts";
import { copyable } from "../components/copy.ts";
import { notice } from "../components/notice.ts";
import { exactTime } from "../components/time.ts";
import { markup } from "../html.ts";
import { type OperatorCall, operatorPage, type PageResult, type PageRoute } from "../page_route.ts";
import { checkOwnLimits, keyPage, OWN_LIMIT_FIELDS, ownLimitsOf } from "./customers.ts";
import { actOf, actThen } from "./operator_act.ts";
import type { NewKey } from "../../domain/operator/operator_acts.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";
import { CUSTOMERS_PATH, hrefOfCustomer, OVERLAPS, requireAccount, showCustomer } from "./customer.ts";

const HOUR_MS = 3_600_000;

export function customerPages(options: OperatorPagesOptions): PageRoute[] {
  return [
    operatorPage({
      method: "GET",
      path: `${CUSTOMERS_PATH}/{id}`,
      handle: async (call) => await showCustomer(call, await requireAccount(options.store, call), options),
    }),
    ...changeForms(options),
    ...keyForms(options),
    linkForm(options),
    sessionForm(options),
    eraseForm(options),
  ];
}

const tierSchema = z.strictObject({ tier: z.enum(TIERS), ...OWN_LIMIT_FIELDS }).superRefine(checkOwnLimits);

const emailSchema = z.strictObject({
  email: z.string().refine(isMailAddress, "must be an email address"),
  another: z.literal("true").optional(),
});

function changeForms(options: OperatorPagesOptions): PageRoute[] {
  const { store, acts } = options;
  return [
    operatorPage({
      method: "POST",
      path: `${CUSTOMERS_PATH}/{id}/tier`,
      form: tierSchema,
      async handle(call) {
        const account = await requireAccount(store, call);
        const given = call.form.value;
        if (given === null) return await showCustomer(call, account, options);
        const limits = ownLimitsOf(given);
        const edit = {
          tier: given.tier,
          another: true,
          ...(Object.keys(limits).length > 0 ? { limits } : {}),
        };
        return await actThen(call, {
          to: hrefOfCustomer(account),
          work: async (by) => {
            const { held } = await acts.changeCustomer(account.customer.id, edit, by);
            const { customer: t } = call.texts.operator;
            return held.length === 0 ? t.tierDone(given.tier) : t.tierHeld(given.tier, held.length);
          },
        });
      },
    }),
    operatorPage({
      method: "POST",
      path: `${CUSTOMERS_PATH}/{id}/email`,
      form: emailSchema,
      async handle(call) {
        const account = await requireAccount(store, call);
        const given = call.form.value;
        if (given === null) return await showCustomer(call, account, options);
        const edit = { email: given.email, another: given.another === "true" };
        return await refusable(call, account, options, async (by) => {
          await acts.changeCustomer(account.customer.id, edit, by);
          return call.texts.operator.customer.emailDone;
        });
      },
    }),
    ...([["enable", true], ["disable", false]] as const).map(([name, enabled]) =>
      operatorPage({
        method: "POST",
        path: `${CUSTOMERS_PATH}/{id}/${name}`,
        async handle(call) {
          const account = await requireAccount(store, call);
          return await actThen(call, {
            to: hrefOfCustomer(account),
            work: async (by) => {
              await acts.changeCustomer(account.customer.id, { enabled, another: true }, by);
              const { customer: t } = call.texts.operator;
              return enabled ? t.enableDone : t.disableDone;
            },
          });
        },
      })
    ),
  ];
}

/** Like {@link actThen}, but shows a refusal above the form, which keeps what was typed. */
async function refusable(
  call: OperatorCall,
  account: Account,
  options: OperatorPagesOptions,
  work: (by: Act) => Promise<string>,
): Promise<PageResult> {
  try {
    return await actThenOrThrow(call, account, work);
  } catch (error) {
    if (error instanceof Refusal) return await showCustomer(call, account, options, error);
    throw error;
  }
}

async function actThenOrThrow(
  call: OperatorCall,
  account: Account,
  work: (by: Act) => Promise<string>,
): Promise<PageResult> {
  const text = await work(actOf(call));
  return { kind: "redirect", to: hrefOfCustomer(account), toast: { text, tone: "good" } };
}

const hashField = z.string().regex(/^[0-9a-f]{64}$/, "must name a key");

function keyForms(options: OperatorPagesOptions): PageRoute[] {
  const { store, acts } = options;
  const shown = async (call: OperatorCall, account: Account, make: () => Promise<NewKey>) => {
    try {
      return keyPage(call, await make(), call.texts.operator.key.created);
    } catch (error) {
      if (error instanceof Refusal) return await showCustomer(call, account, options, error);
      throw error;
    }
  };
  return [
    operatorPage({
      method: "POST",
      path: `${CUSTOMERS_PATH}/{id}/keys/add`,
      form: z.strictObject({
        label: z.string().refine(
          isKeyLabel,
          "must have 1 to 40 letters, digits, spaces, dots, hyphens and underscores, and begin and end with a letter or digit",
        ),
      }),
      async handle(call) {
        const account = await requireAccount(store, call);
        const given = call.form.value;
        if (given === null) return await showCustomer(call, account, options);
        return await shown(call, account, () => acts.addKey(account.customer.id, given.label, actOf(call)));
      },
    }),
    operatorPage({
      method: "POST",
      path: `${CUSTOMERS_PATH}/{id}/keys/rotate`,
      form: z.strictObject({ hash: hashField.optional(), overlap: z.enum(OVERLAPS).optional() }),
      async handle(call) {
        const account = await requireAccount(store, call);
        const given = call.form.value;
        if (given === null) return await showCustomer(call, account, options);
        const old = account.keys.find(({ hash }) => hash === given.hash) ?? null;
        const hours = Number(given.overlap ?? 0);
        const rotation = { old, overlapMs: hours === 0 ? null : hours * HOUR_MS };
        return await shown(call, account, () => acts.rotateKey(account.customer.id, rotation, actOf(call)));
      },
    }),
    operatorPage({
      method: "POST",
      path: `${CUSTOMERS_PATH}/{id}/keys/disable`,
      form: z.strictObject({ hash: hashField }),
      async handle(call) {
        const account = await requireAccount(store, call);
        const given = call.form.value;
        if (given === null) return await showCustomer(call, account, options);
        return await actThen(call, {
          to: hrefOfCustomer(account),
          work: async (by) => {
            await acts.disableKeys(account.customer.id, given.hash, by);
            return call.texts.operator.key.disabled;
          },
        });
      },
    }),
  ];
}

function linkForm(options: OperatorPagesOptions): PageRoute {
  const { store, acts } = options;
  return operatorPage({
    method: "POST",
    path: `${CUSTOMERS_PATH}/{id}/link`,
    async handle(call) {
      const account = await requireAccount(store, call);
      const { texts } = call;
      const { operator: t } = texts;
      try {
        const viewer = { kind: "customer", customerId: account.customer.id } as const;
        const { url, expiresAtMs } = await acts.issueLink(viewer, actOf(call));
        const body = markup`<p class="crumb"><a href="${hrefOfCustomer(account)}">${
          account.customer.email || account.customer.id
        }</a></p>
<h1>${t.customer.link}</h1>
${notice(t.customer.linkOnce, "warn")}
${copyable(texts, "sign-in-link", url)}
<p class="soft">${t.customer.until} ${exactTime(expiresAtMs, call)}</p>`;
        return { kind: "page", title: t.customer.link, section: "customers", body };
      } catch (error) {
        if (error instanceof Refusal) return await showCustomer(call, account, options, error);
        throw error;
      }
    },
  });
}

function sessionForm({ store }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: `${CUSTOMERS_PATH}/{id}/end-sessions`,
    async handle(call) {
      const account = await requireAccount(store, call);
      return await actThen(call, {
        to: hrefOfCustomer(account),
        work: async (by) => {
          await store.endSessions({ customerId: account.customer.id }, { except: null }, by);
          return call.texts.operator.customer.sessionsEnded;
        },
      });
    },
  });
}

function eraseForm(options: OperatorPagesOptions): PageRoute {
  const { store, acts } = options;
  return operatorPage({
    method: "POST",
    path: `${CUSTOMERS_PATH}/{id}/erase`,
    form: z.strictObject({ confirm: z.string() }),
    async handle(call) {
      const account = await requireAccount(store, call);
      const { id } = account.customer;
      if (call.form.value?.confirm.trim() !== id) {
        const error = { field: "confirm", message: `must be ${id}` };
        return await showCustomer({ ...call, form: { ...call.form, errors: [error] } }, account, options);
      }
      return await actThen(call, {
        to: hrefOfCustomer(account),
        work: async (by) => {
          const { isPaying } = await acts.eraseCustomer(id, by);
          const { erase: t } = call.texts.operator;
          return isPaying ? t.doneStillPaying : t.done;
        },
      });
    },
  });
}
