// What else is sent to a broker's authorization address.
import { z } from 'zod';
import { readable } from '../../fields/values.ts';

/** What a sign-in sends by itself, or what would take the place of all of it (RFC 9101). */
const OURS = new Set([
  ...['response_type', 'response_mode', 'client_id', 'redirect_uri', 'scope', 'state', 'nonce'],
  ...['code_challenge', 'code_challenge_method', 'login_hint', 'max_age', 'prompt'],
  ...['request', 'request_uri'],
]);
const MAX_PARAMETERS = 20;

const parameterName = z
  .string()
  .regex(/^[\x21-\x7e]{1,100}$/, 'must be 1 to 100 visible ASCII characters')
  .refine((name) => !OURS.has(name), { error: ({ input }) => `must not be ${input}: that name is reserved` });
const parameterValue = readable(
  z.string().min(1, 'must not be empty').max(1000, 'must not be longer than 1000 characters'),
  'line',
);

export const authorizationParameters = z
  .record(parameterName, parameterValue, 'must be keys and values')
  .refine(
    (given) => Object.keys(given).length <= MAX_PARAMETERS,
    `must not be more than ${MAX_PARAMETERS} parameters`,
  );
