// The languages of pages and mails.

/** Languages of pages and mails, as canonical BCP 47 tags, in the order of the language menu. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt-BR', 'pl', 'tr', 'ja', 'ar'] as const;

export type Language = (typeof LANGUAGES)[number];
