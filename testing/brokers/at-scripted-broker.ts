// Sign-ins of the trusted client `tru` at a scripted broker, which is the fixture method `brk`.

import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { query } from '#lib/store/pool.ts';
import { ask, cookieOf, locationOf } from '../in-process/in-process.ts';

export const AUTHORIZE = '/auth/brk/api/orders/authorize';
const ASKED = {
  client_id: 'tru',
  response_type: 'code',
  redirect_uri: 'https://tru.example/cb',
  state: 'theirs',
};
const HTML = { accept: 'text/html' };

export async function givenBroker(config: Record<string, unknown>, secret = 'a secret'): Promise<void> {
  await changeAuthMethod(OPERATOR, { id: 'brk', config, secret });
}

/** A broker whose ID tokens contain the nonce that it received. */
type Departing = { script: { nonce: string | undefined } };

/** Starts a sign-in at the broker. Returns the broker's URL, the `state`, and the browser's cookie. */
export async function depart(broker: Departing, more: Record<string, string> = {}) {
  const answer = await ask(`${AUTHORIZE}?${new URLSearchParams({ ...ASKED, ...more })}`);
  const asked = new URL(locationOf(answer)).searchParams;
  broker.script.nonce = asked.get('nonce') ?? '';
  return { asked, state: asked.get('state') ?? '', cookie: cookieOf(answer) };
}

/** Calls the broker callback with this query. */
export const arrive = (query: string, cookie: string, accept = HTML.accept) =>
  ask(`/auth/callback/brk?${query}`, { headers: { cookie, accept } });

export type Known = {
  subject: string;
  email: string | null;
  verified: boolean;
  name: string | null;
  person: string;
};
/** Returns the external identities of the method, in order of creation. */
export const knownThere = () =>
  query<Known>({
    text: `select subject, email, email_verified as verified, name, person_id as person
      from external_identities where auth_method_id = 'brk' order by created_at`,
  });
export const forgetAll = () =>
  query({ text: `delete from external_identities where auth_method_id = 'brk'` });

/** Follows pages that continue automatically to the client's redirect. Returns the parameters of the redirect. */
export async function clientTold(location: string, cookie: string): Promise<Record<string, string>> {
  const interaction = new URL(location).searchParams.get('interaction') ?? '';
  const answer = await ask(`${AUTHORIZE}?${new URLSearchParams({ interaction })}`, { headers: { cookie } });
  return Object.fromEntries(new URL(locationOf(answer)).searchParams);
}

/** Completes a broker sign-in; returns the response of the callback. */
export async function signInAt(broker: Departing, more: Record<string, string> = {}, iss?: string) {
  const { state, cookie } = await depart(broker, more);
  const answer = await arrive(`${new URLSearchParams({ code: 'c', state, ...(iss && { iss }) })}`, cookie);
  return { answer, state, cookie };
}
