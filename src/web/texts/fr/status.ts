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
        ? "1 source n’a pas encore été collectée."
        : `${count} sources n’ont pas encore été collectées.`,
    deliveriesLate: "Des livraisons sont en retard.",
  },
  conditions: {
    failing: {
      title: "En échec",
      text: "La dernière collecte a échoué. Elle est répétée automatiquement.",
    },
    blocked: { title: "Bloquées", text: "Le site de l’éditeur refuse ou limite les requêtes." },
    empty: {
      title: "Trop peu d’éléments",
      text: "Le site de l’éditeur présente moins d’éléments que prévu.",
    },
    partial: { title: "Incomplètes", text: "Collectées à l’exception d’une partie, par exemple une langue." },
    silent: {
      title: "Sans nouveauté",
      text: "Collectées comme prévu, mais sans nouveauté depuis plus longtemps que d’habitude.",
    },
    new: { title: "Pas encore collectées", text: "La première collecte n’a pas encore eu lieu." },
    ok: { title: "À jour", text: "Collectées comme prévu." },
  },
  since: "Début :",
  lastFetched: "Dernière collecte réussie :",
  lastNew: "Dernière nouveauté :",
  coverage: {
    complete: "Toutes les collectes réussies",
    partly: "Certaines collectes en échec",
    failed: "Toutes les collectes en échec",
    missed: "Collecte prévue, non effectuée",
    idle: "Aucune collecte prévue",
    before: "Pas encore une source",
  },
  legend: (days) => `Chaque barre représente l’un des ${days} derniers jours (UTC), aujourd’hui à droite.`,
  noDays: "Aucune collecte enregistrée",
  completeDays: (complete, total) =>
    total === 1
      ? `${complete} jour sur 1 sans lacune`
      : `${complete} ${complete < 2 ? "jour" : "jours"} sur ${total} sans lacune`,
  gaps: {
    caption: "Jours avec lacunes",
    columns: {
      days: "Jours",
      coverage: "Couverture",
      successes: "Collectes réussies",
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
    feedTitle: "Regfeed : incidents",
    feedLink: "Suivre les incidents par un flux Atom",
    ofSource: (source, title) => `${source} : ${title}`,
    began: "Début :",
    ended: "Fin :",
    duration: "Durée :",
    ongoing: "L’incident est en cours.",
    kinds: {
      failing: "échec des collectes",
      blocked: "accès bloqué",
      silent: "aucune nouveauté",
      deliveries_late: "Livraisons en retard",
      stopped: "Le service ne fonctionnait pas",
    },
    texts: {
      silent: "Rien de nouveau n’est paru depuis plus longtemps que d’habitude.",
      deliveries_late: "Des livraisons à des récepteurs qui fonctionnent attendent depuis plus d’une heure.",
      stopped:
        "Rien n’a été collecté ni livré pendant ce temps. Les collectes et les livraisons ont repris ensuite.",
    },
    causes: {
      refused: "Le site de l’éditeur refuse ou limite les requêtes.",
      timeout: "Le site de l’éditeur n’a pas répondu à temps.",
      connection: "La connexion au site de l’éditeur a échoué.",
      http_error: "Le site de l’éditeur a répondu par une erreur.",
      unreadable: "La réponse du site de l’éditeur n’a pas pu être lue.",
      too_few_items: "Le site de l’éditeur présente moins d’éléments que prévu.",
      internal: "Une erreur de ce service a empêché la collecte.",
      overdue: "La collecte était prévue, mais n’a pas eu lieu.",
    },
  },
};
