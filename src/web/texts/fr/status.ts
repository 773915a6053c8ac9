// French: the texts of the status pages.
import type { status as english } from "../en/status.ts";

export const status: typeof english = {
  title: "État du service",
  asOf: "Situation au",
  state: {
    noSources: "Aucune source n’est encore configurée.",
    upToDate: (count, total) =>
      count < total
        ? `${count} ${count < 2 ? "source" : "sources"} sur ${total} à jour.`
        : total === 1
        ? "La seule source est à jour."
        : `Les ${total} sources sont à jour.`,
    troubled: (count) => count === 1 ? "1 source pose problème." : `${count} sources posent problème.`,
    waiting: (count) =>
      count === 1
        ? "1 source n’a pas encore été consultée."
        : `${count} sources n’ont pas encore été consultées.`,
    deliveriesLate: "Des livraisons sont en retard.",
  },
  conditions: {
    failing: {
      title: "En échec",
      text: "La dernière consultation a échoué. Elle est répétée automatiquement.",
    },
    blocked: { title: "Bloquées", text: "Le site de l’éditeur refuse ou limite les requêtes." },
    empty: {
      title: "Trop peu d’éléments",
      text: "Le site de l’éditeur présente moins d’éléments que prévu.",
    },
    partial: { title: "Incomplètes", text: "Consultées à l’exception d’une partie, par exemple une langue." },
    silent: {
      title: "Sans nouveauté",
      text: "Consultées comme prévu, mais sans nouveauté depuis plus longtemps que d’habitude.",
    },
    new: { title: "Pas encore consultées", text: "La première consultation n’a pas encore eu lieu." },
    ok: { title: "À jour", text: "Consultées comme prévu." },
  },
  since: "Début :",
  lastFetched: "Dernière consultation réussie :",
  lastNew: "Dernière nouveauté :",
  coverage: {
    complete: "Toutes les consultations réussies",
    partly: "Certaines consultations en échec",
    failed: "Toutes les consultations en échec",
    missed: "Consultation prévue, non effectuée",
    idle: "Aucune consultation prévue",
    before: "Pas encore une source",
  },
  legend: (days) => `Chaque barre représente l’un des ${days} derniers jours (UTC), aujourd’hui à droite.`,
  noDays: "Aucune consultation enregistrée",
  completeDays: (complete, total) =>
    total === 1
      ? `${complete} jour sur 1 sans lacune`
      : `${complete} ${complete < 2 ? "jour" : "jours"} sur ${total} sans lacune`,
  gaps: {
    caption: "Jours avec lacunes",
    columns: {
      days: "Jours",
      coverage: "Couverture",
      successes: "Consultations réussies",
      longestGap: "Plus longue interruption",
    },
    successes: (successes, total) => `${successes} sur ${total}`,
    more: (count) =>
      count === 1
        ? "1 période antérieure n’est pas affichée."
        : `${count} périodes antérieures ne sont pas affichées.`,
  },
  incidents: {
    current: "Incidents en cours",
    past: "Incidents passés",
    none: (days) => `Aucun incident au cours des ${days} derniers jours.`,
    more: (count) => `Seuls les ${count} derniers incidents sont affichés.`,
    feedTitle: "Regfeed : incidents",
    feedLink: "Suivre les incidents par un flux Atom",
    ofSource: (source, title) => `${source} : ${title}`,
    began: "Début :",
    ended: "Fin :",
    duration: "Durée :",
    ongoing: "L’incident est en cours.",
    kinds: {
      failing: "échec des consultations",
      blocked: "accès bloqué",
      silent: "aucune nouveauté",
      deliveries_late: "Livraisons en retard",
      stopped: "Le service ne fonctionnait pas",
    },
    texts: {
      silent: "Rien de nouveau n’est paru depuis plus longtemps que d’habitude.",
      deliveries_late:
        "Des livraisons à des points de réception qui fonctionnent attendent depuis plus d’une heure.",
      stopped:
        "Rien n’a été consulté ni livré pendant ce temps. Les consultations et les livraisons ont repris ensuite.",
    },
    causes: {
      refused: "Le site de l’éditeur refuse ou limite les requêtes.",
      timeout: "Le site de l’éditeur n’a pas répondu à temps.",
      connection: "La connexion au site de l’éditeur a échoué.",
      http_error: "Le site de l’éditeur a répondu par une erreur.",
      unreadable: "La réponse du site de l’éditeur n’a pas pu être lue.",
      too_few_items: "Le site de l’éditeur présente moins d’éléments que prévu.",
      internal: "Un défaut de ce service a empêché la consultation.",
      overdue: "La consultation était prévue, mais n’a pas eu lieu.",
    },
  },
};
