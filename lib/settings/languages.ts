// DEFAULT_LANGUAGE and SERVICE_NAME: what people read.
import { z } from 'zod';

/** The languages of pages and mails, as canonical tags of BCP 47. The order is that of the list to choose from. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt-BR', 'pl', 'tr', 'ja', 'ar'] as const;

export type Language = (typeof LANGUAGES)[number];

export const languageSettings = {
  DEFAULT_LANGUAGE: z.enum(LANGUAGES, { error: `must be one of ${LANGUAGES.join(', ')}` }).default('en'),
  SERVICE_NAME: z
    .string()
    .regex(/^(?=.*\S)[^\p{Cc}]{1,60}$/u, 'must be a name of at most 60 characters')
    .default('Gatehouse'),
};
