// Whose brand a page shows, and on which pages there is none.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { settleNotices } from '#lib/mail/send.ts';
import { requestPasswordReset } from '#lib/management/mail-links.ts';
import { brandColours } from '#lib/registry/brand.ts';
import { mailTo, sql } from '#testing/data/registry.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import { newAddress, proved, registration } from '#testing/in-process/registering.ts';
import { Visitor } from '#testing/in-process/visitor.ts';
import { brandStyle } from './frame.ts';

const LOGO = `/logo/${'a'.repeat(64)}`;
const brandOf = (accent: string | null, logo: string | null = null) =>
  JSON.stringify({ logo, accent, accent_dark: null });
const coloursOf = (accent: string) => brandColours({ accent, accentDark: null });

beforeAll(givenFixtures);
beforeEach(async () => {
  await sql('update clients set brand = null');
  await sql('update apis set brand = null');
  await sql("update subscriptions set state = 'approved' where client_id = 'tru' and api_id = 'orders'");
});
const give = (table: 'apis' | 'clients', brand: string) =>
  sql(`update ${table} set brand = $1 where ${table === 'apis' ? "id = 'orders'" : "client_id = 'tru'"}`, [
    brand,
  ]);
async function signIn() {
  const visitor = new Visitor();
  const view = await visitor.view('login', await visitor.start());
  if (view.kind !== 'ready') throw new Error(view.kind);
  return view;
}

test('without a brand a page looks as it always did', async () => {
  expect(await signIn()).toMatchObject({ client: { colours: null, logoUri: null }, api: { logo: null } });
});

test('an approved client’s own, then the API’s: colours and logo each for themselves', async () => {
  await give('apis', brandOf('#1f3f7a', LOGO));
  expect(await signIn()).toMatchObject({
    client: { colours: coloursOf('#1f3f7a'), logoUri: null },
    api: { logo: LOGO },
  });
  await give('clients', brandOf(null, LOGO));
  expect(await signIn()).toMatchObject({ client: { colours: coloursOf('#1f3f7a'), logoUri: LOGO } });
  await give('clients', brandOf('#7a1f5f'));
  expect(await signIn()).toMatchObject({ client: { colours: coloursOf('#7a1f5f'), logoUri: null } });
});

test('a client whose document alone describes it shows none, whatever its row says', async () => {
  await give('apis', brandOf('#1f3f7a'));
  await give('clients', brandOf('#7a1f5f', LOGO));
  await sql("update clients set origin = 'document' where client_id = 'tru'");
  expect(await signIn()).toMatchObject({ client: { colours: coloursOf('#1f3f7a'), logoUri: null } });
  await sql("update clients set origin = null where client_id = 'tru'");
});

test('the page that moves on by itself looks the same, and its policy lets that one style count', async () => {
  await give('clients', brandOf('#7a1f5f'));
  const visitor = new Visitor();
  const { sealed } = await visitor.start();
  const answer = await ask(`/continue?interaction=${sealed}`, { headers: { cookie: visitor.jar.header } });
  const style = brandStyle(coloursOf('#7a1f5f')) ?? '';
  expect(String(answer.body)).toContain(`<style>${style}</style>`);
  expect(answer.headers['content-security-policy']).toMatch(/style-src 'self' 'sha256-[A-Za-z0-9+/]{43}='/);
  expect(style).toMatch(/^[a-z0-9.{}():;,@#=[\] -]+$/);
});

test('mails of a request have the name of whose page asked, a known address and an unknown one alike; the subject has the service’s', async () => {
  const from = { ip: null, requestId: 'r' };
  const signedTo = async (email: string) => {
    const mails = await mailTo(email);
    expect(mails.map(({ subject }) => subject.split(':')[0])).toEqual(mails.map(() => 'Gatehouse'));
    return mails.map(({ text }) => /\n-- \n(.*) · \S+\s*$/.exec(text)?.[1]);
  };
  await give('clients', brandOf('#7a1f5f'));
  await sql("update clients set name = 'Harbour' where client_id = 'tru'");
  await registration('open');
  const email = newAddress();
  await proved(email);
  expect(await signedTo(email)).toEqual(['Harbour']);
  const [person] = await sql<{ email: string }>('insert into people (email) values ($1) returning email', [
    newAddress(),
  ]);
  for (const one of [person?.email ?? '', newAddress()]) {
    await requestPasswordReset({
      ...from,
      email: one,
      after: 'application',
      cameWith: { apiId: 'orders', clientId: 'tru' },
    });
    await requestPasswordReset({ ...from, email: one });
    await settleNotices();
    expect((await signedTo(one)).toSorted()).toEqual(['Gatehouse', 'Harbour']);
  }
});

test('of a long name a mail has sixty characters', async () => {
  await give('clients', brandOf('#7a1f5f'));
  await sql("update clients set name = repeat('🚢', 120) where client_id = 'tru'");
  // a mail takes the registry as this process knows it
  await signIn();
  const email = newAddress();
  await requestPasswordReset({
    ip: null,
    requestId: 'r',
    email,
    after: 'application',
    cameWith: { apiId: 'orders', clientId: 'tru' },
  });
  await settleNotices();
  const [mail] = await mailTo(email);
  expect(mail?.text).toContain(`\n-- \n${'🚢'.repeat(59)}… · `);
});
