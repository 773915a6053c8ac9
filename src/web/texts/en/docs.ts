// English: the texts of the docs pages.

export const docs = {
  navigation: "Documentation",
  search: "Search the documentation",
  searchHeading: "Search",
  searchTitle: (query: string): string => query === "" ? "Search" : `Search: ${query}`,
  searchHint: "Type words, parameters, fields or error codes.",
  resultCount: (count: number, query: string): string =>
    count === 0
      ? `Nothing was found for “${query}”. Try fewer or other words.`
      : `${count} ${count === 1 ? "section" : "sections"} for “${query}”, the best first`,
  contents: "Contents",
  onThisPage: "On this page",
  contentLanguages: {
    en: "This page is in English.",
    de: "This page is in German.",
    fr: "This page is in French.",
  },
  readTranslation: "In English:",
  allGuides: "Guides",
  allOperations: "API operations",
  referenceOverview: "Overview",
  asMarkdown: "This page as Markdown",
  previous: "Previous:",
  next: "Next:",
  groups: {
    start: "Start",
    events: "Events",
    reading: "Reading events",
    receiving: "Receiving events",
    service: "Account and changes",
    reference: "API reference",
  },
};
