// German: the texts of the docs pages.
import type { docs as english } from "../en/docs.ts";

export const docs: typeof english = {
  navigation: "Dokumentation",
  search: "Dokumentation durchsuchen",
  searchHeading: "Suche",
  searchTitle: (query) => query === "" ? "Suche" : `Suche: ${query}`,
  searchHint: "Geben Sie Wörter, Parameter, Felder oder Fehlercodes ein (auf Englisch).",
  resultCount: (count, query) =>
    count === 0
      ? `Zu „${query}“ wurde nichts gefunden. Versuchen Sie es mit weniger oder anderen Wörtern, auf Englisch.`
      : `${count} ${count === 1 ? "Abschnitt" : "Abschnitte"} zu „${query}“, die besten zuerst`,
  contents: "Inhalt",
  onThisPage: "Auf dieser Seite",
  contentLanguages: {
    en: "Diese Seite liegt auf Englisch vor.",
    de: "Diese Seite liegt auf Deutsch vor.",
    fr: "Diese Seite liegt auf Französisch vor.",
  },
  readTranslation: "Auf Deutsch:",
  allGuides: "Anleitungen",
  allOperations: "Operationen der API",
  referenceOverview: "Überblick",
  asMarkdown: "Diese Seite als Markdown",
  previous: "Zurück:",
  next: "Weiter:",
  groups: {
    start: "Einstieg",
    events: "Ereignisse",
    reading: "Ereignisse abrufen",
    receiving: "Ereignisse empfangen",
    service: "Konto und Änderungen",
    reference: "API-Referenz",
  },
};
