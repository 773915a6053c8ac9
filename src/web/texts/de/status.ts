// German: the texts of the status pages.
import type { status as english } from "../en/status.ts";

export const status: typeof english = {
  title: "Status",
  asOf: "Stand:",
  state: {
    noSources: "Es sind noch keine Quellen eingerichtet.",
    upToDate: (count, total) =>
      count < total
        ? `${count} von ${total} Quellen ${count === 1 ? "ist" : "sind"} aktuell.`
        : total === 1
        ? "Die einzige Quelle ist aktuell."
        : `Alle ${total} Quellen sind aktuell.`,
    troubled: (count) =>
      count === 1 ? "Bei 1 Quelle besteht ein Problem." : `Bei ${count} Quellen bestehen Probleme.`,
    waiting: (count) =>
      count === 1 ? "1 Quelle wurde noch nicht abgerufen." : `${count} Quellen wurden noch nicht abgerufen.`,
    deliveriesLate: "Zustellungen verzögern sich.",
  },
  conditions: {
    failing: {
      title: "Gestört",
      text: "Der letzte Abruf ist fehlgeschlagen. Er wird automatisch wiederholt.",
    },
    blocked: { title: "Blockiert", text: "Die Website des Herausgebers verweigert oder begrenzt Abrufe." },
    empty: {
      title: "Zu wenige Einträge",
      text: "Die Website des Herausgebers enthält weniger Einträge als erwartet.",
    },
    partial: {
      title: "Unvollständig",
      text: "Nicht vollständig abgerufen; es fehlt zum Beispiel eine Sprachfassung.",
    },
    silent: { title: "Ohne Neues", text: "Planmäßig abgerufen, aber länger als üblich ohne neue Einträge." },
    new: { title: "Noch nicht abgerufen", text: "Der erste Abruf steht noch aus." },
    ok: { title: "Aktuell", text: "Planmäßig abgerufen." },
  },
  since: "Beginn:",
  lastFetched: "Zuletzt abgerufen:",
  lastNew: "Letzter neuer Eintrag:",
  coverage: {
    complete: "Alle Abrufe erfolgreich",
    partly: "Einige Abrufe fehlgeschlagen",
    failed: "Alle Abrufe fehlgeschlagen",
    missed: "Fälliger Abruf ausgeblieben",
    idle: "Kein Abruf fällig",
    before: "Noch keine Quelle",
  },
  legend: (days) => `Jeder Balken steht für einen der letzten ${days} Tage (UTC), heute ganz rechts.`,
  noDays: "Noch keine Abrufe aufgezeichnet",
  completeDays: (complete, total) =>
    total === 1 ? `${complete} von 1 Tag lückenlos` : `${complete} von ${total} Tagen lückenlos`,
  gaps: {
    caption: "Tage mit Lücken",
    columns: {
      days: "Tage",
      coverage: "Abdeckung",
      successes: "Erfolgreiche Abrufe",
      longestGap: "Längste Zeit ohne Abruf",
    },
    successes: (successes, total) => `${successes} von ${total}`,
    more: (count) =>
      count === 1
        ? "1 früherer Zeitraum wird nicht angezeigt."
        : `${count} frühere Zeiträume werden nicht angezeigt.`,
  },
  incidents: {
    current: "Aktuelle Störungen",
    past: "Frühere Störungen",
    none: (days) => `Keine Störungen in den letzten ${days} Tagen.`,
    more: (count) => `Nur die letzten ${count} Störungen werden angezeigt.`,
    feedTitle: "Regfeed: Störungen",
    feedLink: "Störungen als Atom-Feed abonnieren",
    ofSource: (source, title) => `${source}: ${title}`,
    began: "Beginn:",
    ended: "Ende:",
    duration: "Dauer:",
    ongoing: "Die Störung dauert an.",
    kinds: {
      failing: "Abrufe schlagen fehl",
      blocked: "Zugriff blockiert",
      silent: "keine neuen Einträge",
      deliveries_late: "Zustellungen verzögern sich",
      stopped: "Der Dienst lief nicht",
    },
    texts: {
      silent: "Seit längerer Zeit als üblich sind keine neuen Einträge erschienen.",
      deliveries_late: "Zustellungen an funktionierende Empfänger warten seit mehr als einer Stunde.",
      stopped:
        "In dieser Zeit wurde nichts abgerufen oder zugestellt. Danach wurden Abrufe und Zustellungen fortgesetzt.",
    },
    causes: {
      refused: "Die Website des Herausgebers verweigert oder begrenzt Abrufe.",
      timeout: "Die Website des Herausgebers antwortete nicht rechtzeitig.",
      connection: "Die Verbindung zur Website des Herausgebers ist fehlgeschlagen.",
      http_error: "Die Website des Herausgebers antwortete mit einem Fehler.",
      unreadable: "Die Antwort der Website des Herausgebers war nicht lesbar.",
      too_few_items: "Die Website des Herausgebers enthält weniger Einträge als erwartet.",
      internal: "Ein Fehler in diesem Dienst verhinderte den Abruf.",
      overdue: "Der Abruf war fällig, fand aber nicht statt.",
    },
  },
};
