// French: the texts of the docs pages.
import type { docs as english } from "../en/docs.ts";

export const docs: typeof english = {
  navigation: "Documentation",
  search: "Rechercher dans la documentation",
  searchHeading: "Recherche",
  searchTitle: (query) => query === "" ? "Recherche" : `Recherche : ${query}`,
  searchHint: "Saisissez des mots, des paramètres, des champs ou des codes d’erreur (en anglais).",
  resultCount: (count, query) =>
    count === 0
      ? `Aucun résultat pour « ${query} ». Essayez avec moins de mots ou d’autres mots, en anglais.`
      : `${count} ${count === 1 ? "section" : "sections"} pour « ${query} », les plus pertinentes d’abord`,
  contents: "Sommaire",
  onThisPage: "Sur cette page",
  contentLanguages: {
    en: "Cette page est rédigée en anglais.",
    de: "Cette page est rédigée en allemand.",
    fr: "Cette page est rédigée en français.",
  },
  readTranslation: "En français :",
  allGuides: "Tous les guides",
  allOperations: "Opérations de l’API",
  referenceOverview: "Vue d’ensemble",
  asMarkdown: "Cette page en Markdown",
  previous: "Précédent :",
  next: "Suivant :",
  groups: {
    start: "Premiers pas",
    events: "Événements",
    reading: "Lire les événements",
    receiving: "Recevoir les événements",
    service: "Compte et modifications",
    reference: "Référence de l’API",
  },
};
