// Token exchange requests of a client at POST {base_url}/auth/token (RFC 8693).
import { expect, test } from '@playwright/test';
import { type Client, fixtureApi } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import type { Door } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { type Browser, type Params, signIn } from '#testing/service/browser.ts';
import { credentialsOf, isActive, type Tokens, tokensFor } from '#testing/service/token.ts';
import { makeClient, makePerson } from '../service/database.ts';

export const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
export const TYPE = 'urn:ietf:params:oauth:token-type:';
export const orders = fixtureApi('orders');
export const billing = fixtureApi('billing');

/** Exchanges an access token for a token at billing; `params` override values, undefined omits them. */
export function exchangeAt(door: Door, client: Client, params: Params): Promise<Answer> {
  const form = {
    grant_type: EXCHANGE,
    ...credentialsOf(client),
    subject_token_type: `${TYPE}access_token`,
    audience: 'billing',
    ...params,
  };
  const given = Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return send(`${door.url}/auth/token`, { form: Object.fromEntries(given) });
}

export function accessOf(answer: Answer): string {
  expect(answer.status, answer.text.slice(0, 300)).toBe(200);
  return String(answer.json()['access_token']);
}

type Cast = {
  person: Person;
  browser: Browser;
  /** the client that gets the subject tokens; it has an ordinary subscription to orders */
  front: Client;
  /** the client that exchanges the subject tokens; it has trusted subscriptions to both APIs */
  back: Client;
  /** tokens of the user, new for each test */
  subject: Tokens;
};

/** Creates the user and the clients for a file's exchange tests, and helpers for requests. */
export function givenExchange(door: Door) {
  const cast = {} as Cast;
  test.beforeAll(async () => {
    cast.person = await makePerson();
    cast.front = await makeClient({ apis: ['orders', 'billing'] });
    cast.back = await makeClient({ trusted: true, apis: ['orders', 'billing'] });
    cast.browser = await signIn(door, cast.person, cast.front);
  });
  test.beforeEach(async () => {
    cast.subject = await tokensFor(cast.browser, cast.front);
  });
  return {
    cast,
    exchange: (client: Client, changes: Params = {}) =>
      exchangeAt(door, client, { subject_token: cast.subject.accessToken, ...changes }),
    /** true if introspection at this API reports the token as active */
    isActive: (token: string, api = billing) => isActive(door, token, api),
  };
}
