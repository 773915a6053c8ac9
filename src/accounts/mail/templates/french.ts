// Mail templates in French.
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
    const noun = what === "deliveries" ? "des livraisons de webhooks du mois" : "des requêtes du jour";
    return {
      subject: `${percent} % ${noun} utilisées`,
      blocks: [
        `Vous en avez utilisé ${context.number(used)} sur ${
          context.number(limit)
        }. Le compteur sera remis à zéro le ${context.date(resetsAtMs)}.`,
        what === "deliveries"
          ? "Au-delà de cette limite, les événements sont retenus jusqu’à cette date, puis livrés. Avec une formule supérieure, ils sont livrés immédiatement."
          : "Au-delà de cette limite, les requêtes sont refusées avec le statut 429 jusqu’à cette date. Une formule supérieure en autorise davantage.",
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
  "Les abonnements suivants dépassent votre limite. Ils sont suspendus et leurs événements sont retenus ; rien n’est perdu. Ils reprendront automatiquement, du plus ancien au plus récent, lorsque vous supprimerez ou désactiverez un autre abonnement ou passerez à une formule supérieure :";
const RETURNED =
  "Les abonnements suivants étaient suspendus et sont de nouveau actifs. Leurs événements retenus sont en cours de livraison :";

/** The French templates. */
export const FRENCH: MailTemplates = {
  templates: {
    welcome: (_, context) => ({
      subject: "Votre clé d’API",
      blocks: [
        "Bienvenue ! Voici votre clé d’API. Elle ne figure que dans cet e-mail et ne peut pas être récupérée : conservez-la comme un mot de passe.",
        { code: context.key ?? "" },
        "Votre première requête :",
        firstRequest(context),
        "Dans vos propres programmes, envoyez la clé dans cet en-tête :",
        KEY_HEADER,
        `La documentation se trouve sur ${context.publicUrl}/docs. Votre formule est ${context.tier} : ${
          describeLimits(context, context.limits, NOUNS)
        }.`,
        "Si vous avez reçu cet e-mail plusieurs fois, utilisez la clé du plus récent. Si vous perdez la clé, écrivez-nous et nous la remplacerons.",
      ],
    }),
    "key-rotated": (data) => ({
      subject: "Votre clé d’API a été remplacée",
      blocks: [
        `Nous avons remplacé votre clé d’API. L’ancienne clé n’est plus valable. La nouvelle se termine par ${data.lastFour} ; elle vous est transmise séparément.`,
        "Si vous ne l’avez pas demandé, écrivez-nous.",
      ],
    }),
    "payment-failed": (data, context) => (data.accessUntilMs === null
      ? {
        subject: "Votre accès a pris fin",
        blocks: [
          "Un paiement dû n’a pas pu être encaissé et votre accès a pris fin. Rien n’est perdu : les événements destinés à vos webhooks sont retenus, et tout reprendra dès réception du paiement.",
        ],
      }
      : {
        subject: "Votre paiement a échoué",
        blocks: [
          `Votre dernier paiement n’a pas pu être encaissé. Vous conservez votre accès jusqu’au ${
            context.date(data.accessUntilMs)
          }. Veuillez vérifier votre moyen de paiement d’ici là.`,
        ],
      }),
    "access-ended": (data, context) => ({
      subject: "Votre abonnement a pris fin",
      blocks: [
        `Votre abonnement payant, et donc votre accès, a pris fin le ${
          context.date(data.endedAtMs)
        }. Votre clé n’est plus valable et les événements destinés à vos webhooks sont retenus. Votre compte et vos webhooks sont conservés.`,
        "Si vous vous abonnez de nouveau avec le même compte chez le prestataire de paiement, votre clé sera de nouveau valable et les événements retenus seront livrés. Si vous n’avez pas résilié vous-même, ou si vous souhaitez l’effacement de vos données, écrivez-nous.",
      ],
    }),
    "tier-changed": (data, context) => ({
      subject: `Votre formule est désormais ${data.after}`,
      blocks: [
        `Votre formule est passée de ${data.before} à ${data.after} : ${
          describeLimits(context, data.limits, NOUNS)
        }.`,
        ...listSubscriptions(HELD, data.held),
        ...listSubscriptions(RETURNED, data.returned),
      ],
    }),
    "subscriptions-held": (data, context) => ({
      subject: "Certains de vos webhooks sont suspendus",
      blocks: [
        `Votre limite est désormais de ${
          context.count(data.limits.activeSubscriptions, ...NOUNS.activeSubscriptions)
        }, et vous en avez davantage.`,
        ...listSubscriptions(HELD, data.held),
      ],
    }),
    "delivery-warning": (data, context) => ({
      subject: "Les livraisons à votre webhook échouent",
      blocks: [
        `Aucune livraison à ${data.host} (${data.subscriptionId}) n’a réussi depuis le ${
          context.date(data.failingSinceMs)
        }.${lastError(data, "Dernière erreur :")}`,
        `Si aucune livraison ne réussit d’ici au ${
          context.date(data.disabledAtMs)
        }, l’abonnement sera désactivé. Ses événements seront alors retenus ; aucun ne sera perdu.`,
      ],
    }),
    "delivery-disabled": (data, context) => (data.isKeyLost === true
      ? {
        subject: "Votre webhook a besoin d’un nouveau secret",
        blocks: [
          `Nous avons perdu la clé qui déchiffre le secret de signature des livraisons à ${data.host} (${data.subscriptionId}). Personne d’autre n’a ce secret, mais nous ne pouvons plus signer avec lui. L’abonnement a donc été désactivé le ${
            context.date(data.disabledAtMs)
          }.`,
          `Ses événements sont retenus. Demandez un nouveau secret avec POST /v1/subscriptions/${data.subscriptionId}/rotate-secret, configurez-le dans votre récepteur, puis réactivez l’abonnement avec PATCH /v1/subscriptions/${data.subscriptionId} et {"enabled": true}. Les événements seront alors livrés, du plus ancien au plus récent.`,
        ],
      }
      : {
        subject: "Votre webhook a été désactivé",
        blocks: [
          `Aucune livraison à ${data.host} (${data.subscriptionId}) n’a réussi depuis le ${
            context.date(data.failingSinceMs)
          }.${lastError(data, "Dernière erreur :")} L’abonnement a été désactivé le ${
            context.date(data.disabledAtMs)
          }.`,
          `Ses événements sont retenus. Réactivez-le avec PATCH /v1/subscriptions/${data.subscriptionId} et {"enabled": true}. Les événements seront alors livrés, du plus ancien au plus récent.`,
        ],
      }),
    "quota-80": quota(80),
    "quota-100": quota(100),
    "held-full": ({ limit, sinceMs, resetsAtMs }, context) => ({
      subject: "Votre limite de livraisons retenues est atteinte",
      blocks: [
        `Vous avez ${
          context.number(limit)
        } livraisons de webhooks retenues, ce qui est la limite de votre formule. Depuis le ${
          context.date(sinceMs)
        }, plus aucune n’est créée pour les abonnements qui ont des livraisons retenues.`,
        `Aucun événement n’est perdu. Une fois les livraisons retenues envoyées, ces abonnements reprendront automatiquement au premier événement qui leur manque. Elles seront envoyées avec le quota du mois suivant, le ${
          context.date(resetsAtMs)
        }, en passant à une formule supérieure ou, pour les abonnements désactivés, lorsque vous les réactiverez.`,
        "GET /v1/subscriptions indique ces abonnements : le motif dans catch_up est held_full.",
      ],
    }),
  },
  contact: (support) => `Une question, une clé perdue ? Écrivez à ${support}`,
  disclaimer:
    "Les contenus livrés sont fournis à titre d’information et ne constituent pas un conseil juridique. Seules les publications officielles font foi.",
};
