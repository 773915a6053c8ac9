// French: the texts of the pages about usage and keys.
import type { account as english } from "../en/account.ts";

export const account: typeof english = {
  usage: {
    title: "Consommation",
    tier: (name) => `Votre formule est ${name}. Les jours et les mois sont comptés en UTC.`,
    today: "Aujourd’hui",
    month: "Ce mois-ci",
    requests: "Requêtes d’API",
    deliveries: "Livraisons par webhook",
    subscriptions: "Abonnements actifs",
    tests: "Livraisons de test",
    replays: "Renvois",
    backfills: "Abonnements avec événements enregistrés",
    of: (used, limit) => `${used} sur ${limit}`,
    renews: (when) => `Réinitialisation ${when}`,
    held: (count, limit) =>
      `${count} livraisons sont retenues, sur ${limit} au plus. Aucune n’est perdue : elles seront envoyées dès que la cause aura disparu.`,
    noQuota: "Les pages de la console ne comptent pas comme requêtes d’API.",
    last30: "Les 30 derniers jours",
    requestsPerDay: "Requêtes d’API par jour",
    deliveriesPerDay: "Livraisons réussies par jour",
    day: "Jour",
  },
  keys: {
    title: "Clés d’API",
    lead:
      "Les programmes s’identifient avec ces clés. Toutes donnent accès aux mêmes abonnements et partagent vos limites.",
    label: "Libellé",
    ending: "Se termine par",
    created: "Émise",
    lastUsed: "Dernière utilisation",
    validUntil: "Fin de validité",
    state: "État",
    never: "Jamais",
    noEnd: "Sans limite",
    unlabelled: "Définie par l’exploitant",
    states: { valid: "Valable", expiring: "En cours de remplacement", disabled: "Désactivée" },
    operatorOnly: "Seul l’exploitant émet, remplace et désactive les clés",
    ask:
      "Adressez-vous à l’exploitant et indiquez le libellé ou les quatre derniers caractères, jamais la clé elle-même :",
    askNew: "une clé supplémentaire, par exemple pour un autre programme : indiquez le libellé souhaité ;",
    askRotate:
      "un remplacement : l’ancienne clé reste valable pendant une période convenue, pour que rien ne soit interrompu ;",
    askDisable: "une désactivation : demandez-la immédiatement si une autre personne a pu voir une clé.",
    contact: "Contact de l’exploitant",
    guide: "À propos de votre compte (en anglais)",
    empty: "Vous n’avez aucune clé.",
  },
};
