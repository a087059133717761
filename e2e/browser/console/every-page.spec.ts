// Every console page that links lead to, for each role, in three languages, with the demo's configuration and names
// in several languages. The test reads the HTML of all pages, and opens one page of each kind in a browser.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { ownName } from '#app/_components/frame.tsx';
import { LANGUAGES as ALL_LANGUAGES } from '#lib/settings/languages.ts';
import { sqlOn } from '#testing/data/sql.ts';
import { CookieJar } from '#testing/net/cookie-jar.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import type { Program } from '#testing/net/program.ts';
import { gatehouse, type OwnDatabase, startDoor, startOwnDatabase } from '#testing/service/service.ts';
import { englishLeft, type Walked, walk } from '../../support/console/crawl.ts';
import { expect, test } from '../../support/pages/browser-test.ts';

type User = { email: string; name: string; password: string; roles?: string[] };
type Named = { name?: unknown; client_name?: unknown; description?: unknown };
type Demo = Record<'apis' | 'clients', Named[]> & { users: User[]; groups?: unknown[] };

const LANGUAGES = ['en', 'de', 'ar'] as const;
/** Pages at which the crawl begins, by role. */
const FROM: Record<string, string[]> = {
  administrator: ['/admin', '/developer', '/account'],
  approver: ['/admin', '/account'],
  developer: ['/developer', '/account'],
  'end user': ['/account'],
};

let own: OwnDatabase & { url: string; server: Program };
const jars = new Map<string, CookieJar>();
const names = new Set<string>();
/** One address for each kind of page, with a role that can open it. */
const kinds = new Map<string, { address: string; role: string }>();

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  const demo = parse(readFileSync('demo/gatehouse.yaml', 'utf8')) as Demo;
  const inLanguages = (text: unknown) =>
    typeof text === 'string' ? { en: text, de: `${text} (de)`, ar: `${text} (ar)` } : text;
  for (const one of demo.apis) {
    one.name = inLanguages(one.name);
    one.description = inLanguages(one.description);
  }
  for (const one of demo.clients) one.client_name = inLanguages(one.client_name);
  demo.groups = [{ id: 'editors', name: inLanguages('Editors') }];
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const database = await startOwnDatabase({
    BASE_URL: url,
    GATEHOUSE_DIST_DIR: process.env['GATEHOUSE_DIST_DIR'] ?? '.next',
  });
  const file = path.join(database.folder, 'demo.yaml');
  writeFileSync(file, stringify(demo));
  gatehouse(database.env, 'migrate');
  gatehouse(database.env, 'apply', file);
  own = { ...database, url, server: await startDoor('node', port, database) };
  await giveContent();
  const people = ['administrator', 'approver', 'developer', 'end user'].map((role) => {
    const user = demo.users.find(({ roles: [given] = [] }) => (given ?? 'end user') === role);
    return [role, user as User] as const;
  });
  for (const [role, user] of people) jars.set(role, await signIn(user));
  const built = await sqlOn(own.databaseUrl)<{
    text: string;
  }>(`select unnest(array[id, name, description]) as text
    from apis union select unnest(array[name, description]) from api_scopes`);
  const said = [
    ...textsIn(demo),
    ...built.map(({ text }) => text),
    ...ALL_LANGUAGES.map(ownName),
    'Gatehouse',
  ];
  for (const text of said) names.add(text);
});

test.afterAll(async () => {
  await own.server.stop();
  await own.stop();
});

/** Creates an application with history for the developer, plus a rejected anonymous request. */
async function giveContent(): Promise<void> {
  const sql = sqlOn(own.databaseUrl);
  await sql(`update clients set managed = false,
    owner_id = (select id from people where email = 'developer@example.com') where client_id = 'shop-web'`);
  await sql(`insert into consents (person_id, client_id, api_id, scopes)
    select id, 'shop-web', 'orders', '{orders:read}' from people where email = 'alice@example.com'`);
  const form = { grant_type: 'password', client_id: 'shop-app', username: 'alice@example.com' };
  for (const password of ['demo-alice-password', 'wrong'])
    await send(`${own.url}/auth/local/api/orders/token`, { form: { ...form, password } });
}

async function signIn({ email, password }: User): Promise<CookieJar> {
  const jar = new CookieJar();
  const { text } = await send(`${own.url}/account`, { jar, headers: { accept: 'text/html' } });
  const [, form = ''] = /<form[^>]*action="\/account\/submit\/sign-in"[^>]*>(.*?)<\/form>/s.exec(text) ?? [];
  const [, token = ''] = /name="anti_forgery" value="([^"]+)"/.exec(form) ?? [];
  const answer = await send(`${own.url}/account/submit/sign-in`, {
    jar,
    headers: { origin: own.url },
    form: { anti_forgery: token, authMethodId: 'local', username: email, password, to: '/account' },
  });
  expect(answer.status, answer.text.slice(0, 300)).toBe(303);
  return jar;
}

/** The texts that operators and users typed. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

for (const [role, from] of Object.entries(FROM)) {
  const english = new Map<string, Walked>();
  for (const language of LANGUAGES)
    test(`all console pages linked for ${role} have correct texts in ${language}`, async () => {
      const { pages, dead } = await walk({ url: own.url, jar: jars.get(role) as CookieJar }, language, from);
      const faults = [...dead];
      for (const walked of pages) {
        const { address, kind, open, wrong } = walked;
        if (language === 'en') english.set(address, walked);
        // keeps the last role, because administrators see most pages
        kinds.set(kind, { address, role });
        const left = language === 'en' ? [] : englishLeft(walked, english.get(address), language, names);
        const found = [
          ...wrong.map((text) => `wrong: ${text}`),
          ...left.map((text) => `English: ${text}`),
          ...open.map((name) => `the field ${name} takes a credential into an address`),
        ];
        faults.push(...found.map((text) => `${address}: ${text}`));
      }
      expect([...new Set(faults)]).toEqual([]);
      expect(pages.length).toBeGreaterThan(role === 'end user' ? 5 : 10);
    });
}

for (const role of Object.keys(FROM))
  test(`no console page causes browser errors for ${role}`, async ({ browser }) => {
    const complaints: string[] = [];
    const context = await browser.newContext({ locale: 'de' });
    const { cookies } = jars.get(role) as CookieJar;
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: own.url })));
    const seat = await context.newPage();
    let at = '';
    const complain = (text: string) => complaints.push(`${at}: ${text}`);
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complain(message.text());
    });
    context.on('weberror', (error) => complain(String(error.error())));
    for (const { address, role: of } of kinds.values()) {
      if (of !== role) continue;
      at = address;
      await seat.goto(own.url + address, { waitUntil: 'load' });
    }
    await context.close();
    expect([...new Set(complaints)]).toEqual([]);
  });
