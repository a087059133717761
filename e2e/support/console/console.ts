// The console for tests: signing in by browser or by raw HTTP, and forms with valid anti-forgery tokens.
import type { Page } from '@playwright/test';
import { consoleFormToken } from '#lib/sessions/console.ts';
import type { Person } from '#testing/data/world.ts';
import { CookieJar } from '#testing/net/cookie-jar.ts';
import type { Door } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { signIn } from '../pages/visit.ts';
import { sql } from '../service/database.ts';
import { nodeDoor } from '../service/doors.ts';

type Credentials = { email: string; password: string };

export async function giveClient(clientId: string, owner: Person): Promise<void> {
  await sql('update clients set owner_id = $2 where client_id = $1', [clientId, owner.id]);
}

/** Opens a console page and signs in. */
export async function enterConsole(page: Page, person: Credentials, path: string): Promise<void> {
  await page.goto(nodeDoor.url + path);
  await signIn(page, person);
  await page.getByRole('link', { name: 'Skip to the content' }).waitFor({ state: 'attached' });
}

/** Signs a person in to the console without a browser, and returns the session's cookies. */
export async function consoleJar(door: Door, person: Credentials): Promise<CookieJar> {
  const jar = new CookieJar();
  await send(`${door.url}/account`, { jar, headers: { accept: 'text/html' } });
  const answer = await send(`${door.url}/account/submit/sign-in`, {
    jar,
    headers: { origin: door.url },
    form: {
      anti_forgery: await tokenFor(jar, 'sign-in'),
      authMethodId: 'pw',
      username: person.email,
      password: person.password,
      to: '/account',
    },
  });
  if (answer.status !== 303 || !answer.location.endsWith('/account')) {
    throw new Error(`no sign-in: ${answer.status} ${answer.location} ${answer.text.slice(0, 200)}`);
  }
  return jar;
}

/** Returns the anti-forgery token of a form for this session. */
export async function tokenFor(jar: CookieJar, form: string): Promise<string> {
  Object.assign(process.env, {
    GATEHOUSE_SECRET: process.env['E2E_SECRET'],
    DATABASE_URL: process.env['E2E_DATABASE_URL'],
    BASE_URL: process.env['E2E_BASE_URL'],
  });
  const token = await consoleFormToken(jar.header, form);
  if (token === null) throw new Error('nobody is signed in');
  return token;
}

type Posted = { door?: Door; area?: string; token?: string; headers?: Record<string, string> };

/** Submits a form like the console's script: JSON response, status of the operation. */
export async function postForm(
  jar: CookieJar,
  form: string,
  fields: Record<string, string> | [string, string][],
  { door = nodeDoor, area = 'developer', token, headers = {} }: Posted = {},
): Promise<Answer> {
  const pairs: [string, string][] = Array.isArray(fields) ? fields : Object.entries(fields);
  return send(`${door.url}/${area}/submit/${form}`, {
    jar,
    headers: { origin: door.url, accept: 'application/json', ...headers },
    form: [['anti_forgery', token ?? (await tokenFor(jar, form))], ...pairs],
  });
}
