// Texts of the demo in every language of the service.
import type { Language } from '#lib/settings/languages.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { pl } from './pl.ts';
import { ptBr } from './pt-br.ts';
import { tr } from './tr.ts';

type Group = keyof typeof en;
export type DemoTexts = { readonly [Name in Group]: Readonly<Record<keyof (typeof en)[Name], string>> };
export const DEMO_TEXTS: Readonly<Record<Language, DemoTexts>> = {
  en,
  de,
  fr,
  es,
  it,
  'pt-BR': ptBr,
  pl,
  tr,
  ja,
  ar,
};
