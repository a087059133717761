// The service that receives generated requests: fixtures, a signed-in browser, a pending sign-in, and one real value
// for every kind of credential.

import { viewSignIn } from '#lib/oauth/pages/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { fixtureClient, fixtureClients, fixturePeople, fixturePerson } from '#testing/data/fixtures.ts';
import { ask, cookieOf, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { authorizeParams, queryOf } from '#testing/service/browser.ts';
import { credentialsOf, redemptionOf } from '#testing/service/token.ts';
import type { World } from './templates.ts';

const ISSUER = '/auth/pw/api/orders';

export async function prepareWorld(): Promise<World> {
  await givenFixtures();
  const { cookies, known } = await signIn();
  return {
    authUrl: settings().authUrl,
    methods: ['pw', 'ext', 'brk'],
    apis: ['orders', 'billing'],
    clients: fixtureClients(),
    people: fixturePeople(),
    cookies,
    known,
  };
}

async function signIn(): Promise<Pick<World, 'cookies' | 'known'>> {
  const client = fixtureClient('tru');
  const { email, password } = fixturePerson('alice');
  const parameter = (location: string, name: string) => new URL(location).searchParams.get(name) ?? '';
  const authorize = async (cookie?: string) =>
    ask(`${ISSUER}/authorize?${queryOf(authorizeParams(client, { scope: undefined }))}`, {
      headers: { cookie },
    });
  const codeFor = async (cookie: string) => parameter(locationOf(await authorize(cookie)), 'code');

  const started = await authorize();
  const cookie = cookieOf(started);
  const interaction = parameter(locationOf(started), 'interaction');
  const view = await viewSignIn({ interaction, cookie });
  if (view.kind !== 'ready') throw new Error('no sign-in page');
  const { antiForgery } = view;
  const posted = await ask('/login/submit', {
    form: { interaction, anti_forgery: antiForgery, username: email, password },
    headers: { cookie, origin: settings().authUrl },
  });
  const signedIn = cookieOf(started, posted);
  const code = await codeFor(signedIn);
  const form = redemptionOf(client, { code: await codeFor(signedIn) });
  const tokens = jsonOf(await ask(`${ISSUER}/token`, { form }));
  const request = new URLSearchParams(queryOf(authorizeParams(client, { scope: undefined })));
  const asked = { ...Object.fromEntries(request), ...credentialsOf(client) };
  const pushed = jsonOf(await ask(`${ISSUER}/par`, { form: asked }));
  return {
    cookies: [cookie, signedIn],
    known: {
      interaction: [interaction, parameter(locationOf(posted), 'interaction')],
      anti_forgery: [antiForgery],
      code: [code],
      request_uri: [String(pushed['request_uri'])],
      refresh_token: [String(tokens['refresh_token'])],
      token: [String(tokens['access_token'])],
    },
  };
}
