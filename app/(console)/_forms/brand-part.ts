// What a person typed about a brand, and the picture that they chose. A field that is left empty is none.

import { toSay } from '../_texts/to-say.ts';
import type { Fields } from './fields.ts';
import type { Outcome } from './form.ts';
import type { Labels } from './labels.ts';

export const BRAND_LABELS = toSay({
  logo: { label: 'Picture of the logo' },
  'brand.accent': { label: 'Accent colour' },
  'brand.accent_dark': { label: 'Colour in the dark' },
}) satisfies Labels;

/** Nothing is stored: the page comes again with what was typed, and shows it. */
export const LOOK: Outcome = { kind: 'confirm' };

export function brandPartOf(fields: Fields) {
  const chosen = fields.files.get('logo');
  const logo = chosen ?? (fields.has('no_logo') ? null : undefined);
  return {
    ...(logo !== undefined && { logo }),
    accent: fields.one('brand.accent').trim(),
    accent_dark: fields.one('brand.accent_dark').trim(),
  };
}
