// The demo's publishers: three invented bodies and what they publish, in three languages and three feed formats.

/** A publication as its publisher holds it. */
export interface Publication {
  id: string;
  title: string;
  summary: string;
  /** Days before today. */
  daysAgo: number;
}

/** An invented official body with one feed. */
export interface Publisher {
  id: string;
  nameEn: string;
  nameDe: string;
  language: "en" | "de" | "fr";
  format: "RSS" | "Atom" | "JSON Feed";
  /** The feed's path. */
  path: string;
  publications: Publication[];
}

const PUBLISHERS: readonly Publisher[] = [
  {
    id: "demo-oversight-board",
    nameEn: "European Algorithm Oversight Board (invented)",
    nameDe: "Europäischer Ausschuss für Algorithmenaufsicht (erfunden)",
    language: "en",
    format: "RSS",
    path: "/board/news.rss",
    publications: [
      {
        id: "board-12",
        title: "Final guidelines on the transparency obligations of Article 50 of the AI Act",
        summary:
          "The guidelines explain how providers mark AI-generated content and how deployers disclose " +
          "deepfakes under Article 50(2) and (4) of the AI Act.",
        daysAgo: 2,
      },
      {
        id: "board-11",
        title: "Public consultation on draft guidelines for high-risk AI systems",
        summary:
          "The Board invites comments on the classification rules of Article 6 of the AI Act and Annex III.",
        daysAgo: 5,
      },
      {
        id: "board-10",
        title: "Opening hours of the visitor centre in summer",
        summary: "The visitor centre is open from nine to five on weekdays.",
        daysAgo: 6,
      },
    ],
  },
  {
    id: "demo-ki-aufsicht",
    nameEn: "Federal Office for AI Supervision (invented)",
    nameDe: "Bundesamt für KI-Aufsicht (erfunden)",
    language: "de",
    format: "Atom",
    path: "/amt/aktuelles.atom",
    publications: [
      {
        id: "amt-7",
        title: "Bußgeld wegen verbotener KI-Praktiken: Bundesamt untersagt Emotionserkennung am Arbeitsplatz",
        summary:
          "Das Bundesamt hat wegen eines Verstoßes gegen Artikel 5 Absatz 1 Buchstabe f der KI-Verordnung " +
          "ein Bußgeld verhängt und den Einsatz des KI-Systems mit sofortiger Wirkung untersagt.",
        daysAgo: 1,
      },
      {
        id: "amt-6",
        title: "Leitfaden zur KI-Kompetenz nach Artikel 4 der KI-Verordnung",
        summary: "Der Leitfaden zeigt, wie Anbieter und Betreiber von KI-Systemen ihr Personal schulen.",
        daysAgo: 9,
      },
    ],
  },
  {
    id: "demo-conseil-ia",
    nameEn: "National Council for AI (invented)",
    nameDe: "Nationaler Rat für KI (erfunden)",
    language: "fr",
    format: "JSON Feed",
    path: "/conseil/feed.json",
    publications: [
      {
        id: "conseil-31",
        title: "Bac à sable réglementaire de l'IA : appel à candidatures",
        summary:
          "Le Conseil ouvre le bac à sable prévu à l'article 57 du règlement sur l'IA aux PME et aux jeunes pousses.",
        daysAgo: 3,
      },
      {
        id: "conseil-30",
        title: "Avis sur les modèles d'IA à usage général présentant un risque systémique",
        summary: "L'avis porte sur les obligations des articles 53 et 55 du règlement sur l'IA.",
        daysAgo: 7,
      },
    ],
  },
];

/** A fresh copy of the publishers, to be revised at will. */
export function samplePublishers(): Publisher[] {
  return structuredClone([...PUBLISHERS]);
}

/** The publication that the demo revises, and its new summary. */
export const REVISION = {
  publisher: "demo-oversight-board",
  publication: "board-12",
  summary: "The guidelines explain how providers mark AI-generated content and how deployers disclose " +
    "deepfakes under Article 50(2) and (4) of the AI Act. They apply from 2 December 2026.",
};

/** A publisher's feed in its format; `origin` is where it is served, `todayMs` what its dates are counted from. */
export function renderFeed(publisher: Publisher, origin: string, todayMs: number): string {
  const items = publisher.publications.map((publication) => ({
    ...publication,
    link: `${origin}/${publication.id}`,
    date: new Date(todayMs - publication.daysAgo * 86_400_000),
  }));
  const { nameEn: name, language } = publisher;
  if (publisher.format === "JSON Feed") {
    return JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: name,
      language,
      items: items.map(({ id, title, summary, link, date }) => ({
        id,
        url: link,
        title,
        content_text: summary,
        date_published: date.toISOString(),
      })),
    });
  }
  if (publisher.format === "Atom") {
    const entries = items.map(({ id, title, summary, link, date }) =>
      `<entry><id>urn:demo:${id}</id><title>${escape(title)}</title><link href="${link}"/>` +
      `<updated>${date.toISOString()}</updated><summary>${escape(summary)}</summary></entry>`
    );
    return `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">` +
      `<id>urn:demo</id><title>${escape(name)}</title>${entries.join("")}</feed>`;
  }
  const rows = items.map(({ id, title, summary, link, date }) =>
    `<item><guid isPermaLink="false">${id}</guid><title>${escape(title)}</title><link>${link}</link>` +
    `<pubDate>${date.toUTCString()}</pubDate><description>${escape(summary)}</description></item>`
  );
  return `<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>${escape(name)}</title>` +
    `<link>${origin}</link><language>${language}</language>${rows.join("")}</channel></rss>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
