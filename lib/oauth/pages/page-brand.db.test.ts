// Brand on pages: the client's brand, the API's brand, or none.
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

test('unbranded pages keep the default look', async () => {
  expect(await signIn()).toMatchObject({ client: { colours: null, logoUri: null }, api: { logo: null } });
});

test('the client’s brand takes precedence over the API’s, separately for colours and for the logo', async () => {
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

test('a client whose data come only from its document shows no brand, whatever its row contains', async () => {
  await give('apis', brandOf('#1f3f7a'));
  await give('clients', brandOf('#7a1f5f', LOGO));
  await sql("update clients set origin = 'document' where client_id = 'tru'");
  expect(await signIn()).toMatchObject({ client: { colours: coloursOf('#1f3f7a'), logoUri: null } });
  await sql("update clients set origin = null where client_id = 'tru'");
});

test('the page that forwards the browser uses the brand, and its CSP permits only this style', async () => {
  await give('clients', brandOf('#7a1f5f'));
  const visitor = new Visitor();
  const { sealed } = await visitor.start();
  const answer = await ask(`/continue?interaction=${sealed}`, { headers: { cookie: visitor.jar.header } });
  const style = brandStyle(coloursOf('#7a1f5f')) ?? '';
  expect(String(answer.body)).toContain(`<style>${style}</style>`);
  expect(answer.headers['content-security-policy']).toMatch(/style-src 'self' 'sha256-[A-Za-z0-9+/]{43}='/);
  expect(style).toMatch(/^[a-z0-9.{}():;,@#=[\] -]+$/);
});

test('a mail is signed with the name of the requesting brand, for known and unknown addresses, and its subject contains the service name', async () => {
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

test('mails shorten a long name to sixty characters', async () => {
  await give('clients', brandOf('#7a1f5f'));
  await sql("update clients set name = repeat('🚢', 120) where client_id = 'tru'");
  // this sign-in loads the change into the registry of this process
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
