// The words of the mails in French.
import {
  callBlock,
  fitLines,
  HEADER_BLOCK,
  limitsIn,
  problemAfter,
  type Texts,
  type Writer,
} from "./template.ts";

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

const NOUNS = {
  apiRequestsPerDay: ["requête par jour", "requêtes par jour"],
  webhookDeliveriesPerMonth: ["livraison de webhook par mois", "livraisons de webhooks par mois"],
  activeSubscriptions: ["abonnement actif", "abonnements actifs"],
} as const;

const HELD =
  "Ces abonnements dépassent ce nombre. Ils sont retenus, et leurs événements aussi ; rien n’est perdu. Ils reprennent d’eux-mêmes, les plus anciens d’abord, quand vous en supprimez ou désactivez un autre, ou avec une formule supérieure :";
const RETURNED =
  "Ces abonnements étaient retenus et sont de nouveau actifs ; ce qui était retenu est livré maintenant :";

/** The words. */
export const FRENCH: Texts = {
  letters: {
    welcome: (_, tools) => ({
      subject: "Votre clé d’API",
      blocks: [
        "Bienvenue. Voici votre clé d’API. Elle n’est montrée qu’ici et ne peut pas être retrouvée : gardez-la comme un mot de passe.",
        { code: tools.key ?? "" },
        "Votre premier appel :",
        callBlock(tools),
        "Dans vos propres programmes, envoyez-la dans un en-tête :",
        HEADER_BLOCK,
        `Tout le reste se trouve sur ${tools.publicUrl}/docs. Votre formule est ${tools.tier} : ${
          limitsIn(tools, tools.limits, NOUNS)
        }.`,
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
    "access-ended": (data, tools) => ({
      subject: "Votre abonnement a pris fin",
      blocks: [
        `Votre abonnement payant a pris fin le ${
          tools.date(data.endedAtMs)
        }, et avec lui votre accès : votre clé est refusée, et les événements destinés à vos webhooks sont retenus. Votre compte et vos webhooks restent en l’état.`,
        "Si vous vous abonnez de nouveau avec le même compte chez le prestataire de paiement, la même clé est de nouveau valable et ce qui est retenu est livré. Si vous n’y avez pas mis fin vous-même, ou si vous souhaitez l’effacement de vos données, écrivez-nous.",
      ],
    }),
    "tier-changed": (data, tools) => ({
      subject: `Votre formule est désormais ${data.after}`,
      blocks: [
        `Votre formule est passée de ${data.before} à ${data.after} : ${
          limitsIn(tools, data.limits, NOUNS)
        }.`,
        ...fitLines(HELD, data.held),
        ...fitLines(RETURNED, data.returned),
      ],
    }),
    "subscriptions-held": (data, tools) => ({
      subject: "Certains de vos webhooks sont retenus",
      blocks: [
        `Vous pouvez désormais avoir ${
          tools.count(data.limits.activeSubscriptions, ...NOUNS.activeSubscriptions)
        } et en avez davantage.`,
        ...fitLines(HELD, data.held),
      ],
    }),
    "delivery-warning": (data, tools) => ({
      subject: "Votre webhook ne répond pas",
      blocks: [
        `Rien n’est arrivé à ${data.host} (${data.subscriptionId}) depuis le ${
          tools.date(data.failingSinceMs)
        }${problemAfter(data, " : ")}.`,
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
          }${problemAfter(data, " : ")}. L’abonnement a été désactivé le ${tools.date(data.disabledAtMs)}.`,
          `Ses événements sont retenus. Réactivez-le avec PATCH /v1/subscriptions/${data.subscriptionId} et {"enabled": true}, et ils seront livrés, les plus anciens d’abord.`,
        ],
      }),
    "quota-80": frenchQuota(80),
    "quota-100": frenchQuota(100),
    "held-full": ({ limit, sinceMs, resetsAtMs }, tools) => ({
      subject: "La limite de vos livraisons retenues est atteinte",
      blocks: [
        `${
          tools.number(limit)
        } de vos livraisons de webhooks sont retenues, ce qui est la limite de votre formule. Depuis le ${
          tools.date(sinceMs)
        }, aucune autre n’est enregistrée pour les abonnements en attente.`,
        `Aucun événement n’est perdu. Ces abonnements reprennent d’eux-mêmes au premier événement qu’ils n’ont pas reçu, dès que les livraisons retenues sont parties : avec les livraisons du mois suivant le ${
          tools.date(resetsAtMs)
        } ou une formule supérieure, et pour un abonnement désactivé quand vous le réactivez.`,
        "GET /v1/subscriptions indique ces abonnements : leur catch_up a pour motif held_full.",
      ],
    }),
  },
  contact: (support) => `Questions, ou une nouvelle clé : ${support}`,
  disclaimer:
    "Ce que le service livre est donné à titre d’information et n’est pas un conseil juridique. La publication officielle fait foi.",
};
