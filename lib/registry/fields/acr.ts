// How strong a sign-in is: authentication context classes (`acr`, OpenID Connect Core §2), and when a second factor is
// asked for.

import { z } from 'zod';
import { ownValue } from '#lib/kit/own-value.ts';
import { atMost } from './values.ts';

/** In rising order: the nth is of level n. */
export const ACR_VALUES = [
  'urn:gatehouse:acr:password',
  'urn:gatehouse:acr:mfa',
  'urn:gatehouse:acr:phishing-resistant',
] as const;
export type Acr = (typeof ACR_VALUES)[number];

/**
 * The level of a sign-in: 1, a password, or what a broker or verifier said; 2, two factors; 3, a passkey, which works
 * only at this service.
 */
export type AcrLevel = 1 | 2 | 3;

/** Names of the same classes in OpenID Connect Extended Authentication Profile ACR Values 1.0 §2. */
export const ACR_ALIASES: Readonly<Record<string, Acr>> = {
  phr: 'urn:gatehouse:acr:phishing-resistant',
  phrh: 'urn:gatehouse:acr:phishing-resistant',
};

/** Null: no class of ours. */
export function levelOf(acr: string): AcrLevel | null {
  const values: readonly string[] = ACR_VALUES;
  const at = values.indexOf(ownValue(ACR_ALIASES, acr) ?? acr);
  return at < 0 ? null : ((at + 1) as AcrLevel);
}

export const acrOfLevel = (level: AcrLevel): Acr => ACR_VALUES[level - 1] as Acr;

const MESSAGE = `must be ${ACR_VALUES.join(', ')}`;
const acr = z.enum(ACR_VALUES, MESSAGE);

/** Of a scope: left out where any sign-in will do. */
export const scopeAcr = acr.optional().describe('The least acr of a sign-in that this scope is given to');

/** Of an API. */
export const requiredAcr = z
  .union([z.literal('').transform(() => null), acr.nullable()], MESSAGE)
  .default(null)
  .describe('The least acr of a sign-in that its tokens are given to');

export const ACR_WORDS = {
  '': { label: 'Any', note: 'However the person signs in.' },
  'urn:gatehouse:acr:password': { label: 'Password', note: 'Any sign-in has it.' },
  'urn:gatehouse:acr:mfa': { label: 'Two factors', note: 'A one-time code or a passkey as well.' },
  'urn:gatehouse:acr:phishing-resistant': {
    label: 'Passkey',
    note: 'Nothing that can be typed into another site.',
  },
};

export const SECOND_FACTORS = ['off', 'optional', 'required'] as const;
export type SecondFactor = (typeof SECOND_FACTORS)[number];
const SECOND_FACTOR = `must be ${SECOND_FACTORS.join(', ')}`;
const policy = z.enum(SECOND_FACTORS, SECOND_FACTOR);

/** Of a method; left out: people of a local one are asked where they have one, others are not. */
export const methodSecondFactor = policy
  .optional()
  .describe(
    'off: people of this method are not asked for a second factor; optional: those who have one are; required: each must set one up',
  );

/** Of an API; null: as the method says. */
export const apiSecondFactor = z
  .union([z.literal('').transform(() => null), policy.nullable()], SECOND_FACTOR)
  .default(null)
  .describe('Whether people are asked for a second factor at this API; left out: as the method says');

export const SECOND_FACTOR_WORDS = {
  off: { label: 'Off', note: 'Nobody is asked for one.' },
  optional: { label: 'Optional', note: 'People who have one are asked for it; others are offered one once.' },
  required: { label: 'Required', note: 'People who have none set one up.' },
};

/** Of a client (OpenID Connect Registration §2): what a request asks for that names no acr_values. */
export const defaultAcrValues = atMost(
  10,
  z
    .string()
    .refine(
      (value) => levelOf(value) !== null,
      `must be ${[...ACR_VALUES, ...Object.keys(ACR_ALIASES)].join(', ')}`,
    ),
)
  .default([])
  .describe('Asked for where a request names no acr_values');
