// The languages of emails.

export const MAIL_LANGUAGES = ["en", "de", "fr"] as const;

export type MailLanguage = typeof MAIL_LANGUAGES[number];
