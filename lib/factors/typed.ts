// Codes as people type them, with the spaces and dashes that they were shown in or that a phone puts in, and names.
import { readableLine } from '#lib/kit/text/readable-text.ts';

/** Spaces, invisible marks, and the dashes of all keyboards. */
const GAPS = /[\s\p{Cf}\p{Pd}\u2212]+/gu;

export const withoutGaps = (typed: string): string => typed.replaceAll(GAPS, '');

/** In groups of four, to be read and typed. */
export const inGroups = (text: string, between: string): string =>
  (text.match(/.{1,4}/g) ?? []).join(between);

const LONGEST_NAME = 60;

/** What a person calls a factor; null: nothing that can be read. */
export const factorName = (given: string): string | null =>
  readableLine([...(readableLine(given) ?? '')].slice(0, LONGEST_NAME).join(''));
