// What a row of the tables of settings has.
import type { z } from 'zod';
import type { SecretKind } from '#lib/kit/text/secret-text.ts';

export type Setting = {
  /** the property of `Settings`; without one, others are worked out from it */
  as?: string;
  value: z.ZodType;
  /** what it is for, and what holds when it is not set: its row of docs/settings.md */
  means: string;
  unset: string;
  /** a value that must not be shown */
  secret?: SecretKind;
};

export const inCode = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');
