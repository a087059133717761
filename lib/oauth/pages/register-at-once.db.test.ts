// Registration during concurrent events: the same form is sent fifty times, the same address is registered ten times,
// the method is disabled, or another account takes the address.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { antiForgeryToken, readBrowser } from '#lib/sessions/transaction.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures, locationOf } from '#testing/in-process/in-process.ts';
import { newAddress, peopleAt, proved, registration } from '#testing/in-process/registering.ts';
import { type Place, Visitor } from '#testing/in-process/visitor.ts';
import { viewRegister } from './register.ts';

const PASSWORD = 'correct horse battery';

beforeAll(givenFixtures);
beforeEach(async () => {
  for (const table of ['attempts', 'sessions', 'person_registrations']) await sql(`delete from ${table}`);
  await registration('open');
});

test('fifty forms that finish one registration, and fifty registrations of one address, create one user', async () => {
  const email = newAddress();
  const { visitor, at } = await proved(email);
  const copies = Array.from({ length: 50 }, () => new Visitor(visitor.jar.copy()));
  const answers = await Promise.all(copies.map((copy) => copy.post(at, { name: '', password: PASSWORD })));
  const places = answers.map((answer) => new URL(locationOf(answer)));
  expect(places.filter(({ pathname }) => pathname === '/continue')).toHaveLength(1);
  const isOver = ({ searchParams }: URL) => searchParams.get('done') === 'gone';
  const others = places.filter((place) => place.pathname === '/register' && !isOver(place));
  expect(places.filter(isOver).length + others.length).toBe(49);
  const late = await visitor.send('/register/submit', formOf(visitor, at));
  const ended = await visitor.view('register', await visitor.onward(late));
  expect(ended).toMatchObject({ kind: 'ended', heading: 'register.gone_heading' });

  const other = newAddress();
  const rows: Awaited<ReturnType<typeof proved>>[] = [];
  for (let n = 0; n < 10; n += 1) {
    await sql('delete from attempts');
    rows.push(await proved(other));
  }
  const outcomes = await Promise.all(
    rows.map((row) => row.visitor.post(row.at, { name: '', password: PASSWORD })),
  );
  const ends = outcomes.map((answer) => new URL(locationOf(answer)).searchParams.get('done'));
  expect(ends.filter((how) => how === null)).toHaveLength(1);
  expect(ends.filter((how) => how === 'taken')).toHaveLength(9);
  expect(await peopleAt(other)).toHaveLength(1);
});

test('if registration is closed or the address is taken while the form is open, the page reports it and no account is created', async () => {
  const email = newAddress();
  const { visitor, at } = await proved(email);
  await registration('off');
  const off = await visitor.send('/register/submit', formOf(visitor, at));
  expect(new URL(locationOf(off)).pathname).toBe('/register');
  expect(await visitor.view('register', await visitor.onward(off))).toMatchObject({
    kind: 'unusable',
    heading: 'register.closed_heading',
  });
  expect(await peopleAt(email)).toEqual([]);
  await registration('open');
  await sql("insert into people (email, name) values ($1, 'Other')", [email]);
  const taken = await visitor.submit(at, { name: 'Me', password: PASSWORD });
  expect(await visitor.view('register', taken)).toMatchObject({
    kind: 'ended',
    heading: 'register.taken_heading',
  });
  expect(await peopleAt(email)).toMatchObject([{ name: 'Other' }]);
});

function formOf(visitor: Visitor, at: Place): Record<string, string> {
  const browser = readBrowser(visitor.jar.header) ?? '';
  return {
    interaction: at.sealed,
    anti_forgery: antiForgeryToken(browser, at.sealed),
    name: '',
    password: PASSWORD,
  };
}

test('if the parameter "done" has an unknown value, even a property name of Object.prototype, the registration form appears', async () => {
  const visitor = new Visitor();
  const { sealed } = await visitor.start({ prompt: 'create', scope: 'openid read' });
  const asked = { interaction: sealed, cookie: visitor.jar.header, link: undefined, invitation: undefined };
  for (const done of ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'nothing'])
    expect(await viewRegister({ ...asked, again: undefined, done }), done).toMatchObject({ kind: 'ready' });
});
