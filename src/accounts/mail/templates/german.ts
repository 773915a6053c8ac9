// Mail templates in German.
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
    const noun = what === "deliveries" ? "der Webhook-Zustellungen dieses Monats" : "der heutigen Anfragen";
    return {
      subject: `${percent} % ${noun} verbraucht`,
      blocks: [
        `Sie haben ${context.number(used)} von ${context.number(limit)} verbraucht. Der Zähler wird am ${
          context.date(resetsAtMs)
        } zurückgesetzt.`,
        what === "deliveries"
          ? "Weitere Ereignisse werden bis dahin zurückgehalten und danach zugestellt. Mit einem höheren Tarif werden sie sofort zugestellt."
          : "Weitere Anfragen werden bis dahin mit dem Status 429 abgelehnt. Ein höherer Tarif erlaubt mehr Anfragen.",
      ],
    };
  };
}

const NOUNS = {
  apiRequestsPerDay: ["Anfrage pro Tag", "Anfragen pro Tag"],
  webhookDeliveriesPerMonth: ["Webhook-Zustellung pro Monat", "Webhook-Zustellungen pro Monat"],
  activeSubscriptions: ["aktives Abonnement", "aktive Abonnements"],
} as const;

const HELD =
  "Die folgenden Abonnements überschreiten Ihr Limit. Sie sind angehalten, und ihre Ereignisse werden zurückgehalten; es geht nichts verloren. Sie laufen automatisch weiter, die ältesten zuerst, wenn Sie ein anderes Abonnement löschen oder deaktivieren oder in einen höheren Tarif wechseln:";
const RETURNED =
  "Die folgenden Abonnements waren angehalten und sind wieder aktiv. Ihre zurückgehaltenen Ereignisse werden jetzt zugestellt:";

/** The German templates. */
export const GERMAN: MailTemplates = {
  templates: {
    welcome: (_, context) => ({
      subject: "Ihr API-Schlüssel",
      blocks: [
        "Willkommen! Dies ist Ihr API-Schlüssel. Er steht nur in dieser E-Mail und lässt sich nicht wiederherstellen. Bewahren Sie ihn wie ein Passwort auf.",
        { code: context.key ?? "" },
        "Ihre erste Anfrage:",
        firstRequest(context),
        "In Ihren eigenen Programmen senden Sie den Schlüssel in diesem Header:",
        KEY_HEADER,
        `Die Dokumentation finden Sie unter ${context.publicUrl}/docs. Ihr Tarif ist ${context.tier}: ${
          describeLimits(context, context.limits, NOUNS)
        }.`,
        "Falls Sie diese E-Mail mehrmals erhalten haben, gilt der Schlüssel aus der neuesten. Wenn Sie den Schlüssel verlieren, schreiben Sie uns, und wir ersetzen ihn.",
      ],
    }),
    "key-rotated": (data) => ({
      subject: "Ihr API-Schlüssel wurde ersetzt",
      blocks: [
        `Wir haben Ihren API-Schlüssel ersetzt. Der alte Schlüssel ist nicht mehr gültig. Der neue endet auf ${data.lastFour}; Sie erhalten ihn auf anderem Weg.`,
        "Falls Sie das nicht veranlasst haben, schreiben Sie uns bitte.",
      ],
    }),
    "payment-failed": (data, context) => (data.accessUntilMs === null
      ? {
        subject: "Ihr Zugang ist beendet",
        blocks: [
          "Wir konnten eine fällige Zahlung nicht einziehen, und Ihr Zugang ist beendet. Es geht nichts verloren: Ereignisse für Ihre Webhooks werden zurückgehalten, und sobald die Zahlung eingeht, läuft alles weiter.",
        ],
      }
      : {
        subject: "Ihre Zahlung ist fehlgeschlagen",
        blocks: [
          `Wir konnten Ihre letzte Zahlung nicht einziehen. Ihr Zugang bleibt bis zum ${
            context.date(data.accessUntilMs)
          } bestehen. Bitte prüfen Sie bis dahin Ihr Zahlungsmittel.`,
        ],
      }),
    "access-ended": (data, context) => ({
      subject: "Ihr Abonnement ist beendet",
      blocks: [
        `Ihr bezahltes Abonnement und damit Ihr Zugang endeten am ${
          context.date(data.endedAtMs)
        }. Ihr Schlüssel ist nicht mehr gültig, und Ereignisse für Ihre Webhooks werden zurückgehalten. Ihr Konto und Ihre Webhooks bleiben erhalten.`,
        "Wenn Sie mit demselben Konto beim Zahlungsdienst erneut abonnieren, gilt Ihr Schlüssel wieder, und die zurückgehaltenen Ereignisse werden zugestellt. Falls Sie das Abonnement nicht selbst beendet haben oder Ihre Daten löschen lassen möchten, schreiben Sie uns bitte.",
      ],
    }),
    "tier-changed": (data, context) => ({
      subject: `Ihr Tarif ist jetzt ${data.after}`,
      blocks: [
        `Ihr Tarif wurde von ${data.before} auf ${data.after} geändert: ${
          describeLimits(context, data.limits, NOUNS)
        }.`,
        ...listSubscriptions(HELD, data.held),
        ...listSubscriptions(RETURNED, data.returned),
      ],
    }),
    "subscriptions-held": (data, context) => ({
      subject: "Einige Ihrer Webhooks sind angehalten",
      blocks: [
        `Ihr Limit beträgt jetzt ${
          context.count(data.limits.activeSubscriptions, ...NOUNS.activeSubscriptions)
        }, und Sie haben mehr.`,
        ...listSubscriptions(HELD, data.held),
      ],
    }),
    "delivery-warning": (data, context) => ({
      subject: "Zustellungen an Ihren Webhook schlagen fehl",
      blocks: [
        `Seit dem ${
          context.date(data.failingSinceMs)
        } ist keine Zustellung an ${data.host} (${data.subscriptionId}) gelungen.${
          lastError(data, "Letzter Fehler:")
        }`,
        `Wenn bis zum ${
          context.date(data.disabledAtMs)
        } keine Zustellung gelingt, wird das Abonnement deaktiviert. Seine Ereignisse werden dann zurückgehalten und gehen nicht verloren.`,
      ],
    }),
    "delivery-disabled": (data, context) => (data.isKeyLost === true
      ? {
        subject: "Ihr Webhook braucht ein neues Secret",
        blocks: [
          `Wir haben den Schlüssel verloren, mit dem das Signatur-Secret für Zustellungen an ${data.host} (${data.subscriptionId}) verschlüsselt ist. Niemand sonst hat dieses Secret, aber wir können damit nicht mehr signieren. Das Abonnement wurde deshalb am ${
            context.date(data.disabledAtMs)
          } deaktiviert.`,
          `Seine Ereignisse werden zurückgehalten. Fordern Sie mit POST /v1/subscriptions/${data.subscriptionId}/rotate-secret ein neues Secret an, tragen Sie es in Ihrem Empfänger ein und aktivieren Sie das Abonnement mit PATCH /v1/subscriptions/${data.subscriptionId} und {"enabled": true}. Die Ereignisse werden dann zugestellt, die ältesten zuerst.`,
        ],
      }
      : {
        subject: "Ihr Webhook wurde deaktiviert",
        blocks: [
          `Seit dem ${
            context.date(data.failingSinceMs)
          } ist keine Zustellung an ${data.host} (${data.subscriptionId}) gelungen.${
            lastError(data, "Letzter Fehler:")
          } Das Abonnement wurde am ${context.date(data.disabledAtMs)} deaktiviert.`,
          `Seine Ereignisse werden zurückgehalten. Aktivieren Sie es mit PATCH /v1/subscriptions/${data.subscriptionId} und {"enabled": true}. Die Ereignisse werden dann zugestellt, die ältesten zuerst.`,
        ],
      }),
    "quota-80": quota(80),
    "quota-100": quota(100),
    "held-full": ({ limit, sinceMs, resetsAtMs }, context) => ({
      subject: "Ihr Limit für zurückgehaltene Zustellungen ist erreicht",
      blocks: [
        `Es werden ${
          context.number(limit)
        } Webhook-Zustellungen für Sie zurückgehalten; das ist das Limit Ihres Tarifs. Seit dem ${
          context.date(sinceMs)
        } werden für Abonnements mit zurückgehaltenen Zustellungen keine weiteren angelegt.`,
        `Es geht kein Ereignis verloren. Sobald die zurückgehaltenen Zustellungen gesendet sind, laufen diese Abonnements automatisch mit dem ersten Ereignis weiter, das ihnen fehlt. Gesendet werden sie mit dem Kontingent des nächsten Monats am ${
          context.date(resetsAtMs)
        }, nach dem Wechsel in einen höheren Tarif oder, bei deaktivierten Abonnements, sobald Sie diese aktivieren.`,
        "GET /v1/subscriptions nennt diese Abonnements: Der Grund in catch_up ist held_full.",
      ],
    }),
  },
  contact: (support) => `Fragen? Schlüssel verloren? Schreiben Sie an ${support}`,
  disclaimer:
    "Die gelieferten Inhalte dienen nur der Information und sind keine Rechtsberatung. Maßgeblich sind allein die amtlichen Veröffentlichungen.",
};
