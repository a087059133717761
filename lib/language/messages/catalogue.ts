// The catalogue of texts. Every language must have the same texts as the English file.
import type { Language } from '#lib/settings/languages.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { pl } from './pl.ts';
import { ptBR } from './pt-br.ts';
import { tr } from './tr.ts';
import type { Messages } from './types.ts';

export const CATALOGUE: Readonly<Record<Language, Messages>> = {
  en,
  de,
  fr,
  es,
  it,
  'pt-BR': ptBR,
  pl,
  tr,
  ja,
  ar,
};
