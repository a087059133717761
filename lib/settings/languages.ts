// The languages of pages and mails.

/** The languages of pages and mails, as canonical tags of BCP 47. The order is that of the list to choose from. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt-BR', 'pl', 'tr', 'ja', 'ar'] as const;

export type Language = (typeof LANGUAGES)[number];
