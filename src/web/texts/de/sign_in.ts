// German: the texts of the sign-in pages.
import type { signIn as english } from "../en/sign_in.ts";

export const signIn: typeof english = {
  title: "Anmelden",
  again:
    "Ihre Sitzung ist beendet. Melden Sie sich mit Ihrem API-Schlüssel an, um fortzufahren; Ihre Eingaben bleiben erhalten.",
  key: {
    title: "Mit einem API-Schlüssel",
    label: "API-Schlüssel",
    hint: "Er beginnt mit rgf_ und steht in Ihrer Willkommens-E-Mail.",
    submit: "Anmelden",
  },
  email: {
    title: "Mit Ihrer E-Mail-Adresse",
    label: "E-Mail-Adresse",
    hint: "Sie erhalten eine E-Mail mit einem Link, der Sie anmeldet.",
    submit: "Link senden",
  },
  oidc: {
    title: "Single Sign-on",
    text: "Für Betreiber dieses Dienstes.",
    submit: (name) => `Weiter mit ${name}`,
    submitUnnamed: "Weiter mit Single Sign-on",
    failedTitle: "Single Sign-on ist fehlgeschlagen",
    faults: {
      unreachable:
        "Der Anmeldedienst Ihrer Organisation antwortet nicht wie erwartet. Versuchen Sie es in einer Minute noch einmal. Hilft das nicht, nennt das Protokoll von Regfeed die Ursache.",
      cancelled:
        "Der Anmeldedienst Ihrer Organisation hat die Anmeldung abgelehnt, oder sie wurde dort abgebrochen.",
      state:
        "Die Antwort gehört zu keiner Anmeldung, die in den letzten zehn Minuten in diesem Browser begonnen wurde. Beginnen Sie von vorn.",
      code:
        "Der Anmeldedienst Ihrer Organisation hat seinen eigenen Code nicht angenommen; möglicherweise ist er abgelaufen. Beginnen Sie von vorn.",
      signature: "Die Signatur der Antwort ist ungültig. Die Antwort wurde deshalb abgelehnt.",
      issuer:
        "Die Antwort stammt von einem anderen als dem eingerichteten Anmeldedienst und wurde deshalb abgelehnt.",
      audience: "Die Antwort ist für eine andere Anwendung bestimmt und wurde deshalb abgelehnt.",
      nonce:
        "Die Antwort gehört zu einer anderen Anmeldung und wurde deshalb abgelehnt. Beginnen Sie von vorn.",
      expired:
        "Die Antwort ist abgelaufen, oder die Uhren der beiden Dienste weichen voneinander ab. Beginnen Sie von vorn, und vergleichen Sie die Uhren, falls das nicht hilft.",
      token:
        "Die Antwort ist ungültig und wurde deshalb abgelehnt. Das Protokoll von Regfeed nennt die Ursache.",
      not_operator:
        "Sie sind bei Ihrer Organisation angemeldet, gehören aber nicht zu den Betreibern dieses Dienstes. Bitten Sie den Administrator, Sie in eine Betreibergruppe aufzunehmen.",
    },
  },
  operatorHint: "Betreiben Sie diesen Dienst? Dieser Befehl gibt einen Link aus, der Sie anmeldet:",
  problems: {
    unknown: "Kein Kunde hat diesen API-Schlüssel. Prüfen Sie, ob Sie ihn vollständig kopiert haben.",
    replaced:
      "Dieser API-Schlüssel wurde ersetzt oder gesperrt. Verwenden Sie Ihren neuesten Schlüssel, oder bitten Sie den Betreiber um einen.",
    unpaid:
      "Der Schlüssel ist gültig, aber Ihr Zugang ist beendet, weil eine Zahlung fehlt. Sobald Sie zahlen, haben Sie wieder Zugang.",
    disabled:
      "Der Schlüssel ist gültig, aber der Betreiber hat Ihren Zugang gesperrt. Wenden Sie sich an den Betreiber.",
    limited:
      "Zu viele Versuche aus Ihrem Netz. Warten Sie eine Minute, und versuchen Sie es dann noch einmal.",
    email: "Das ist keine E-Mail-Adresse. Geben Sie eine Adresse wie ana@example.org ein.",
  },
  requested: {
    title: "Prüfen Sie Ihren Posteingang",
    text: (email) =>
      `Falls ein Kunde dieses Dienstes die E-Mail-Adresse ${email} hat, ist ein Link dorthin unterwegs.`,
    next:
      "Der Link ist 15 Minuten lang gültig und lässt sich nur einmal verwenden. Kommt keine E-Mail an, prüfen Sie den Spam-Ordner und die Schreibweise.",
  },
  resumeTitle: "Sie sind angemeldet",
  resumeText: "Ihre Eingaben sind erhalten. Fahren Sie fort, um sie zu prüfen und abzusenden.",
  signedOut: "Sie sind abgemeldet.",
  link: {
    title: "Anmelden",
    customer: "Dieser Link meldet Sie in der Konsole an.",
    operator: (name) => `Dieser Link meldet Sie als Betreiber ${name} an.`,
    submit: "Anmelden",
    invalidTitle: "Dieser Link ist nicht mehr gültig",
    invalidText:
      "Ein Link ist 15 Minuten lang gültig und lässt sich nur einmal verwenden. Dieser wurde möglicherweise schon verwendet oder ist abgelaufen.",
    again: "Erneut anmelden",
  },
  sessions: {
    title: "Sitzungen",
    lead:
      "Hier sind Sie angemeldet. Eine Sitzung endet nach 12 Stunden ohne Nutzung und spätestens nach 7 Tagen.",
    operatorLead:
      "Hier sind Betreiber angemeldet. Eine Sitzung endet nach 12 Stunden ohne Nutzung und spätestens nach 7 Tagen.",
    columns: {
      device: "Gerät",
      operator: "Betreiber",
      method: "Angemeldet mit",
      address: "IP-Adresse",
      signedIn: "Begonnen",
      lastSeen: "Zuletzt genutzt",
      end: "Beenden",
    },
    methods: { key: "API-Schlüssel", link: "Einmaliger Anmeldelink", oidc: "Single Sign-on" },
    current: "diese",
    unknownDevice: "Unbekanntes Gerät",
    endOf: (device) => `Sitzung beenden: ${device}`,
    endOthers: "Alle meine anderen Sitzungen beenden",
    ended: (count) =>
      count === 0
        ? "Es gab keine andere Sitzung zu beenden."
        : count === 1
        ? "1 Sitzung wurde beendet."
        : `${count} Sitzungen wurden beendet.`,
  },
};
