// The words of the mails in German.
import {
  callBlock,
  fitLines,
  HEADER_BLOCK,
  limitsIn,
  problemAfter,
  type Texts,
  type Writer,
} from "./template.ts";

function germanQuota(percent: 80 | 100): Writer<"quota-80" | "quota-100"> {
  return ({ what, used, limit, resetsAtMs }, tools) => {
    const noun = what === "deliveries" ? "der Webhook-Zustellungen dieses Monats" : "der Anfragen des Tages";
    return {
      subject: `${percent} % ${noun} sind verbraucht`,
      blocks: [
        `${tools.number(used)} von ${tools.number(limit)} sind verbraucht; am ${
          tools.date(resetsAtMs)
        } beginnt die Zählung neu.`,
        what === "deliveries"
          ? "Weitere Ereignisse werden zurückgehalten und dann zugestellt; ein höherer Tarif stellt sie sofort zu."
          : "Weitere Anfragen werden bis dahin mit 429 beantwortet; ein höherer Tarif erlaubt mehr.",
      ],
    };
  };
}

const NOUNS = {
  apiRequestsPerDay: ["Anfrage am Tag", "Anfragen am Tag"],
  webhookDeliveriesPerMonth: ["Webhook-Zustellung im Monat", "Webhook-Zustellungen im Monat"],
  activeSubscriptions: ["aktives Abonnement", "aktive Abonnements"],
} as const;

const HELD =
  "Diese Abonnements liegen über dieser Zahl. Sie werden zurückgehalten, ebenso ihre Ereignisse; nichts geht verloren. Sie laufen von selbst weiter, die ältesten zuerst, wenn Sie ein anderes löschen oder abschalten, oder mit einem höheren Tarif:";
const RETURNED =
  "Diese Abonnements waren zurückgehalten und laufen wieder; was zurückgehalten war, wird jetzt zugestellt:";

/** The words. */
export const GERMAN: Texts = {
  letters: {
    welcome: (_, tools) => ({
      subject: "Ihr API-Schlüssel",
      blocks: [
        "Willkommen. Dies ist Ihr API-Schlüssel. Er steht nur hier und lässt sich nicht wiederherstellen: Bewahren Sie ihn wie ein Passwort auf.",
        { code: tools.key ?? "" },
        "Ihr erster Aufruf:",
        callBlock(tools),
        "In Ihren eigenen Programmen senden Sie ihn als Header:",
        HEADER_BLOCK,
        `Alles Weitere steht unter ${tools.publicUrl}/docs. Ihr Tarif ist ${tools.tier}: ${
          limitsIn(tools, tools.limits, NOUNS)
        }.`,
        "Kam diese Nachricht mehrmals, gilt der Schlüssel der neuesten. Einen verlorenen Schlüssel ersetzen wir, wenn Sie uns schreiben.",
      ],
    }),
    "key-rotated": (data) => ({
      subject: "Ihr API-Schlüssel wurde ersetzt",
      blocks: [
        `Ihr API-Schlüssel wurde von uns ersetzt. Der alte wird abgelehnt; der neue endet auf ${data.lastFour} und wurde Ihnen auf anderem Weg gegeben.`,
        "Wenn Sie nicht darum gebeten haben, schreiben Sie uns.",
      ],
    }),
    "payment-failed": (data, tools) => (data.accessUntilMs === null
      ? {
        subject: "Ihr Zugang ist beendet",
        blocks: [
          "Eine fällige Zahlung ließ sich nicht einziehen, und Ihr Zugang ist beendet. Nichts geht verloren: Ereignisse für Ihre Webhooks werden zurückgehalten, und alles läuft weiter, sobald die Zahlung eingeht.",
        ],
      }
      : {
        subject: "Ihre Zahlung ist fehlgeschlagen",
        blocks: [
          `Ihre letzte Zahlung ließ sich nicht einziehen. Ihr Zugang bleibt bis ${
            tools.date(data.accessUntilMs)
          } bestehen; bitte prüfen Sie bis dahin Ihr Zahlungsmittel.`,
        ],
      }),
    "access-ended": (data, tools) => ({
      subject: "Ihr Abonnement ist beendet",
      blocks: [
        `Ihr bezahltes Abonnement endete am ${
          tools.date(data.endedAtMs)
        }, und mit ihm Ihr Zugang: Ihr Schlüssel wird abgelehnt, und Ereignisse für Ihre Webhooks werden zurückgehalten. Ihr Konto und Ihre Webhooks bleiben, wie sie sind.`,
        "Wenn Sie mit demselben Konto beim Zahlungsdienst erneut abonnieren, gilt derselbe Schlüssel wieder, und was zurückgehalten ist, wird zugestellt. Wenn Sie es nicht selbst beendet haben oder Ihre Daten gelöscht haben möchten, schreiben Sie uns.",
      ],
    }),
    "tier-changed": (data, tools) => ({
      subject: `Ihr Tarif ist jetzt ${data.after}`,
      blocks: [
        `Ihr Tarif wurde von ${data.before} auf ${data.after} geändert: ${
          limitsIn(tools, data.limits, NOUNS)
        }.`,
        ...fitLines(HELD, data.held),
        ...fitLines(RETURNED, data.returned),
      ],
    }),
    "subscriptions-held": (data, tools) => ({
      subject: "Einige Ihrer Webhooks werden zurückgehalten",
      blocks: [
        `Sie können jetzt ${
          tools.count(data.limits.activeSubscriptions, ...NOUNS.activeSubscriptions)
        } haben und haben mehr.`,
        ...fitLines(HELD, data.held),
      ],
    }),
    "delivery-warning": (data, tools) => ({
      subject: "Ihr Webhook antwortet nicht",
      blocks: [
        `Bei ${data.host} (${data.subscriptionId}) ist seit ${
          tools.date(data.failingSinceMs)
        } nichts angekommen${problemAfter(data, ": ")}.`,
        `Gelingt keine Zustellung, wird das Abonnement am ${
          tools.date(data.disabledAtMs)
        } abgeschaltet. Seine Ereignisse werden dann zurückgehalten und gehen nicht verloren.`,
      ],
    }),
    "delivery-disabled": (data, tools) => (data.isKeyLost === true
      ? {
        subject: "Ihr Webhook braucht ein neues Secret",
        blocks: [
          `Wir haben den Schlüssel zu dem Secret verloren, mit dem die Zustellungen an ${data.host} (${data.subscriptionId}) signiert werden. Niemand sonst hat es; aber wir können damit nicht mehr signieren, und das Abonnement wurde am ${
            tools.date(data.disabledAtMs)
          } abgeschaltet.`,
          `Seine Ereignisse werden zurückgehalten. POST /v1/subscriptions/${data.subscriptionId}/rotate-secret gibt ein neues Secret; tragen Sie es in Ihren Empfänger ein, schalten Sie das Abonnement dann mit PATCH /v1/subscriptions/${data.subscriptionId} und {"enabled": true} ein, und sie werden zugestellt, die ältesten zuerst.`,
        ],
      }
      : {
        subject: "Ihr Webhook wurde abgeschaltet",
        blocks: [
          `Bei ${data.host} (${data.subscriptionId}) ist seit ${
            tools.date(data.failingSinceMs)
          } nichts angekommen${problemAfter(data, ": ")}. Das Abonnement wurde am ${
            tools.date(data.disabledAtMs)
          } abgeschaltet.`,
          `Seine Ereignisse werden zurückgehalten. Schalten Sie es mit PATCH /v1/subscriptions/${data.subscriptionId} und {"enabled": true} wieder ein, und sie werden zugestellt, die ältesten zuerst.`,
        ],
      }),
    "quota-80": germanQuota(80),
    "quota-100": germanQuota(100),
    "held-full": ({ limit, sinceMs, resetsAtMs }, tools) => ({
      subject: "Die Grenze Ihrer zurückgehaltenen Zustellungen ist erreicht",
      blocks: [
        `${
          tools.number(limit)
        } Ihrer Webhook-Zustellungen werden zurückgehalten; mehr lässt Ihr Tarif nicht zu. Seit dem ${
          tools.date(sinceMs)
        } werden für wartende Abonnements keine weiteren gespeichert.`,
        `Kein Ereignis geht verloren. Sobald die zurückgehaltenen Zustellungen versandt sind, setzen diese Abonnements von selbst beim ersten Ereignis fort, das sie nicht erhalten haben: mit den Zustellungen des nächsten Monats am ${
          tools.date(resetsAtMs)
        } oder mit einem höheren Tarif, und ein abgeschaltetes Abonnement, wenn Sie es einschalten.`,
        "GET /v1/subscriptions nennt diese Abonnements: ihr catch_up hat den Grund held_full.",
      ],
    }),
  },
  contact: (support) => `Fragen, oder ein neuer Schlüssel: ${support}`,
  disclaimer:
    "Was der Dienst liefert, dient nur der Information und ist keine Rechtsberatung. Maßgeblich ist die amtliche Veröffentlichung.",
};
