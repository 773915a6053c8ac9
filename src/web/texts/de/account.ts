// German: the texts of the pages about usage and keys.
import type { account as english } from "../en/account.ts";

export const account: typeof english = {
  usage: {
    title: "Nutzung",
    tier: (name) => `Ihr Tarif ist ${name}. Tage und Monate richten sich nach UTC.`,
    today: "Heute",
    month: "Dieser Monat",
    requests: "API-Anfragen",
    deliveries: "Webhook-Zustellungen",
    subscriptions: "Aktive Abonnements",
    tests: "Testzustellungen",
    replays: "Erneute Zustellungen",
    backfills: "Abonnements mit gespeicherten Ereignissen",
    of: (used, limit) => `${used} von ${limit}`,
    renews: (when) => `Wird ${when} zurückgesetzt`,
    held: (count, limit) =>
      `${count} von höchstens ${limit} Zustellungen werden zurückgehalten. Keine geht verloren; sie werden gesendet, sobald der Grund entfällt.`,
    noQuota: "Die Seiten der Konsole zählen nicht als API-Anfragen.",
    last30: "Die letzten 30 Tage",
    requestsPerDay: "API-Anfragen pro Tag",
    deliveriesPerDay: "Erfolgreiche Zustellungen pro Tag",
    day: "Tag",
  },
  keys: {
    title: "API-Schlüssel",
    lead:
      "Mit diesen Schlüsseln weisen sich Programme aus. Alle haben Zugriff auf dieselben Abonnements und teilen sich Ihre Limits.",
    label: "Bezeichnung",
    ending: "Endet auf",
    created: "Ausgestellt",
    lastUsed: "Zuletzt verwendet",
    validUntil: "Gültig bis",
    state: "Zustand",
    never: "Nie",
    noEnd: "Unbefristet",
    unlabelled: "Vom Betreiber festgelegt",
    states: { valid: "Gültig", expiring: "Wird ersetzt", disabled: "Gesperrt" },
    operatorOnly: "Nur der Betreiber stellt Schlüssel aus, ersetzt sie und sperrt sie",
    ask:
      "Wenden Sie sich an den Betreiber und nennen Sie die Bezeichnung oder die letzten vier Zeichen, niemals den Schlüssel selbst:",
    askNew:
      "weiterer Schlüssel, zum Beispiel für ein zweites Programm: Nennen Sie die gewünschte Bezeichnung;",
    askRotate:
      "Ersatz eines Schlüssels: Der alte bleibt für eine vereinbarte Übergangszeit gültig, sodass nichts unterbrochen wird;",
    askDisable:
      "Sperrung: Wenn jemand anderes einen Schlüssel gesehen haben könnte, bitten Sie um sofortige Sperrung.",
    contact: "Kontakt zum Betreiber",
    guide: "Über Ihr Konto (auf Englisch)",
    empty: "Sie haben keine Schlüssel.",
  },
};
