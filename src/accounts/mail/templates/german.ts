// The emails in German.
import type { MailTexts } from "./template.ts";

const COUNTER = "Sie haben {used} von {limit} verbraucht. Der Zähler wird am {resetsAtMs} zurückgesetzt.";

export const GERMAN: MailTexts = {
  mails: {
    welcome: [
      "Ihr API-Schlüssel",
      "Willkommen! Dies ist Ihr API-Schlüssel. Er steht nur in dieser E-Mail und lässt sich nicht wiederherstellen. Bewahren Sie ihn wie ein Passwort auf.",
      "{key}",
      "Ihre erste Anfrage:",
      "{firstRequest}",
      "In Ihren eigenen Programmen senden Sie den Schlüssel in diesem Header:",
      "{keyHeader}",
      "Die Dokumentation finden Sie unter {publicUrl}/docs. Ihr Tarif ist {tier}: {limits}.",
      "Falls Sie diese E-Mail mehrmals erhalten haben, gilt der Schlüssel aus der neuesten. Wenn Sie den Schlüssel verlieren, schreiben Sie uns, und wir ersetzen ihn.",
    ],
    "key-rotated": [
      "Ihr API-Schlüssel wurde ersetzt",
      "Wir haben Ihren API-Schlüssel „{label}“ ersetzt. Der alte Schlüssel ist nicht mehr gültig. Der neue endet auf {lastFour}; Sie erhalten ihn auf anderem Weg.",
      "Falls Sie das nicht veranlasst haben, schreiben Sie uns bitte.",
    ],
    "key-expiring": [
      "Ihr API-Schlüssel wurde ersetzt",
      "Wir haben Ihren API-Schlüssel „{label}“ ersetzt. Der neue endet auf {lastFour}; Sie erhalten ihn auf anderem Weg.",
      "Der alte Schlüssel ist bis zum {oldUntilMs} gültig. Bitte stellen Sie vorher auf den neuen Schlüssel um.",
      "Falls Sie das nicht veranlasst haben, schreiben Sie uns bitte.",
    ],
    "payment-failed": [
      "Ihre Zahlung ist fehlgeschlagen",
      "Wir konnten Ihre letzte Zahlung nicht einziehen. Ihr Zugang bleibt bis zum {accessUntilMs} bestehen. Bitte prüfen Sie bis dahin Ihr Zahlungsmittel.",
    ],
    "access-suspended": [
      "Ihr Zugang ist beendet",
      "Wir konnten eine fällige Zahlung nicht einziehen, und Ihr Zugang ist beendet. Es geht nichts verloren: Ereignisse für Ihre Webhooks werden zurückgehalten, und sobald die Zahlung eingeht, läuft alles weiter.",
    ],
    "access-ended": [
      "Ihr Abonnement ist beendet",
      "Ihr kostenpflichtiges Abonnement und damit Ihr Zugang endeten am {endedAtMs}. Ihr Schlüssel ist nicht mehr gültig, und Ereignisse für Ihre Webhooks werden zurückgehalten. Ihr Konto und Ihre Webhooks bleiben erhalten.",
      "Wenn Sie mit demselben Konto beim Zahlungsdienst erneut ein Abonnement abschließen, gilt Ihr Schlüssel wieder, und die zurückgehaltenen Ereignisse werden zugestellt. Falls Sie das Abonnement nicht selbst beendet haben oder Ihre Daten löschen lassen möchten, schreiben Sie uns bitte.",
    ],
    "tier-changed": [
      "Ihr Tarif ist jetzt {after}",
      "Ihr Tarif wurde von {before} auf {after} geändert: {limits}.",
      "{held}",
      "{returned}",
    ],
    "subscriptions-held": [
      "Einige Ihrer Webhooks sind angehalten",
      "Ihr Limit beträgt jetzt {activeSubscriptions}, aber Sie haben mehr.",
      "{held}",
    ],
    "delivery-warning": [
      "Zustellungen an Ihren Webhook schlagen fehl",
      "Seit dem {failingSinceMs} ist keine Zustellung an {host} ({subscriptionId}) gelungen.{lastError}",
      "Wenn bis zum {disabledAtMs} keine Zustellung gelingt, wird das Abonnement deaktiviert. Seine Ereignisse werden dann zurückgehalten und gehen nicht verloren.",
    ],
    "delivery-disabled": [
      "Ihr Webhook wurde deaktiviert",
      "Seit dem {failingSinceMs} ist keine Zustellung an {host} ({subscriptionId}) gelungen.{lastError} Das Abonnement wurde am {disabledAtMs} deaktiviert.",
      `Seine Ereignisse werden zurückgehalten. Aktivieren Sie es mit PATCH /v1/subscriptions/{subscriptionId} und {"enabled": true}. Falls das Abonnement eigene Header hat, sind auch deren Werte verloren: Ergänzen Sie diese PATCH-Anfrage um "headers". Die Ereignisse werden dann zugestellt, die ältesten zuerst.`,
    ],
    "key-lost": [
      "Ihr Webhook braucht ein neues Geheimnis",
      "Wir haben den Schlüssel verloren, mit dem das Signaturgeheimnis für Zustellungen an {host} ({subscriptionId}) verschlüsselt ist. Niemand sonst hat dieses Geheimnis, aber wir können damit nicht mehr signieren. Das Abonnement wurde deshalb am {disabledAtMs} deaktiviert.",
      `Seine Ereignisse werden zurückgehalten. Fordern Sie mit POST /v1/subscriptions/{subscriptionId}/rotate-secret ein neues Geheimnis an, tragen Sie es in Ihrem Empfänger ein und aktivieren Sie das Abonnement mit PATCH /v1/subscriptions/{subscriptionId} und {"enabled": true}. Die Ereignisse werden dann zugestellt, die ältesten zuerst.`,
    ],
    "quota-80": ["80 % {noun} verbraucht", COUNTER, "{consequence}"],
    "quota-100": ["100 % {noun} verbraucht", COUNTER, "{consequence}"],
    "held-full": [
      "Ihr Limit für zurückgehaltene Zustellungen ist erreicht",
      "Es werden {limit} Webhook-Zustellungen für Sie zurückgehalten; das ist das Limit Ihres Tarifs. Seit dem {sinceMs} werden für Abonnements mit zurückgehaltenen Zustellungen keine weiteren angelegt.",
      "Es geht kein Ereignis verloren. Sobald die zurückgehaltenen Zustellungen gesendet sind, laufen diese Abonnements automatisch mit dem ersten Ereignis weiter, das ihnen fehlt. Die zurückgehaltenen Zustellungen werden am {resetsAtMs} mit dem Kontingent des nächsten Monats gesendet oder schon vorher, wenn Sie in einen höheren Tarif wechseln. Zustellungen deaktivierter Abonnements werden gesendet, sobald Sie diese aktivieren.",
      "GET /v1/subscriptions nennt diese Abonnements: Der Grund in catch_up ist held_full.",
    ],
    "sign-in": [
      "Ihr Anmeldelink",
      "Öffnen Sie diesen Link, um sich in der Konsole anzumelden. Er lässt sich nur einmal verwenden und ist bis zum {expiresAtMs} gültig.",
      "{link}",
      "Falls Sie diesen Link nicht angefordert haben, ignorieren Sie diese E-Mail. Ohne den Link kann sich niemand anmelden.",
    ],
  },
  limits: {
    apiRequestsPerDay: ["Anfrage pro Tag", "Anfragen pro Tag"],
    webhookDeliveriesPerMonth: ["Webhook-Zustellung pro Monat", "Webhook-Zustellungen pro Monat"],
    activeSubscriptions: ["aktives Abonnement", "aktive Abonnements"],
  },
  quotas: {
    deliveries: {
      noun: "der Webhook-Zustellungen dieses Monats",
      consequence:
        "Weitere Ereignisse werden bis dahin zurückgehalten und danach zugestellt. Mit einem höheren Tarif werden sie sofort zugestellt.",
    },
    requests: {
      noun: "der heutigen Anfragen",
      consequence:
        "Weitere Anfragen werden bis dahin mit dem Status 429 abgelehnt. Ein höherer Tarif erlaubt mehr Anfragen.",
    },
  },
  held:
    "Die folgenden Abonnements überschreiten Ihr Limit. Sie sind angehalten, und ihre Ereignisse werden zurückgehalten; es geht nichts verloren. Sie laufen automatisch weiter, die ältesten zuerst, wenn Sie ein anderes Abonnement löschen oder deaktivieren oder in einen höheren Tarif wechseln:",
  returned:
    "Die folgenden Abonnements waren angehalten und sind wieder aktiv. Ihre zurückgehaltenen Ereignisse werden jetzt zugestellt:",
  lastError: " Letzter Fehler: {problem}.",
  contact: "Fragen? Schlüssel verloren? Schreiben Sie an {support}",
  disclaimer:
    "Die gelieferten Inhalte dienen nur der Information und sind keine Rechtsberatung. Maßgeblich sind allein die amtlichen Veröffentlichungen.",
};
