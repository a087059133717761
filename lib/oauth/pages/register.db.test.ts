// Registration pages, tested in process: from the client's request to its code.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { redeemFor } from '#testing/in-process/openid.ts';
import { asking, codeMail, newAddress, peopleAt, registration } from '#testing/in-process/registering.ts';
import { Visitor } from '#testing/in-process/visitor.ts';
import { handleHttp } from '../endpoints.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const PASSWORD = 'correct horse battery';

beforeAll(givenFixtures);
beforeEach(async () => {
  for (const table of ['attempts', 'sessions', 'person_registrations']) await sql(`delete from ${table}`);
  await registration('open');
});

test('address, code, name and password create an account with a verified address, and the browser returns to the request', async () => {
  const email = newAddress();
  const visitor = new Visitor();
  const login = await visitor.view('login', await visitor.start({ scope: 'openid read' }));
  const offered = new URL((login.kind === 'ready' && login.register) || '');
  const start = {
    page: 'register',
    sealed: offered.searchParams.get('interaction') ?? '',
    with: undefined,
    client: offered.searchParams,
  };
  expect(await visitor.view('register', start)).toMatchObject({ step: 'address', alert: null });
  const second = await visitor.submit(start, { email: ` ${email.toUpperCase()} ` });
  expect(await visitor.view('register', second)).toMatchObject({ step: 'code', email, alert: null });
  expect(await peopleAt(email)).toEqual([]);
  const { code } = await codeMail(email);
  const third = await visitor.submit(second, { code: `${code.slice(0, 3)} ${code.slice(3)}` });
  expect(await visitor.view('register', third)).toMatchObject({ step: 'password', email });
  const weak = await visitor.submit(third, { name: 'Nora', password: 'password1' });
  expect(await visitor.view('register', weak)).toMatchObject({
    step: 'password',
    name: 'Nora',
    alert: { code: 'new_password.known' },
  });
  expect(await peopleAt(email)).toEqual([]);
  const { client } = await visitor.submit(weak, { name: 'Nora', password: PASSWORD });
  const given = jsonOf(await redeemFor(TRU, client.get('code') ?? ''));
  expect(given['access_token']).toBeTruthy();
  const [made] = await peopleAt(email);
  expect(made).toMatchObject({ name: 'Nora', roles: [], email_verified_at: expect.any(Date) });
  expect(await sql('select from person_registrations')).toEqual([]);
  expect(
    await sql(
      "select person_id, auth_method_id, api_id, client_id from audit_events where event = 'person.registered' and person_id = $1",
      [made?.['id']],
    ),
  ).toEqual([{ person_id: made?.['id'], auth_method_id: 'pw', api_id: 'orders', client_id: 'tru' }]);
  // the password works for the new account
  const again = await new Visitor().signIn({ username: email, password: PASSWORD });
  expect(again.client.get('code')).toBeTruthy();
});

test('in the requesting browser the mailed link works like the code, a GET changes nothing, and another browser sees a notice', async () => {
  const email = newAddress();
  const { visitor, at } = await asking(email);
  const { link } = await codeMail(email);
  for (let opened = 0; opened < 3; opened += 1)
    expect(await visitor.open(link)).toMatchObject({ kind: 'ready', step: 'link', link });
  expect(await new Visitor().open(link)).toMatchObject({
    kind: 'elsewhere',
    heading: 'register.elsewhere_heading',
  });
  const shown = await visitor.open(link);
  if (shown.kind !== 'ready') throw new Error(shown.kind);
  const form = { interaction: shown.interaction, anti_forgery: shown.antiForgery };
  const wrong = await visitor.onward(
    await visitor.send('/register/submit', { ...form, link: 'x'.repeat(43) }),
  );
  expect(await visitor.view('register', wrong)).toMatchObject({
    step: 'code',
    alert: 'register.wrong_link',
  });
  const next = await visitor.onward(await visitor.send('/register/submit', { ...form, link }));
  expect(await visitor.view('register', next)).toMatchObject({ step: 'password' });
  // the tab that requested the code may continue with it
  const { code } = await codeMail(email);
  expect(await visitor.view('register', await visitor.submit(at, { code }))).toMatchObject({
    step: 'password',
  });
});

test('five wrong registration codes, even concurrent ones, block the right code, and a new code works', async () => {
  const email = newAddress();
  const { visitor, at } = await asking(email);
  const { code } = await codeMail(email);
  const wrong = code === '000000' ? '000001' : '000000';
  const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.post(at, { code: wrong })));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(303));
  expect(await sql('select attempts_left, state from person_registrations')).toEqual([
    { attempts_left: 0, state: 'open' },
  ]);
  const late = await visitor.submit(at, { code });
  expect(await visitor.view('register', late)).toMatchObject({ step: 'code' });
  await sql("delete from attempts where key like '%account%'");
  const other = await visitor.submit(late, { again: '1' });
  expect(await visitor.view('register', other)).toMatchObject({
    step: 'code',
    notice: 'register.sent_again',
  });
  const fresh = await codeMail(email);
  expect(await visitor.view('register', await visitor.submit(other, fresh))).toMatchObject({
    step: 'password',
  });
  // the row of the older registration was deleted
  expect(await sql('select from person_registrations')).toHaveLength(1);
});

test('registration with an invalid address shows an alert and sends no mail', async () => {
  const visitor = new Visitor();
  const at = await visitor.start({ prompt: 'create' });
  for (const email of [
    '',
    'ada',
    'a b@example.com',
    `${'a'.repeat(320)}@example.com`,
    'a\u0000@example.com',
    'ada@',
  ])
    expect(await visitor.view('register', await visitor.submit(at, { email })), email).toMatchObject({
      step: 'address',
      alert: 'register.not_an_address',
    });
  expect(await sql('select from person_registrations')).toEqual([]);
  expect(await sql('select from attempts')).toEqual([]);
  for (const email of [`"o'brien"@example.com`, 'jürgen@bücher.example'])
    expect(await visitor.view('register', await visitor.submit(at, { email })), email).toMatchObject({
      step: 'code',
      email,
    });
});

test('prompt=create leads to registration if the method permits it, and the metadata announce this, otherwise to sign-in', async () => {
  const promptsOf = async () =>
    jsonOf(await new Visitor().send('/auth/pw/api/orders/.well-known/openid-configuration'))[
      'prompt_values_supported'
    ];
  expect((await new Visitor().start({ prompt: 'create' })).page).toBe('register');
  expect(await promptsOf()).toContain('create');
  await registration('off');
  const at = await new Visitor().start({ prompt: 'create' });
  expect(await new Visitor().start({ prompt: 'create' })).toMatchObject({ page: 'login' });
  expect(await promptsOf()).not.toContain('create');
  expect(at.page).toBe('login');
  const form = {
    method: 'POST',
    path: '/register',
    query: '',
    headers: {},
    body: async () => Buffer.from(''),
    peerAddress: undefined,
    requestId: 'r',
  };
  expect(await handleHttp(form)).toBeNull();
});

test('RFC 9110 §9.2.1: a scanner that opens the link of a registration code and posts its form uses nothing up', async () => {
  const email = newAddress();
  const { visitor } = await asking(email);
  const { link } = await codeMail(email);
  for (let opened = 0; opened < 3; opened += 1)
    expect(await new Visitor().open(link)).toMatchObject({ kind: 'elsewhere' });
  const shown = await visitor.open(link);
  if (shown.kind !== 'ready') throw new Error(shown.kind);
  for (const method of ['GET', 'HEAD', 'OPTIONS']) await ask(`/register/submit?link=${link}`, { method });
  // simulates a script that copied the page's fields but does not have the page's cookie
  const form = { interaction: shown.interaction, anti_forgery: shown.antiForgery, link };
  for (const headers of [{}, { origin: settings().authUrl }])
    expect((await ask('/register/submit', { form, headers })).status).toBe(403);
  expect(await sql('select state from person_registrations')).toEqual([{ state: 'open' }]);
  const next = await visitor.onward(await visitor.send('/register/submit', form));
  expect(await visitor.view('register', next)).toMatchObject({ step: 'password', email });
});
