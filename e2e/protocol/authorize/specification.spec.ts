// Table 4.6 of the specification, row by row and word for word, with each kind of authentication method. The titles
// of AA-04, PW-03, PK-01, AZ-16 and RT-05 cite table 7.
import { expect, test } from '@playwright/test';
import { throughBroker } from '#testing/brokers/broker.ts';
import type { Client } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { freshPkce } from '#testing/net/pkce.ts';
import type { Answer } from '#testing/net/sent.ts';
import { authorizeParams, Browser, type Params } from '#testing/service/browser.ts';
import { credentialsOf, token, tokensOf } from '#testing/service/token.ts';
import { expectError } from '../../support/clients/expectations.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { campusPerson } from '../../support/service/external.ts';

type Credentials = { email: string; password: string };
const METHODS = ['pw', 'ext', 'brk'] as const;
type Method = (typeof METHODS)[number];
const somebody = async (method: Method): Promise<Credentials> =>
  method === 'pw' ? makePerson() : campusPerson();

/** Returns a client's code; the user signs in with `method`. */
const codeBy = async (method: Method, client: Client, params: Params = {}): Promise<string> => {
  const browser = new Browser(door);
  const at = { method };
  const who = await somebody(method);
  let done: Answer;
  if (method === 'brk') {
    const departure = await browser.ask(client, params, at);
    done = await browser.onward(await browser.get(await throughBroker(departure, who.email)));
    if (done.status === 200) done = await browser.onward(await browser.decideOn(done, 'allow'));
  } else {
    done = await browser.finish(authorizeParams(client, params), who, at);
  }
  const code = new URL(done.location || 'missing:').searchParams.get('code');
  if (!code) throw new Error(`no code: ${done.status} ${done.text.slice(0, 200)}`);
  return code;
};
const expectFields = (answer: Answer, fields: string[]) => {
  expect(answer.status, answer.text.slice(0, 300)).toBe(200);
  const { scope: _, ...body } = answer.json();
  expect(Object.keys(body).sort()).toEqual([...fields].sort());
  expect(body).toMatchObject({ token_type: 'bearer', access_token: expect.any(String) });
  expect(Number.isInteger(body['expires_in'])).toBe(true);
};
const ALL = ['access_token', 'refresh_token', 'token_type', 'expires_in'];
const WITHOUT_REFRESH = ['access_token', 'token_type', 'expires_in'];

for (const method of METHODS) {
  const at = { at: { method } };
  const redeem = async (client: Client, pkce: boolean) => {
    const { verifier, params } = freshPkce();
    const code = await codeBy(method, client, pkce ? params : {});
    const proof = pkce ? { code_verifier: verifier } : {};
    const form = { grant_type: 'authorization_code', ...credentialsOf(client), code, ...proof };
    return { answer: await token(door, form, at), client };
  };

  test(`SPEC 4.6 authorization_code, confidential: the response contains all four fields (${method})`, async () => {
    const { answer } = await redeem(await makeClient(), false);
    expectFields(answer, ALL);
  });

  test(`SPEC 4.6 authorization_code with PKCE, public: a browser client receives no refresh_token, a native client does (${method})`, async () => {
    const browserClient = await makeClient({ kind: 'browser' });
    expectFields((await redeem(browserClient, true)).answer, WITHOUT_REFRESH);
    const native = await makeClient({ kind: 'native', redirectUris: ['com.example.spec:/cb'] });
    expectFields((await redeem(native, true)).answer, ALL);
  });

  test(`SPEC 4.6 authorization_code with PKCE, confidential: the response contains all four fields (${method})`, async () => {
    const { answer } = await redeem(await makeClient(), true);
    expectFields(answer, ALL);
  });

  for (const kind of ['confidential', 'native', 'browser'] as const) {
    const words = kind === 'confidential' ? 'confidential' : `public (${kind})`;
    test(`SPEC 4.6 password, ${words}: the response contains all four fields if the method checks passwords (${method})`, async () => {
      const client = await makeClient({ kind, trusted: true });
      const { email, password } = await somebody(method);
      const form = { grant_type: 'password', ...credentialsOf(client), username: email, password };
      const answer = await token(door, form, at);
      // SPEC 1.6: no other authentication method works with this grant
      if (method === 'brk') expectError(answer, 'unsupported_grant_type');
      else expectFields(answer, ALL);
    });
  }

  for (const kind of ['confidential', 'native'] as const) {
    const words = kind === 'confidential' ? 'confidential' : 'public native/mobile';
    test(`SPEC 4.6 refresh_token, ${words}: the response contains a new access token and a new refresh token, as form and JSON (${method})`, async () => {
      const redirectUris = kind === 'native' ? { redirectUris: ['com.example.spec:/cb'] } : {};
      const client = await makeClient({ kind, ...redirectUris });
      let tokens = tokensOf((await redeem(client, true)).answer);
      for (const encoding of ['form', 'json'] as const) {
        const request = {
          grant_type: 'refresh_token',
          ...credentialsOf(client),
          refresh_token: tokens.refreshToken,
        };
        const answer = await send(`${issuerOf(door, method)}/token`, { [encoding]: request });
        expectFields(answer, ALL);
        const next = tokensOf(answer);
        expect(next.accessToken).not.toBe(tokens.accessToken);
        expect(next.refreshToken).not.toBe(tokens.refreshToken);
        tokens = next;
      }
    });
  }
}
