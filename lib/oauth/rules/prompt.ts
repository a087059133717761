// prompt and max_age (OpenID Connect Core §3.1.2.1).
import { InvalidRequest } from '../errors/errors.ts';

/** `create` is Initiating User Registration 1.0's. */
export const PROMPTS = ['none', 'login', 'consent', 'select_account', 'create'] as const;
export type Prompt = (typeof PROMPTS)[number];

export function parsePrompt(value: string | undefined): ReadonlySet<Prompt> {
  const names = (value ?? '').split(' ').filter((name) => name !== '');
  for (const name of names) {
    if (!isPrompt(name))
      throw new InvalidRequest("prompt must be 'none', 'login', 'consent', 'select_account' or 'create'.");
  }
  if (names.includes('none') && names.length > 1) throw new InvalidRequest("prompt 'none' stands alone.");
  return new Set(names.filter(isPrompt));
}

function isPrompt(name: string): name is Prompt {
  return PROMPTS.some((known) => known === name);
}

/** How many seconds ago the last sign-in may be at most; null: any time. */
export function parseMaxAge(value: string | undefined): number | null {
  if (value === undefined) return null;
  if (!/^\d{1,9}$/.test(value)) throw new InvalidRequest('max_age must be a whole number of seconds.');
  return Number(value);
}

/** What a client is told whose request has max_age, of a broker that does not say when the person signed in. */
export const NO_AUTH_TIME = 'The broker gave no auth_time, which max_age asks for.';
