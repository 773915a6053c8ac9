// The words of the mails in English.
import {
  callBlock,
  fitLines,
  HEADER_BLOCK,
  limitsIn,
  problemAfter,
  type Texts,
  type Writer,
} from "./template.ts";

function englishQuota(percent: 80 | 100): Writer<"quota-80" | "quota-100"> {
  return ({ what, used, limit, resetsAtMs }, tools) => {
    const noun = what === "deliveries" ? "this month's webhook deliveries" : "today's requests";
    return {
      subject: percent === 80 ? `80 % of ${noun} are used` : `All of ${noun} are used`,
      blocks: [
        `${tools.number(used)} of ${tools.number(limit)} are used; the count begins anew on ${
          tools.date(resetsAtMs)
        }.`,
        what === "deliveries"
          ? "Events beyond it are held and delivered then; a higher tier delivers them at once."
          : "Requests beyond it are answered 429 until then; a higher tier allows more.",
      ],
    };
  };
}

const NOUNS = {
  apiRequestsPerDay: ["request a day", "requests a day"],
  webhookDeliveriesPerMonth: ["webhook delivery a month", "webhook deliveries a month"],
  activeSubscriptions: ["active subscription", "active subscriptions"],
} as const;

const HELD =
  "These subscriptions are over that number. They are held, and so are their events; nothing is lost. They go on by themselves, the oldest first, when you delete or switch off another one, or with a higher tier:";
const RETURNED = "These subscriptions were held and are on again; what was held is delivered now:";

/** The words. */
export const ENGLISH: Texts = {
  letters: {
    welcome: (_, tools) => ({
      subject: "Your API key",
      blocks: [
        "Welcome. This is your API key. It is shown only here and cannot be recovered: keep it like a password.",
        { code: tools.key ?? "" },
        "Your first call:",
        callBlock(tools),
        "In your own programs, send it as a header:",
        HEADER_BLOCK,
        `Everything else stands in ${tools.publicUrl}/docs. Your tier is ${tools.tier}: ${
          limitsIn(tools, tools.limits, NOUNS)
        }.`,
        "If this mail came more than once, the key of the newest one is good. A lost key is replaced when you write to us.",
      ],
    }),
    "key-rotated": (data) => ({
      subject: "Your API key was replaced",
      blocks: [
        `Your API key was replaced by our operator. The old one is refused; the new one ends with ${data.lastFour} and was given to you by other means.`,
        "If you did not ask for it, write to us.",
      ],
    }),
    "payment-failed": (data, tools) => (data.accessUntilMs === null
      ? {
        subject: "Your access has ended",
        blocks: [
          "A payment is due that we could not collect, and your access has ended. Nothing is lost: events for your webhooks are held, and everything goes on when the payment arrives.",
        ],
      }
      : {
        subject: "Your payment failed",
        blocks: [
          `We could not collect your last payment. Your access goes on until ${
            tools.date(data.accessUntilMs)
          }; please see to your means of payment before then.`,
        ],
      }),
    "access-ended": (data, tools) => ({
      subject: "Your subscription has ended",
      blocks: [
        `Your paid subscription ended on ${
          tools.date(data.endedAtMs)
        }, and with it your access: your key is refused, and events for your webhooks are held. Your account and your webhooks stay as they are.`,
        "If you subscribe again with the same account at the payment provider, the same key is good again and what is held is delivered. If you have not ended it yourself, or want your data erased, write to us.",
      ],
    }),
    "tier-changed": (data, tools) => ({
      subject: `Your tier is now ${data.after}`,
      blocks: [
        `Your tier was changed from ${data.before} to ${data.after}: ${limitsIn(tools, data.limits, NOUNS)}.`,
        ...fitLines(HELD, data.held),
        ...fitLines(RETURNED, data.returned),
      ],
    }),
    "subscriptions-held": (data, tools) => ({
      subject: "Some of your webhooks are held",
      blocks: [
        `You may have ${
          tools.count(data.limits.activeSubscriptions, ...NOUNS.activeSubscriptions)
        } now, and have more.`,
        ...fitLines(HELD, data.held),
      ],
    }),
    "delivery-warning": (data, tools) => ({
      subject: "Your webhook does not answer",
      blocks: [
        `Nothing has arrived at ${data.host} (${data.subscriptionId}) since ${
          tools.date(data.failingSinceMs)
        }${problemAfter(data, ": ")}.`,
        `Unless a delivery succeeds, the subscription is switched off on ${
          tools.date(data.disabledAtMs)
        }. Its events are held then and lost at no time.`,
      ],
    }),
    "delivery-disabled": (data, tools) => (data.isKeyLost === true
      ? {
        subject: "Your webhook needs a new secret",
        blocks: [
          `We have lost the key to the secret that signs the deliveries to ${data.host} (${data.subscriptionId}). Nobody else has it; but we cannot sign with it any more, and the subscription was switched off on ${
            tools.date(data.disabledAtMs)
          }.`,
          `Its events are held. POST /v1/subscriptions/${data.subscriptionId}/rotate-secret gives a new secret; put it into your receiver, then switch the subscription on with PATCH /v1/subscriptions/${data.subscriptionId} and {"enabled": true}, and they are delivered, oldest first.`,
        ],
      }
      : {
        subject: "Your webhook was switched off",
        blocks: [
          `Nothing has arrived at ${data.host} (${data.subscriptionId}) since ${
            tools.date(data.failingSinceMs)
          }${problemAfter(data, ": ")}. The subscription was switched off on ${
            tools.date(data.disabledAtMs)
          }.`,
          `Its events are held. Switch it on again with PATCH /v1/subscriptions/${data.subscriptionId} and {"enabled": true}, and they are delivered, oldest first.`,
        ],
      }),
    "quota-80": englishQuota(80),
    "quota-100": englishQuota(100),
    "held-full": ({ limit, sinceMs, resetsAtMs }, tools) => ({
      subject: "The limit of your held deliveries is reached",
      blocks: [
        `${tools.number(limit)} of your webhook deliveries are held, which is the limit of your tier. Since ${
          tools.date(sinceMs)
        }, no further ones are stored for subscriptions that wait.`,
        `No event is lost. These subscriptions go on by themselves at the first event that they did not get, once the held deliveries have been sent: with the next month's deliveries on ${
          tools.date(resetsAtMs)
        } or a higher tier, and for a subscription that is switched off when you switch it on.`,
        "GET /v1/subscriptions names these subscriptions: their catch_up has the reason held_full.",
      ],
    }),
  },
  contact: (support) => `Questions, or a new key: ${support}`,
  disclaimer:
    "What the service delivers is for information only and not legal advice. The official publication is authoritative.",
};
