// The catalogue: every language has what the English file has.
import type { Language } from '#lib/settings/index.ts';
import { ar } from './ar/index.ts';
import { de } from './de/index.ts';
import { en } from './en/index.ts';
import { es } from './es/index.ts';
import { fr } from './fr/index.ts';
import { it } from './it/index.ts';
import { ja } from './ja/index.ts';
import { pl } from './pl/index.ts';
import { ptBR } from './pt-br/index.ts';
import { tr } from './tr/index.ts';
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
