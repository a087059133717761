// The world that invented requests are sent to: the fixtures, a browser that is signed in, one that is on its way, and one
// real value of everything that can be presented.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { applyConfiguration } from '../../lib/config/index.ts';
import type { Answer, HttpRequest } from '../../lib/http/index.ts';
import { handleHttp, viewSignIn } from '../../lib/oauth/index.ts';
import { settings } from '../../lib/settings/index.ts';
import type { World } from './requests.ts';

type Fixtures = {
  clients: { client_id: string; client_secret?: string; redirect_uris: string[] }[];
  users: { email: string; password: string }[];
};

export async function prepareWorld(): Promise<World> {
  const source = readFileSync(new URL('../../e2e/support/fixtures.yaml', import.meta.url), 'utf8');
  await applyConfiguration(source, { env: {} });
  const { clients, users } = parse(source) as Fixtures;
  const world: World = {
    authUrl: settings().authUrl,
    methods: ['pw', 'ext', 'brk'],
    apis: ['orders', 'billing'],
    clients: clients.map((client) => ({
      clientId: client.client_id,
      secret: client.client_secret ?? 'none',
      redirectUri: client.redirect_uris[0] ?? '',
    })),
    people: users,
    cookies: [],
    known: {},
  };
  await signIn(world);
  return world;
}

async function send(
  target: string,
  cookie: string | undefined,
  form?: Record<string, string>,
): Promise<Answer> {
  const [path = '', query = ''] = target.replace(settings().authUrl, '').split('?');
  const body = Buffer.from(new URLSearchParams(form).toString());
  const request: HttpRequest = {
    method: form ? 'POST' : 'GET',
    path,
    query,
    headers: { cookie, origin: settings().authUrl, 'content-type': 'application/x-www-form-urlencoded' },
    body: async () => body,
    peerAddress: undefined,
    requestId: 'setup',
  };
  const answer = await handleHttp(request);
  if (!answer) throw new Error(`${path} is no address of the core`);
  return answer;
}

const cookieOf = (...answers: Answer[]) =>
  answers
    .flatMap((answer) => [answer.headers['set-cookie'] ?? []].flat())
    .map((line) => line.split(';')[0])
    .join('; ');
const parameter = (answer: Answer, name: string) =>
  new URL(String(answer.headers['location'])).searchParams.get(name) ?? '';

async function signIn(world: World): Promise<void> {
  const { people, known } = world;
  const alice = people.find((person) => person.email.startsWith('alice'));
  const authorize = `/auth/pw/api/orders/authorize?client_id=tru&redirect_uri=${encodeURIComponent('https://tru.example/cb')}&response_type=code&state=S`;
  const started = await send(authorize, undefined);
  const cookie = cookieOf(started);
  const interaction = parameter(started, 'interaction');
  const view = await viewSignIn({ interaction, cookie });
  if (view.kind !== 'ready') throw new Error('no sign-in page');
  const form = {
    interaction,
    anti_forgery: view.antiForgery,
    username: alice?.email ?? '',
    password: alice?.password ?? '',
  };
  const posted = await send('/login/submit', cookie, form);
  const signedIn = cookieOf(started, posted);
  const code = parameter(await send(authorize, signedIn), 'code');
  const credentials = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
  const given = await send('/auth/pw/api/orders/token', undefined, {
    ...credentials,
    grant_type: 'authorization_code',
    code: parameter(await send(authorize, signedIn), 'code'),
  });
  const tokens = JSON.parse(String(given.body)) as { access_token: string; refresh_token: string };
  world.cookies.push(cookie, signedIn);
  Object.assign(known, {
    interaction: [interaction, parameter(posted, 'interaction')],
    anti_forgery: [view.antiForgery],
    code: [code],
    refresh_token: [tokens.refresh_token],
    token: [tokens.access_token],
  });
}
