// German: the texts of the pages about subscriptions and their deliveries.
import type { subscriptions as english } from "../en/subscriptions.ts";

export const subscriptions: typeof english = {
  title: "Abonnements",
  lead: "Ein Abonnement sendet jedes neue Ereignis, das seinen Filtern entspricht, an eine URL Ihrer Wahl.",
  create: "Neues Abonnement",
  edit: "Bearbeiten",
  guide: "So empfangen Sie Webhooks",
  back: "Alle Abonnements",
  count: {
    one: (count) => `${count} Abonnement`,
    other: (count) => `${count} Abonnements`,
  },
  active: (active, limit) => `${active} von ${limit} aktiv`,
  empty: {
    title: "Noch keine Abonnements",
    text:
      "Legen Sie eines an, und Ihr Empfänger erhält jedes neue Ereignis innerhalb von Sekunden, signiert und in der richtigen Reihenfolge.",
    noMatch: "Kein Abonnement entspricht der Suche",
    noMatchText: "Ändern Sie die Suchwörter oder den Zustand.",
  },
  list: {
    search: "Name oder URL",
    state: "Zustand",
    anyState: "Jeder Zustand",
    subscription: "Abonnement",
    filters: "Filter",
    health: "Empfang",
    deliveries: "Wartend",
  },
  states: {
    active: "Aktiv",
    failing: "Gestört",
    paused: "Pausiert",
    gone: "Gestoppt: URL aufgegeben",
    stopped: "Gestoppt: dauerhaft gestört",
    lost: "Gestoppt: Geheimnis verloren",
    tier: "Durch Ihren Tarif angehalten",
  },
  advice: {
    active: "Neue Ereignisse werden gesendet, sobald sie eintreffen.",
    failing:
      "Die letzten Versuche sind fehlgeschlagen. Regfeed versucht es weiter und sendet alles, sobald der Empfänger wieder antwortet.",
    paused:
      "Sie haben dieses Abonnement pausiert. Seine Zustellungen werden zurückgehalten, bis Sie es aktivieren.",
    gone:
      "Der Empfänger hat mit 410 Gone geantwortet. Prüfen Sie die URL und aktivieren Sie dann das Abonnement.",
    stopped:
      "Zustellungen an den Empfänger schlagen seit Tagen fehl. Beheben Sie den Fehler, senden Sie einen Test und aktivieren Sie dann das Abonnement.",
    lost:
      "Der Dienst hat das Geheimnis dieses Abonnements verloren. Erneuern Sie das Geheimnis und aktivieren Sie dann das Abonnement.",
    tier:
      "Ihr Tarif erlaubt weniger aktive Abonnements. Dieses wird automatisch aktiviert, sobald ein Platz frei ist.",
  },
  health: {
    lastSuccess: "Letzter Erfolg",
    never: "Noch keiner",
    failingSince: "Beginn der Störung",
    pending: "Ausstehend",
    held: "Zurückgehalten",
    pendingCount: (count) => `${count} ausstehend`,
    heldCount: (count) => `${count} zurückgehalten`,
    nothingWaits: "Nichts",
    catchUp: "Nachholen",
    backfill: "Gespeicherte Ereignisse werden zuerst zugestellt.",
    heldFull:
      "Die Höchstzahl zurückgehaltener Zustellungen war erreicht. Die fehlenden Ereignisse folgen; keines geht verloren.",
    isPaused:
      "Das Nachholen geht weiter, sobald wieder Kontingent frei ist oder das Abonnement aktiviert wird.",
  },
  facts: {
    title: "Einstellungen",
    id: "ID",
    created: "Angelegt",
    url: "URL",
    language: "Sprache der Texte",
    headers: "Eigene Header",
    hiddenValues: "Werte verborgen",
    note: "Notiz",
  },
  words: {
    everything: "Jedes Ereignis",
    without: (filters) => `Ohne: ${filters}`,
  },
  form: {
    newTitle: "Neues Abonnement",
    editTitle: (name) => `${name} bearbeiten`,
    url: "URL",
    urlHint: "Die URL, die die Ereignisse empfängt: https auf einem öffentlichen Host",
    filters: "Filter",
    filtersHint:
      "Ohne Filter wird jedes Ereignis gesendet. Alle Filter müssen zutreffen; innerhalb einer Liste genügt ein Wert.",
    words: "Wörter",
    wordsHint: "Alle diese Wörter in Titel oder Zusammenfassung; auch Wort* und „eine Wortgruppe“",
    exclusions: "Ausschließen",
    exclusionsHint:
      "Ereignisse, auf die einer dieser Werte zutrifft, werden nicht gesendet, auch wenn sie den Filtern entsprechen.",
    excludedWords: "Auszuschließende Wörter",
    presentation: "Darstellung",
    name: "Name",
    note: "Notiz",
    language: "Sprache von Titel und Zusammenfassung",
    languageHint: "Sofern das Ereignis sie hat, sonst Englisch",
    headers: "Eigene Header",
    headersHint:
      "Einer pro Zeile, zum Beispiel Authorization: Bearer abc. Die Werte werden verschlüsselt gespeichert und nie wieder angezeigt.",
    keepHeaders: (names) =>
      `Derzeit: ${names}. Lassen Sie das Feld leer, um sie zu behalten. Geben Sie sie bei einer neuen URL erneut ein.`,
    removeHeaders: "Alle Header entfernen",
    advanced: "Weitere Einstellungen",
    backfill: "Auch gespeicherte Ereignisse senden ab",
    backfillHint:
      "Sie kommen zuerst und zählen zu den Zustellungen dieses Monats. Lassen Sie das Feld leer, um nur neue Ereignisse zu erhalten.",
    create: "Abonnement anlegen",
    check: "Prüfen und Vorschau anzeigen",
    save: "Änderungen speichern",
    atLimit: (limit) =>
      `Ihr Tarif erlaubt ${limit} aktive Abonnements, und alle sind vergeben. Pausieren oder löschen Sie eines, bevor Sie ein weiteres anlegen.`,
    badHeader: (line) => `Zeile ${line} muss die Form Name: Wert haben`,
    twice: (name) => `${name} ist doppelt angegeben`,
  },
  check: {
    title: "Prüfung und Vorschau",
    urlGood: "Diese URL kann Webhooks empfangen. Senden Sie einen Test, sobald das Abonnement angelegt ist.",
    urlMissing: "Geben Sie eine URL ein, um sie zu prüfen.",
    perWeek: {
      one: (count) => `Etwa ${count} Ereignis pro Woche entspricht diesen Filtern.`,
      other: (count) => `Etwa ${count} Ereignisse pro Woche entsprechen diesen Filtern.`,
    },
    perMonth: {
      one: (count) => `Etwa ${count} Ereignis in vier Wochen entspricht diesen Filtern.`,
      other: (count) => `Etwa ${count} Ereignisse in vier Wochen entsprechen diesen Filtern.`,
    },
    none: "In den letzten vier Wochen hat kein Ereignis diesen Filtern entsprochen.",
    last: "Die letzten:",
    invalid: "Die Filter sind ungültig, daher gibt es keine Vorschau.",
  },
  secret: {
    created: "Abonnement angelegt",
    rotated: "Neues Geheimnis",
    title: "Geheimnis",
    once:
      "Kopieren Sie das Geheimnis jetzt. Es wird nur einmal angezeigt; Ihr Empfänger prüft damit jede Zustellung.",
    next: "Als Nächstes: Tragen Sie das Geheimnis bei Ihrem Empfänger ein und senden Sie einen Test.",
    open: "Abonnement öffnen",
    until: (time) =>
      `Das alte Geheimnis signiert bis ${time}. Bis dahin trägt jede Zustellung beide Signaturen, sodass Sie Ihren Empfänger ohne Verlust umstellen können.`,
    noOld: "Das alte Geheimnis signiert nicht mehr.",
    rotate: "Geheimnis erneuern",
    rotateTitle: "Geheimnis erneuern?",
    rotateText: "Sie erhalten ein neues Geheimnis. Das alte signiert noch 24 Stunden lang mit.",
    about:
      "Zustellungen sind signiert. Erneuern Sie das Geheimnis, wenn jemand anderes es gesehen haben könnte.",
  },
  acts: {
    pause: "Pausieren",
    enable: "Aktivieren",
    delete: "Löschen",
    deleteTitle: "Dieses Abonnement löschen?",
    deleteText:
      "Es wird nichts mehr gesendet, und ausstehende und zurückgehaltene Zustellungen werden abgebrochen. Das lässt sich nicht rückgängig machen.",
    paused: "Das Abonnement ist pausiert. Seine Zustellungen werden zurückgehalten.",
    enabled:
      "Das Abonnement ist aktiviert. Zuerst wird eine Zustellung versucht; gelingt sie, folgen die anderen.",
    saved: "Die Änderungen sind gespeichert. Sie gelten für neue Ereignisse.",
    deleted: "Das Abonnement ist gelöscht.",
    sent: "Die ausstehenden Zustellungen werden jetzt gesendet.",
    replayed: "Die Zustellung wird erneut gesendet.",
    sentOne: "Die Zustellung wird jetzt gesendet.",
  },
  test: {
    title: "Test senden",
    text:
      "Sendet ein Beispiel mit dem Schweregrad „Info“ an die URL, auch wenn das Abonnement pausiert ist. Tests zählen nicht zu Ihren Zustellungen.",
    type: "Beispiel",
    types: {
      "event.test": "Testnachricht",
      "event.published": "Neue Veröffentlichung",
      "event.revised": "Geänderte Veröffentlichung mit den Änderungen",
    },
    send: "Test senden",
    good: (status, duration) =>
      `Der Test ist angekommen: Der Empfänger hat nach ${duration} mit ${status} geantwortet.`,
    bad: (duration) => `Der Test ist nicht angekommen (${duration}):`,
  },
  sendNow: {
    title: "Ausstehende Zustellungen senden",
    text:
      "Für einen Empfänger, der wieder antwortet: Versucht alle ausstehenden Zustellungen sofort statt beim nächsten geplanten Versuch.",
    send: "Jetzt senden",
  },
  replay: {
    title: "Zeitraum erneut senden",
    text:
      "Für einen Empfänger, der Daten verloren hat: Sendet die Ereignisse eines Zeitraums mit denselben IDs erneut, dazu diejenigen, die nie gesendet wurden.",
    since: "Von",
    until: "Bis",
    untilHint: "Dieser Tag zählt mit",
    send: "Erneut senden",
    result: (again, created) => `Erneut gesendete Zustellungen: ${again}. Neue Zustellungen: ${created}.`,
    held: (count) =>
      `${count} davon werden zurückgehalten, weil die Zustellungen dieses Monats aufgebraucht sind.`,
    more: "Der Zeitraum enthält weitere Ereignisse.",
    continue: "Mit den weiteren Ereignissen fortfahren",
  },
  log: {
    title: "Zustellungen",
    all: "Alle",
    event: "Ereignis",
    created: "Angelegt",
    none: "Noch keine Zustellungen",
    noneText:
      "Zustellungen erscheinen hier, sobald ein Ereignis den Filtern entspricht. Tests werden nicht aufgeführt.",
    noneOfStatus: "Keine Zustellungen mit diesem Status",
    noneOfStatusText: "Wählen Sie einen anderen Status.",
    removedEvent: "Ereignis",
  },
  delivery: {
    title: "Zustellung",
    event: "Ereignis",
    type: "Ereignisart",
    sequence: "Laufende Nummer",
    reason: "Grund",
    created: "Angelegt",
    next: "Nächster Versuch",
    delivered: "Zugestellt",
    finished: "Abgeschlossen",
    replay: "Erneut senden",
    sendNow: "Jetzt senden",
    replayText: "Sendet dieselben Bytes mit derselben ID noch einmal.",
    attempts: "Versuche",
    noAttempts: "Noch kein Versuch, oder die Versuche werden nicht mehr aufbewahrt.",
    attempt: (number) => `Versuch ${number}`,
    noResponse: "Keine Antwort",
    after: (duration) => `nach ${duration}`,
    response: "Antwort",
    emptyResponse: "Die Antwort enthielt keinen Text.",
    request: "Anfrage",
    requestText: "Jeder Versuch sendet diese Header und diesen Inhalt an die URL des Abonnements.",
    header: "Header",
    value: "Wert",
    timestamp: "Unix-Sekunden, bei jedem Versuch neu",
    signature: "v1,… bei jedem Versuch berechnet, nicht gespeichert",
    hidden: "verborgen",
    body: "Inhalt wie gesendet",
    bodyGone: "Der Inhalt wird nicht mehr aufbewahrt.",
    bodyCut: (size) => `Der Anfang von ${size}.`,
    download: "Ganzen Inhalt herunterladen",
  },
  refusals: {
    subscription_limit_reached:
      "Die Höchstzahl aktiver Abonnements Ihres Tarifs ist erreicht. Pausieren oder löschen Sie eines, oder bitten Sie den Betreiber um einen höheren Tarif.",
    backfill_limit_reached:
      "Die Abonnements mit gespeicherten Ereignissen sind für heute aufgebraucht. Lassen Sie das Datum leer oder versuchen Sie es morgen (UTC) erneut.",
    duplicate_subscription: "Sie haben bereits ein aktives Abonnement mit dieser URL und diesen Filtern.",
    test_limit_reached:
      "Die Tests sind für heute aufgebraucht. Versuchen Sie es morgen (UTC) erneut oder bitten Sie den Betreiber um einen höheren Tarif.",
    replay_limit_reached:
      "Damit wäre die heutige Höchstzahl erneuter Zustellungen überschritten, daher wurde nichts gesendet. Wählen Sie einen kürzeren Zeitraum, versuchen Sie es morgen (UTC) erneut oder bitten Sie den Betreiber um einen höheren Tarif.",
    held_full:
      "Die Zustellungen dieses Monats sind aufgebraucht, und die Höchstzahl zurückgehaltener Zustellungen ist erreicht. Senden Sie den Zeitraum erneut, sobald die zurückgehaltenen Zustellungen gesendet sind.",
    subscription_disabled: "Das Abonnement ist nicht aktiv. Aktivieren Sie es zuerst.",
    subscription_key_lost:
      "Der Dienst hat das Geheimnis dieses Abonnements verloren. Erneuern Sie zuerst das Geheimnis.",
    delivery_unfinished:
      "Diese Zustellung wartet noch auf den Versand und kann daher noch nicht erneut gesendet werden.",
    delivery_finished: "Diese Zustellung ist abgeschlossen. Senden Sie sie stattdessen erneut.",
    delivery_held:
      "Diese Zustellung wird zurückgehalten. Sie wird automatisch gesendet, sobald der Grund entfällt.",
    delivery_cancelled: "Diese Zustellung wurde abgebrochen, weil ihr Abonnement gelöscht wurde.",
    delivery_removed:
      "Der Inhalt dieser Zustellung wird nicht mehr aufbewahrt und kann daher nicht erneut gesendet werden.",
  },
  openOther: "Dieses öffnen",
};
