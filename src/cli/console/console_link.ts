// `console link`: prints a one-time link that signs an operator or a customer in to the console.
import { isOperatorName, SIGN_IN_LINK_MS, type Viewer } from "../../domain/customer/session.ts";
import { issueLink } from "../../operate/sign_in_links.ts";
import type { Command } from "../command.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { withStore } from "../../server/open_store.ts";
import { actOf, CUSTOMER_OPTION, customerOf } from "../customer/named_customer.ts";
import { print } from "../print.ts";

export const consoleLinkCommand: Command = {
  name: "console link",
  usage: "[--name NAME | --customer CUSTOMER] [--json]",
  summary: "prints a link that signs you in to the console as the operator, once, within 15 minutes",
  details:
    "Anyone who has the link can use it, so pass it on only over a channel that you trust. With --customer, the link " +
    "signs in that customer instead. The audit log records each link.",
  example: "regfeed console link",
  options: {
    name: {
      kind: "text",
      value: "NAME",
      help: "the operator's name in the audit log (default: your user name)",
    },
    customer: {
      ...CUSTOMER_OPTION.customer,
      help: "sign in as this customer instead: an id, an email address, or a name in the config",
    },
  },
  run(call) {
    const name = nameIn(call);
    return withStore(call, async ({ config, platform, store }) => {
      const by = actOf(call, platform);
      const { customerId } = await customerOf(call, store);
      const viewer: Viewer = customerId === undefined
        ? { kind: "operator", name: name ?? by.actor.replace(/^cli:/, "") }
        : { kind: "customer", customerId };
      const { url, expiresAtMs } = await issueLink({ ...platform, config, store }, viewer, by);
      const whom = viewer.kind === "operator" ? { operator: viewer.name } : { customer: viewer.customerId };
      print(call, { url, ...whom, expires_at: expiresAtMs }, () => `${url}\n`);
      if (call.flags.has("json")) return;
      const described = viewer.kind === "operator" ? `the operator ${viewer.name}` : viewer.customerId;
      call.host.err(`This link signs in ${described}, once, within ${SIGN_IN_LINK_MS / 60_000} minutes.\n`);
    });
  },
};

function nameIn({ texts }: CommandCall): string | undefined {
  const name = texts.get("name");
  if (name === undefined || (isOperatorName(name) && !texts.has("customer"))) return name;
  const message = texts.has("customer")
    ? "use either --name or --customer"
    : `--name ${
      JSON.stringify(name)
    } is not valid: use at most 100 letters, digits, spaces and . _ @ + : ' -`;
  throw new CommandError(message, EXIT.usage);
}
