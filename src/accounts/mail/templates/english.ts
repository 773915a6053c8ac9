// The emails in English.
import type { MailTexts } from "./template.ts";

const COUNTER = "You have used {used} of {limit}. The counter resets on {resetsAtMs}.";

export const ENGLISH: MailTexts = {
  mails: {
    welcome: [
      "Your API key",
      "Welcome! This is your API key. It is shown only in this email and cannot be recovered, so store it like a password.",
      "{key}",
      "Your first request:",
      "{firstRequest}",
      "In your own programs, send the key in this header:",
      "{keyHeader}",
      "The documentation is at {publicUrl}/docs. Your tier is {tier}: {limits}.",
      "If you received this email more than once, use the key in the latest one. If you lose the key, write to us and we will replace it.",
    ],
    "key-rotated": [
      "Your API key was replaced",
      "We have replaced your API key “{label}”. The old key no longer works. The new key ends in {lastFour}; you will receive it separately.",
      "If you did not request this, please write to us.",
    ],
    "key-expiring": [
      "Your API key was replaced",
      "We have replaced your API key “{label}”. The new key ends in {lastFour}; you will receive it separately.",
      "The old key works until {oldUntilMs}. Please switch to the new key before then.",
      "If you did not request this, please write to us.",
    ],
    "payment-failed": [
      "Your payment failed",
      "We could not collect your last payment. You keep your access until {accessUntilMs}. Please check your payment method before then.",
    ],
    "access-suspended": [
      "Your access has ended",
      "We could not collect a payment that was due, and your access has ended. Nothing is lost: events for your webhooks are held, and everything resumes when the payment arrives.",
    ],
    "access-ended": [
      "Your subscription has ended",
      "Your paid subscription ended on {endedAtMs}, and so did your access. Your key no longer works, and events for your webhooks are held. We keep your account and your webhooks.",
      "If you subscribe again with the same account at the payment provider, your key will work again and the held events will be delivered. If you did not end the subscription yourself, or if you want us to erase your data, please write to us.",
    ],
    "tier-changed": [
      "Your tier is now {after}",
      "Your tier has changed from {before} to {after}: {limits}.",
      "{held}",
      "{returned}",
    ],
    "subscriptions-held": [
      "Some of your webhooks are on hold",
      "Your limit is now {activeSubscriptions}, but you have more.",
      "{held}",
    ],
    "delivery-warning": [
      "Deliveries to your webhook are failing",
      "No delivery to {host} ({subscriptionId}) has succeeded since {failingSinceMs}.{lastError}",
      "If no delivery succeeds by {disabledAtMs}, the subscription will be disabled. Its events will then be held; none will be lost.",
    ],
    "delivery-disabled": [
      "Your webhook was disabled",
      "No delivery to {host} ({subscriptionId}) has succeeded since {failingSinceMs}.{lastError} The subscription was disabled on {disabledAtMs}.",
      `Its events are held. Enable it again with PATCH /v1/subscriptions/{subscriptionId} and {"enabled": true}. If the subscription has headers of your own, their values are lost as well: add "headers" to that PATCH request. The held events are then delivered, oldest first.`,
    ],
    "key-lost": [
      "Your webhook needs a new secret",
      "We have lost the key that decrypts the signing secret for deliveries to {host} ({subscriptionId}). Nobody else has the secret, but we can no longer sign with it. The subscription was therefore disabled on {disabledAtMs}.",
      `Its events are held. Request a new secret with POST /v1/subscriptions/{subscriptionId}/rotate-secret, configure it in your receiver, and enable the subscription with PATCH /v1/subscriptions/{subscriptionId} and {"enabled": true}. The held events are then delivered, oldest first.`,
    ],
    "quota-80": ["80% of {noun} used", COUNTER, "{consequence}"],
    "quota-100": ["All of {noun} used", COUNTER, "{consequence}"],
    "held-full": [
      "You have reached your limit on held deliveries",
      "You have {limit} held webhook deliveries, which is your tier's limit. Since {sinceMs}, no more deliveries have been created for subscriptions with held deliveries.",
      "No event is lost. Once the held deliveries have been sent, these subscriptions continue automatically with the first event that they missed. The held deliveries are sent with next month's quota on {resetsAtMs}, when you move to a higher tier, or, for disabled subscriptions, when you enable them.",
      "In GET /v1/subscriptions, these subscriptions have the reason held_full in catch_up.",
    ],
    "sign-in": [
      "Your sign-in link",
      "Open this link to sign in to the console. It works once, until {expiresAtMs}.",
      "{link}",
      "If you did not request this link, ignore this email. Nobody can sign in without the link.",
    ],
  },
  limits: {
    apiRequestsPerDay: ["request per day", "requests per day"],
    webhookDeliveriesPerMonth: ["webhook delivery per month", "webhook deliveries per month"],
    activeSubscriptions: ["active subscription", "active subscriptions"],
  },
  quotas: {
    deliveries: {
      noun: "this month's webhook deliveries",
      consequence:
        "Events beyond the limit are held until then and delivered afterwards. With a higher tier, they are delivered immediately.",
    },
    requests: {
      noun: "today's requests",
      consequence:
        "Requests beyond the limit are rejected with status 429 until then. A higher tier allows more.",
    },
  },
  held:
    "The following subscriptions exceed your limit. They are on hold, and so are their events; nothing is lost. They resume automatically, oldest first, when you delete or disable another subscription or move to a higher tier:",
  returned:
    "The following subscriptions were on hold and are active again. Their held events are being delivered:",
  lastError: " Last error: {problem}.",
  contact: "Questions, or a lost key? Write to {support}",
  disclaimer:
    "The content we deliver is for information only and is not legal advice. Only the official publications are authoritative.",
};
