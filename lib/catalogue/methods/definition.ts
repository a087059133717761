// An authentication method, which verifies the identity of a user. Fields of a single kind are in `config`, under
// their names in the configuration file (../methods).
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { claimMapFaults } from '#lib/registry/claims.ts';
import { field } from '#lib/registry/definition.ts';
import { displayText } from '#lib/registry/display-text.ts';
import { authMethodId, choiceOf, keyOrSecretText, label } from '#lib/registry/values.ts';
import { addressFault, type ConfigFault, type MethodConfig } from './kind.ts';
import { type AuthMethodType, METHOD_KINDS } from './kinds.ts';
import { METHOD_TYPES, methodKind } from './questions.ts';

export const authMethod = z.strictObject({
  id: field(authMethodId, 'Id', {
    hint: 'Part of every address of the method, and cannot be changed: lowercase letters, digits and hyphens.',
    as: 'code',
    only: 'new',
    shown: {},
  }),
  type: choiceOf(METHOD_TYPES),
  name: field(displayText(label), 'Name', {
    hint: 'Shown when people choose how to sign in.',
    others: 'In other languages',
    shown: false,
  }),
  config: z
    .record(z.string(), z.unknown())
    .default({})
    .describe('the configuration file’s keys; the secret is not among them'),
  secret: keyOrSecretText
    .optional()
    .describe(
      'the token of an external service, or the client secret of a broker; encrypted, and never shown',
    ),
});
export type AuthMethodInput = z.input<typeof authMethod>;
export type AuthMethodValues = Omit<z.output<typeof authMethod>, 'secret'>;

export const authMethodRow = authMethod.omit({ secret: true }).extend({
  config: z
    .record(z.string(), z.unknown())
    .describe('the configuration file’s keys; the secret is not among them'),
  hasSecret: z.boolean(),
  apis: z.array(z.string()),
  sessions: z.int(),
  managed: z.boolean(),
  createdAt: z.date(),
  updatedAt: z.date(),
  version: z.int(),
});
export type AuthMethodRow = z.output<typeof authMethodRow>;

export const authMethodView = authMethodRow.extend({
  callback: z
    .string()
    .nullable()
    .describe('the redirect address to register at the broker; null: not a broker'),
});
export type AuthMethodView = z.output<typeof authMethodView>;

const ADDRESSES = METHOD_KINDS.flatMap(({ addresses = [] }) => addresses);

/**
 * Returns faults that concern several keys: https for public hosts, names in the claim map, and rules of the kind of
 * method.
 */
export function authMethodFaults(method: Record<string, unknown>): ConfigFault[] {
  const faults = claimMapFaults(method['claims']);
  for (const key of ADDRESSES) {
    const wrong = addressFault(method[key], method['allow_private_network'] === true);
    if (wrong !== null) faults.push({ path: [key], ...wrong });
  }
  const kind = METHOD_KINDS.find(({ type }) => type === method['type']);
  return [...faults, ...(kind?.faults?.(method) ?? [])];
}

type Answering = { type: AuthMethodType; config: MethodConfig };

/**
 * True if the change makes another service authenticate the users, so that the stored subjects are no longer valid.
 */
export function answersElse(before: Answering, after: Answering): boolean {
  if (before.type !== after.type) return true;
  const { whoAnswers = () => [] } = methodKind(after.type);
  return !isDeepStrictEqual(whoAnswers(before.config), whoAnswers(after.config));
}
