// Mail templates in English.
import {
  describeLimits,
  firstRequest,
  KEY_HEADER,
  lastError,
  listSubscriptions,
  type MailTemplate,
  type MailTemplates,
} from "./template.ts";

function quota(percent: 80 | 100): MailTemplate<"quota-80" | "quota-100"> {
  return ({ what, used, limit, resetsAtMs }, context) => {
    const noun = what === "deliveries" ? "this month's webhook deliveries" : "today's requests";
    return {
      subject: percent === 80 ? `80% of ${noun} used` : `All of ${noun} used`,
      blocks: [
        `You have used ${context.number(used)} of ${context.number(limit)}. The counter resets on ${
          context.date(resetsAtMs)
        }.`,
        what === "deliveries"
          ? "Events beyond the limit are held until then and delivered afterwards. With a higher tier, they are delivered immediately."
          : "Requests beyond the limit are rejected with status 429 until then. A higher tier allows more.",
      ],
    };
  };
}

const NOUNS = {
  apiRequestsPerDay: ["request per day", "requests per day"],
  webhookDeliveriesPerMonth: ["webhook delivery per month", "webhook deliveries per month"],
  activeSubscriptions: ["active subscription", "active subscriptions"],
} as const;

const HELD =
  "The following subscriptions exceed your limit. They are on hold, and so are their events; nothing is lost. They resume automatically, oldest first, when you delete or disable another subscription or move to a higher tier:";
const RETURNED =
  "The following subscriptions were on hold and are active again. Their held events are being delivered:";

/** The English templates. */
export const ENGLISH: MailTemplates = {
  templates: {
    welcome: (_, context) => ({
      subject: "Your API key",
      blocks: [
        "Welcome! This is your API key. It is shown only in this email and cannot be recovered, so store it like a password.",
        { code: context.key ?? "" },
        "Your first request:",
        firstRequest(context),
        "In your own programs, send the key in this header:",
        KEY_HEADER,
        `The documentation is at ${context.publicUrl}/docs. Your tier is ${context.tier}: ${
          describeLimits(context, context.limits, NOUNS)
        }.`,
        "If you received this email more than once, use the key in the latest one. If you lose the key, write to us and we will replace it.",
      ],
    }),
    "key-rotated": (data) => ({
      subject: "Your API key was replaced",
      blocks: [
        `Our operator has replaced your API key. The old key no longer works. The new key ends in ${data.lastFour}; you receive it separately.`,
        "If you did not request this, please write to us.",
      ],
    }),
    "payment-failed": (data, context) => (data.accessUntilMs === null
      ? {
        subject: "Your access has ended",
        blocks: [
          "We could not collect a payment that was due, and your access has ended. Nothing is lost: events for your webhooks are held, and everything resumes when the payment arrives.",
        ],
      }
      : {
        subject: "Your payment failed",
        blocks: [
          `We could not collect your last payment. You keep your access until ${
            context.date(data.accessUntilMs)
          }. Please check your payment method before then.`,
        ],
      }),
    "access-ended": (data, context) => ({
      subject: "Your subscription has ended",
      blocks: [
        `Your paid subscription ended on ${
          context.date(data.endedAtMs)
        }, and so did your access. Your key no longer works, and events for your webhooks are held. We keep your account and your webhooks.`,
        "If you subscribe again with the same account at the payment provider, your key will work again and the held events will be delivered. If you did not end the subscription yourself, or if you want your data to be erased, please write to us.",
      ],
    }),
    "tier-changed": (data, context) => ({
      subject: `Your tier is now ${data.after}`,
      blocks: [
        `Your tier has changed from ${data.before} to ${data.after}: ${
          describeLimits(context, data.limits, NOUNS)
        }.`,
        ...listSubscriptions(HELD, data.held),
        ...listSubscriptions(RETURNED, data.returned),
      ],
    }),
    "subscriptions-held": (data, context) => ({
      subject: "Some of your webhooks are on hold",
      blocks: [
        `Your limit is now ${
          context.count(data.limits.activeSubscriptions, ...NOUNS.activeSubscriptions)
        }, and you have more.`,
        ...listSubscriptions(HELD, data.held),
      ],
    }),
    "delivery-warning": (data, context) => ({
      subject: "Deliveries to your webhook are failing",
      blocks: [
        `No delivery to ${data.host} (${data.subscriptionId}) has succeeded since ${
          context.date(data.failingSinceMs)
        }.${lastError(data, "Last error:")}`,
        `If no delivery succeeds by ${
          context.date(data.disabledAtMs)
        }, the subscription will be disabled. Its events will then be held; none will be lost.`,
      ],
    }),
    "delivery-disabled": (data, context) => (data.isKeyLost === true
      ? {
        subject: "Your webhook needs a new secret",
        blocks: [
          `We have lost the key that decrypts the signing secret for deliveries to ${data.host} (${data.subscriptionId}). Nobody else has the secret, but we can no longer sign with it. The subscription was therefore disabled on ${
            context.date(data.disabledAtMs)
          }.`,
          `Its events are held. Request a new secret with POST /v1/subscriptions/${data.subscriptionId}/rotate-secret, configure it in your receiver, and enable the subscription with PATCH /v1/subscriptions/${data.subscriptionId} and {"enabled": true}. The held events are then delivered, oldest first.`,
        ],
      }
      : {
        subject: "Your webhook was disabled",
        blocks: [
          `No delivery to ${data.host} (${data.subscriptionId}) has succeeded since ${
            context.date(data.failingSinceMs)
          }.${lastError(data, "Last error:")} The subscription was disabled on ${
            context.date(data.disabledAtMs)
          }.`,
          `Its events are held. Enable it again with PATCH /v1/subscriptions/${data.subscriptionId} and {"enabled": true}. The held events are then delivered, oldest first.`,
        ],
      }),
    "quota-80": quota(80),
    "quota-100": quota(100),
    "held-full": ({ limit, sinceMs, resetsAtMs }, context) => ({
      subject: "Your limit of held deliveries is reached",
      blocks: [
        `You have ${context.number(limit)} held webhook deliveries, which is the limit of your tier. Since ${
          context.date(sinceMs)
        }, no more are created for subscriptions with held deliveries.`,
        `No event is lost. Once the held deliveries have been sent, these subscriptions continue automatically with the first event that they missed. They are sent with next month's quota on ${
          context.date(resetsAtMs)
        }, when you move to a higher tier, or, for disabled subscriptions, when you enable them.`,
        "GET /v1/subscriptions lists these subscriptions: the reason in catch_up is held_full.",
      ],
    }),
  },
  contact: (support) => `Questions, or a lost key? Write to ${support}`,
  disclaimer:
    "The content we deliver is for information only and is not legal advice. Only the official publications are authoritative.",
};
