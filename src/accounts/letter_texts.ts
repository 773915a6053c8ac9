// The words of the mails, in three languages.
import type { MailContent, MailData, MailKind, MailLanguage } from "../domain/mail.ts";
import type { Tier } from "../domain/tier.ts";
import type { LetterFacts } from "./letter.ts";

/** A paragraph, or lines to be copied as they are. */
export type Block = string | { code: string };

/** What the words are made with. */
export interface LetterTools extends LetterFacts {
  tier: Tier;
  date(ms: number): string;
  number(value: number): string;
}

/** Writes the letters of a kind. */
type Writer<Kind extends MailKind> = (
  data: MailData[Kind],
  tools: LetterTools,
) => { subject: string; blocks: Block[] };

/** The words of one language. */
interface Texts {
  letters: { [Kind in MailKind]: Writer<Kind> };
  contact(support: string): string;
  disclaimer: string;
}

/** The first call that a customer can make. */
function firstCall({ key, publicUrl }: LetterTools): Block {
  return { code: `curl -H "Authorization: Bearer ${key}" \\\n  "${publicUrl}/v1/events?limit=5"` };
}

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

const ENGLISH: Texts = {
  letters: {
    welcome: (_, tools) => ({
      subject: "Your API key",
      blocks: [
        "Welcome. This is your API key. It is shown only here and cannot be recovered: keep it like a password.",
        { code: tools.key ?? "" },
        "Your first call:",
        firstCall(tools),
        `Everything else stands in ${tools.publicUrl}/docs. Your tier is ${tools.tier}: ${
          tools.number(tools.limits.apiRequestsPerDay)
        } requests a day, ${
          tools.number(tools.limits.webhookDeliveriesPerMonth)
        } webhook deliveries a month, ${
          tools.number(tools.limits.activeSubscriptions)
        } active subscriptions.`,
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
    "delivery-warning": (data, tools) => ({
      subject: "Your webhook does not answer",
      blocks: [
        `Nothing has arrived at ${data.host} (${data.subscriptionId}) since ${
          tools.date(data.failingSinceMs)
        }${problem(data, ": ")}.`,
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
          }${problem(data, ": ")}. The subscription was switched off on ${tools.date(data.disabledAtMs)}.`,
          `Its events are held. Switch it on again with PATCH /v1/subscriptions/${data.subscriptionId} and {"enabled": true}, and they are delivered, oldest first.`,
        ],
      }),
    "quota-80": englishQuota(80),
    "quota-100": englishQuota(100),
  },
  contact: (support) => `Questions, or a new key: ${support}`,
  disclaimer:
    "What the service delivers is for information only and not legal advice. The official publication is authoritative.",
};

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

const GERMAN: Texts = {
  letters: {
    welcome: (_, tools) => ({
      subject: "Ihr API-Schlüssel",
      blocks: [
        "Willkommen. Dies ist Ihr API-Schlüssel. Er steht nur hier und lässt sich nicht wiederherstellen: Bewahren Sie ihn wie ein Passwort auf.",
        { code: tools.key ?? "" },
        "Ihr erster Aufruf:",
        firstCall(tools),
        `Alles Weitere steht unter ${tools.publicUrl}/docs. Ihr Tarif ist ${tools.tier}: ${
          tools.number(tools.limits.apiRequestsPerDay)
        } Anfragen am Tag, ${
          tools.number(tools.limits.webhookDeliveriesPerMonth)
        } Webhook-Zustellungen im Monat, ${
          tools.number(tools.limits.activeSubscriptions)
        } aktive Abonnements.`,
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
    "delivery-warning": (data, tools) => ({
      subject: "Ihr Webhook antwortet nicht",
      blocks: [
        `Bei ${data.host} (${data.subscriptionId}) ist seit ${
          tools.date(data.failingSinceMs)
        } nichts angekommen${problem(data, ": ")}.`,
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
          } nichts angekommen${problem(data, ": ")}. Das Abonnement wurde am ${
            tools.date(data.disabledAtMs)
          } abgeschaltet.`,
          `Seine Ereignisse werden zurückgehalten. Schalten Sie es mit PATCH /v1/subscriptions/${data.subscriptionId} und {"enabled": true} wieder ein, und sie werden zugestellt, die ältesten zuerst.`,
        ],
      }),
    "quota-80": germanQuota(80),
    "quota-100": germanQuota(100),
  },
  contact: (support) => `Fragen, oder ein neuer Schlüssel: ${support}`,
  disclaimer:
    "Was der Dienst liefert, dient nur der Information und ist keine Rechtsberatung. Maßgeblich ist die amtliche Veröffentlichung.",
};

function frenchQuota(percent: 80 | 100): Writer<"quota-80" | "quota-100"> {
  return ({ what, used, limit, resetsAtMs }, tools) => {
    const noun = what === "deliveries" ? "des livraisons de webhooks du mois" : "des requêtes du jour";
    return {
      subject: `${percent} % ${noun} sont utilisés`,
      blocks: [
        `${tools.number(used)} sur ${tools.number(limit)} sont utilisés ; le compte reprend à zéro le ${
          tools.date(resetsAtMs)
        }.`,
        what === "deliveries"
          ? "Les événements suivants sont retenus et livrés à ce moment ; une formule supérieure les livre aussitôt."
          : "Les requêtes suivantes reçoivent 429 jusque-là ; une formule supérieure en permet davantage.",
      ],
    };
  };
}

const FRENCH: Texts = {
  letters: {
    welcome: (_, tools) => ({
      subject: "Votre clé d’API",
      blocks: [
        "Bienvenue. Voici votre clé d’API. Elle n’est montrée qu’ici et ne peut pas être retrouvée : gardez-la comme un mot de passe.",
        { code: tools.key ?? "" },
        "Votre premier appel :",
        firstCall(tools),
        `Tout le reste se trouve sur ${tools.publicUrl}/docs. Votre formule est ${tools.tier} : ${
          tools.number(tools.limits.apiRequestsPerDay)
        } requêtes par jour, ${
          tools.number(tools.limits.webhookDeliveriesPerMonth)
        } livraisons de webhooks par mois, ${
          tools.number(tools.limits.activeSubscriptions)
        } abonnements actifs.`,
        "Si ce message est arrivé plusieurs fois, la clé du plus récent est la bonne. Une clé perdue est remplacée si vous nous écrivez.",
      ],
    }),
    "key-rotated": (data) => ({
      subject: "Votre clé d’API a été remplacée",
      blocks: [
        `Votre clé d’API a été remplacée par notre opérateur. L’ancienne est refusée ; la nouvelle se termine par ${data.lastFour} et vous a été remise autrement.`,
        "Si vous ne l’avez pas demandé, écrivez-nous.",
      ],
    }),
    "payment-failed": (data, tools) => (data.accessUntilMs === null
      ? {
        subject: "Votre accès a pris fin",
        blocks: [
          "Un paiement dû n’a pas pu être encaissé et votre accès a pris fin. Rien n’est perdu : les événements destinés à vos webhooks sont retenus, et tout reprend dès que le paiement arrive.",
        ],
      }
      : {
        subject: "Votre paiement a échoué",
        blocks: [
          `Votre dernier paiement n’a pas pu être encaissé. Votre accès reste ouvert jusqu’au ${
            tools.date(data.accessUntilMs)
          } ; veuillez vérifier votre moyen de paiement d’ici là.`,
        ],
      }),
    "delivery-warning": (data, tools) => ({
      subject: "Votre webhook ne répond pas",
      blocks: [
        `Rien n’est arrivé à ${data.host} (${data.subscriptionId}) depuis le ${
          tools.date(data.failingSinceMs)
        }${problem(data, " : ")}.`,
        `Si aucune livraison ne réussit, l’abonnement sera désactivé le ${
          tools.date(data.disabledAtMs)
        }. Ses événements seront alors retenus, aucun ne sera perdu.`,
      ],
    }),
    "delivery-disabled": (data, tools) => (data.isKeyLost === true
      ? {
        subject: "Votre webhook a besoin d’un nouveau secret",
        blocks: [
          `Nous avons perdu la clé du secret qui signe les livraisons à ${data.host} (${data.subscriptionId}). Personne d’autre ne l’a ; mais nous ne pouvons plus signer avec lui, et l’abonnement a été désactivé le ${
            tools.date(data.disabledAtMs)
          }.`,
          `Ses événements sont retenus. POST /v1/subscriptions/${data.subscriptionId}/rotate-secret donne un nouveau secret ; inscrivez-le dans votre récepteur, puis réactivez l’abonnement avec PATCH /v1/subscriptions/${data.subscriptionId} et {"enabled": true}, et ils seront livrés, les plus anciens d’abord.`,
        ],
      }
      : {
        subject: "Votre webhook a été désactivé",
        blocks: [
          `Rien n’est arrivé à ${data.host} (${data.subscriptionId}) depuis le ${
            tools.date(data.failingSinceMs)
          }${problem(data, " : ")}. L’abonnement a été désactivé le ${tools.date(data.disabledAtMs)}.`,
          `Ses événements sont retenus. Réactivez-le avec PATCH /v1/subscriptions/${data.subscriptionId} et {"enabled": true}, et ils seront livrés, les plus anciens d’abord.`,
        ],
      }),
    "quota-80": frenchQuota(80),
    "quota-100": frenchQuota(100),
  },
  contact: (support) => `Questions, ou une nouvelle clé : ${support}`,
  disclaimer:
    "Ce que le service livre est donné à titre d’information et n’est pas un conseil juridique. La publication officielle fait foi.",
};

function problem({ problem }: MailData["delivery-warning"], before: string): string {
  return problem === null ? "" : `${before}${problem}`;
}

/** The words, by language. */
export const LETTERS: Readonly<Record<MailLanguage, Texts>> = { en: ENGLISH, de: GERMAN, fr: FRENCH };

/** Writes a letter in a language. */
export function composeLetter(
  language: MailLanguage,
  { kind, data }: MailContent,
  tools: LetterTools,
): ReturnType<Writer<MailKind>> {
  // Kind and data belong together, which their union knows and a look-up by kind does not.
  const write = LETTERS[language].letters[kind] as (
    data: MailContent["data"],
    tools: LetterTools,
  ) => ReturnType<Writer<MailKind>>;
  return write(data, tools);
}
