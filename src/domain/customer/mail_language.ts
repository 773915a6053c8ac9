// The languages of mails.

/** The languages in which mails are written. */
export const MAIL_LANGUAGES = ["en", "de", "fr"] as const;

/** See {@link MAIL_LANGUAGES}. */
export type MailLanguage = typeof MAIL_LANGUAGES[number];
