// The emails in French.
import type { MailTexts } from "./template.ts";

const COUNTER = "Vous en avez utilisé {used} sur {limit}. Le compteur sera remis à zéro le {resetsAtMs}.";

export const FRENCH: MailTexts = {
  mails: {
    welcome: [
      "Votre clé d’API",
      "Bienvenue ! Voici votre clé d’API. Elle ne figure que dans cet e-mail et ne peut pas être récupérée : conservez-la comme un mot de passe.",
      "{key}",
      "Votre première requête :",
      "{firstRequest}",
      "Dans vos propres programmes, envoyez la clé dans cet en-tête :",
      "{keyHeader}",
      "La documentation se trouve sur {publicUrl}/docs. Votre formule est {tier} : {limits}.",
      "Si vous avez reçu cet e-mail plusieurs fois, utilisez la clé du plus récent. Si vous perdez la clé, écrivez-nous et nous la remplacerons.",
    ],
    "key-rotated": [
      "Votre clé d’API a été remplacée",
      "Nous avons remplacé votre clé d’API « {label} ». L’ancienne clé n’est plus valable. La nouvelle se termine par {lastFour} ; elle vous est transmise séparément.",
      "Si vous n’êtes pas à l’origine de cette demande, écrivez-nous.",
    ],
    "key-expiring": [
      "Votre clé d’API a été remplacée",
      "Nous avons remplacé votre clé d’API « {label} ». La nouvelle se termine par {lastFour} ; elle vous est transmise séparément.",
      "L’ancienne clé reste valable jusqu’au {oldUntilMs}. Veuillez passer à la nouvelle clé avant cette date.",
      "Si vous n’êtes pas à l’origine de cette demande, écrivez-nous.",
    ],
    "payment-failed": [
      "Votre paiement a échoué",
      "Votre dernier paiement n’a pas pu être encaissé. Vous conservez votre accès jusqu’au {accessUntilMs}. Veuillez vérifier votre moyen de paiement d’ici là.",
    ],
    "access-suspended": [
      "Votre accès a pris fin",
      "Un paiement dû n’a pas pu être encaissé et votre accès a pris fin. Rien n’est perdu : les événements destinés à vos webhooks sont retenus, et tout reprendra dès réception du paiement.",
    ],
    "access-ended": [
      "Votre abonnement a pris fin",
      "Votre abonnement payant, et donc votre accès, a pris fin le {endedAtMs}. Votre clé n’est plus valable et les événements destinés à vos webhooks sont retenus. Votre compte et vos webhooks sont conservés.",
      "Si vous vous abonnez de nouveau avec le même compte auprès du prestataire de paiement, votre clé sera de nouveau valable et les événements retenus seront livrés. Si vous n’avez pas résilié vous-même, ou si vous souhaitez l’effacement de vos données, écrivez-nous.",
    ],
    "tier-changed": [
      "Votre formule est désormais {after}",
      "Votre formule est passée de {before} à {after} : {limits}.",
      "{held}",
      "{returned}",
    ],
    "subscriptions-held": [
      "Certains de vos webhooks sont suspendus",
      "Votre limite est désormais de {activeSubscriptions}, mais vous en avez davantage.",
      "{held}",
    ],
    "delivery-warning": [
      "Les livraisons à votre webhook échouent",
      "Aucune livraison à {host} ({subscriptionId}) n’a réussi depuis le {failingSinceMs}.{lastError}",
      "Si aucune livraison ne réussit d’ici au {disabledAtMs}, l’abonnement sera désactivé. Ses événements seront alors retenus ; aucun ne sera perdu.",
    ],
    "delivery-disabled": [
      "Votre webhook a été désactivé",
      "Aucune livraison à {host} ({subscriptionId}) n’a réussi depuis le {failingSinceMs}.{lastError} L’abonnement a été désactivé le {disabledAtMs}.",
      `Ses événements sont retenus. Réactivez-le avec PATCH /v1/subscriptions/{subscriptionId} et {"enabled": true}. Si l’abonnement a vos propres en-têtes, leurs valeurs sont également perdues : ajoutez « headers » à cette requête PATCH. Les événements seront alors livrés, du plus ancien au plus récent.`,
    ],
    "key-lost": [
      "Votre webhook a besoin d’un nouveau secret",
      "Nous avons perdu la clé qui déchiffre le secret de signature des livraisons à {host} ({subscriptionId}). Personne d’autre n’a ce secret, mais nous ne pouvons plus signer avec lui. L’abonnement a donc été désactivé le {disabledAtMs}.",
      `Ses événements sont retenus. Demandez un nouveau secret avec POST /v1/subscriptions/{subscriptionId}/rotate-secret, configurez-le dans votre récepteur, puis réactivez l’abonnement avec PATCH /v1/subscriptions/{subscriptionId} et {"enabled": true}. Les événements seront alors livrés, du plus ancien au plus récent.`,
    ],
    "quota-80": ["80 % {noun} utilisées", COUNTER, "{consequence}"],
    "quota-100": ["100 % {noun} utilisées", COUNTER, "{consequence}"],
    "held-full": [
      "Votre limite de livraisons retenues est atteinte",
      "Vous avez {limit} livraisons de webhooks retenues, ce qui est la limite de votre formule. Depuis le {sinceMs}, plus aucune n’est créée pour les abonnements qui ont des livraisons retenues.",
      "Aucun événement n’est perdu. Une fois les livraisons retenues envoyées, ces abonnements reprendront automatiquement au premier événement qui leur manque. Les livraisons retenues seront envoyées le {resetsAtMs}, avec le quota du mois suivant, ou plus tôt si vous passez à une formule supérieure. Celles d’un abonnement désactivé seront envoyées lorsque vous le réactiverez.",
      "GET /v1/subscriptions indique ces abonnements : le motif dans catch_up est held_full.",
    ],
    "sign-in": [
      "Votre lien de connexion",
      "Ouvrez ce lien pour vous connecter à la console. Il est utilisable une seule fois, jusqu’au {expiresAtMs}.",
      "{link}",
      "Si vous n’avez pas demandé ce lien, ignorez cet e-mail. Sans le lien, personne ne peut se connecter.",
    ],
  },
  limits: {
    apiRequestsPerDay: ["requête par jour", "requêtes par jour"],
    webhookDeliveriesPerMonth: ["livraison de webhook par mois", "livraisons de webhooks par mois"],
    activeSubscriptions: ["abonnement actif", "abonnements actifs"],
  },
  quotas: {
    deliveries: {
      noun: "des livraisons de webhooks du mois",
      consequence:
        "Au-delà de cette limite, les événements sont retenus jusqu’à cette date, puis livrés. Avec une formule supérieure, ils sont livrés immédiatement.",
    },
    requests: {
      noun: "des requêtes du jour",
      consequence:
        "Au-delà de cette limite, les requêtes sont refusées avec le statut 429 jusqu’à cette date. Une formule supérieure en autorise davantage.",
    },
  },
  held:
    "Les abonnements suivants dépassent votre limite. Ils sont suspendus et leurs événements sont retenus ; rien n’est perdu. Ils reprendront automatiquement, du plus ancien au plus récent, lorsque vous supprimerez ou désactiverez un autre abonnement ou passerez à une formule supérieure :",
  returned:
    "Les abonnements suivants étaient suspendus et sont de nouveau actifs. Leurs événements retenus sont en cours de livraison :",
  lastError: " Dernière erreur : {problem}.",
  contact: "Une question, une clé perdue ? Écrivez à {support}",
  disclaimer:
    "Les contenus livrés sont fournis à titre d’information et ne constituent pas un conseil juridique. Seules les publications officielles font foi.",
};
