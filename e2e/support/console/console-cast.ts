// One signed-in console user per role, plus page content.

import type { Browser, BrowserContextOptions, Page } from '@playwright/test';
import type { Role } from '#lib/catalogue/people/definition.ts';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { CookieJar } from '#testing/net/cookie-jar.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { passwordGrant } from '#testing/service/token.ts';
import { makeApi, makeClient, makePerson, sql } from '../service/database.ts';
import { nodeDoor } from '../service/doors.ts';
import { giveUsage } from '../service/usage.ts';
import { consoleJar, giveClient, postForm } from './console.ts';
import type { Visitor } from './console-access.ts';

const ROLES: Record<Exclude<Visitor, 'nobody'>, Role[]> = {
  endUser: [],
  developer: ['developer'],
  approver: ['approver'],
  administrator: ['administrator'],
};

export type Cast = {
  jars: Record<Visitor, CookieJar>;
  people: Map<Visitor, Person>;
  words: Record<string, string>;
};

/** Creates one user per role, and the objects whose ids the table's addresses contain. */
export async function givenCast(): Promise<Cast> {
  const jars = { nobody: new CookieJar() } as Record<Visitor, CookieJar>;
  const people = new Map<Visitor, Person>();
  for (const [visitor, roles] of Object.entries(ROLES) as [Visitor, Role[]][]) {
    const person = await makePerson(...roles);
    people.set(visitor, person);
    jars[visitor] = await consoleJar(nodeDoor, person);
  }
  const guarded = await makeApi();
  await sql('update apis set approvers = $2 where id = $1', [guarded.id, ['somebody-else@example.com']]);
  const own = await makeClient({ apis: ['orders', guarded.id] });
  await giveClient(own.clientId, people.get('developer') as Person);
  const other = await makeClient();
  // the first token creates the first signing key
  await passwordGrant(nodeDoor, fixtureClient('trunat'), fixturePerson('alice'));
  const [key] = await sql<{ kid: string }>('select kid from signing_keys order by created_at limit 1');
  const [event] = await sql<{ id: string }>('select max(id)::text as id from audit_events');
  const group = await givenGroup(guarded.id, people.get('endUser') as Person);
  const words = {
    own: own.clientId,
    other: other.clientId,
    guarded: guarded.id,
    group,
    person: (people.get('endUser') as Person).id,
    kid: key?.kid ?? '',
    event: event?.id ?? '',
  };
  return { jars, people, words };
}

/**
 * Creates a group with a rule, a manual member and a matching user, which an API uses as a role. Returns its
 * id.
 */
async function givenGroup(api: string, person: Person): Promise<string> {
  const id = `staff-${api}`;
  const rules = [{ auth_method: 'brk', claim: 'groups', values: ['CN=Staff,OU=Groups,DC=example', 'staff'] }];
  await sql('insert into groups (id, name, rules) values ($1, $2, $3)', [id, 'Staff', JSON.stringify(rules)]);
  await sql("insert into group_members (group_id, person_id, origin) values ($1, $2, ''), ($1, $2, 'brk')", [
    id,
    person.id,
  ]);
  await sql('update apis set roles = $2 where id = $1', [api, JSON.stringify({ clerk: [id] })]);
  return id;
}

/** Opens one signed-in page per visitor, because reusing pages is faster. */
export async function seatsFor(
  browser: Browser,
  jars: Record<string, CookieJar>,
  options: BrowserContextOptions,
): Promise<Map<string, Page>> {
  const seats = new Map<string, Page>();
  for (const [visitor, { cookies }] of Object.entries(jars)) {
    const context = await browser.newContext(options);
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: nodeDoor.url })));
    seats.set(visitor, await context.newPage());
  }
  return seats;
}

export const leaveSeats = (seats: Map<string, Page>) =>
  Promise.all([...seats.values()].map((page) => page.context().close()));

/** Returns the address with its placeholders replaced. */
export const fill = (address: string, words: Record<string, string>) =>
  address.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? `no ${word}`);

/**
 * Creates content for every page: pending and refused requests with their history, a consent, failures,
 * mails.
 */
export async function giveContent({ jars, people, words }: Cast): Promise<void> {
  const { own: clientId = '', guarded = '' } = words;
  await sql("update clients set name = 'Shop at the counter' where client_id = $1", [clientId]);
  await sql("update apis set name = 'Payroll' where id = $1", [guarded]);
  await sql('insert into consents (person_id, client_id, api_id, scopes) values ($1, $2, $3, $4)', [
    people.get('endUser')?.id,
    clientId,
    'orders',
    ['read', 'write'],
  ]);
  const trusted = { clientId, trusted: 'on', scopes: 'read', message: 'Four people print labels with it.' };
  await sent('developer', 'subscription-change', {
    ...trusted,
    api: 'orders',
    version: '1',
    confirmed: 'pending',
  });
  await sent('developer', 'subscription-request', { ...trusted, api: 'billing' });
  const [row] = await sql<{ version: number }>(
    "select version from subscriptions where client_id = $1 and api_id = 'billing'",
    [clientId],
  );
  const reason = 'Reading is enough for a counter. Ask for that, and tell us who uses it.';
  const decision = { clientId, api: 'billing', action: 'reject', reason, version: String(row?.version) };
  await sent('administrator', 'decide', decision, 'admin');
  await sent('developer', 'secret-add', { clientId });
  await giveUsage('orders');
  const strange = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: 'https://elsewhere.example/cb',
  };
  await send(`${issuerOf(nodeDoor)}/authorize?${new URLSearchParams(strange)}`);
  await passwordGrant(nodeDoor, { clientId, secret: 'wrong', redirectUri: '' }, fixturePerson('alice'));

  async function sent(visitor: Visitor, form: string, fields: Record<string, string>, area = 'developer') {
    const answer = await postForm(jars[visitor], form, fields, { area });
    if (answer.status !== 200) throw new Error(`${form}: ${answer.status} ${answer.text.slice(0, 300)}`);
  }
}
