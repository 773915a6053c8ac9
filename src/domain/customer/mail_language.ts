// The languages of mails.

export const MAIL_LANGUAGES = ["en", "de", "fr"] as const;

export type MailLanguage = typeof MAIL_LANGUAGES[number];
