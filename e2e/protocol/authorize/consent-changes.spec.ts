// Granted permissions equal the displayed consent, even if it changes before the user's decision.
import { expect, test } from '@playwright/test';
import { type Client, fixtureClient } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import type { Answer } from '#testing/net/sent.ts';
import { type Browser, hiddenFields, isConsentPage, type Params, signIn } from '#testing/service/browser.ts';
import { expectCode, expectPage } from '../../support/clients/expectations.ts';
import { makeApi, makeClient, makePerson, rowsOf, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

let browser: Browser;

test.beforeAll(async () => {
  browser = await signIn(door, await makePerson(), fixtureClient('tru'));
});

test.describe('granted permissions equal displayed permissions', () => {
  const grantedTo = async ({ clientId }: Client) =>
    (await sql<{ scopes: string[] }>('select scopes from consents where client_id = $1', [clientId]))[0]
      ?.scopes;
  const allow = (page: Answer) => browser.decideOn(page, 'allow');
  let api: { id: string };
  let asker: Client;
  /** if the request contains no scope, it asks for all scopes of the API */
  const ask = (changes: Params = {}) =>
    browser.start(asker, { scope: undefined, ...changes }, { api: api.id });
  const addScope = (name = 'audit:export') =>
    sql("insert into api_scopes (api_id, name, description) values ($1, $2, 'Take everything')", [
      api.id,
      name,
    ]);

  test.beforeEach(async () => {
    api = await makeApi();
    asker = await makeClient({ apis: [api.id] });
  });

  test('a scope added between consent page and form is not granted, and the page appears again', async () => {
    const page = await ask();
    expect(page.text).not.toContain('Take everything');
    await addScope();
    const again = await browser.onward(await allow(page));
    expect(isConsentPage(again)).toBe(true);
    expect(again.text).toContain('The request has changed');
    expect(again.text).toContain('Take everything');
    expect(await rowsOf(asker.clientId)).toMatchObject({ consents: 0, codes: 0 });
    const issuer = issuerOf(door, 'pw', api.id);
    expectCode(await browser.onward(await allow(again)), door, { ...asker, issuer });
    expect(await grantedTo(asker)).toEqual(['audit:export', 'read', 'write']);
  });

  test('a scope added between consent form and code requires a separate consent page', async () => {
    const answer = await allow(await ask());
    await addScope();
    const again = await browser.onward(answer);
    expect(isConsentPage(again)).toBe(true);
    expect(again.text).toContain('Take everything');
    expect(await rowsOf(asker.clientId)).toMatchObject({ consents: 1, codes: 0 });
    expect(await grantedTo(asker)).toEqual(['read', 'write']);
  });

  test('prompt=consent: a consent for two scopes excludes a third scope from an earlier consent', async () => {
    await addScope();
    await browser.onward(await allow(await ask()));
    await sql("delete from api_scopes where api_id = $1 and name = 'audit:export'", [api.id]);
    await sql('delete from codes where client_id = $1', [asker.clientId]);
    const answer = await allow(await ask({ prompt: 'consent' }));
    await addScope();
    expect(isConsentPage(await browser.onward(answer))).toBe(true);
    expect(await rowsOf(asker.clientId)).toMatchObject({ codes: 0 });
  });

  const changes: [string, string, () => string][] = [
    ['a scope less', "delete from api_scopes where api_id = $1 and name = 'write'", () => api.id],
    [
      'another meaning of a scope',
      "update api_scopes set description = 'Read your letters' where api_id = $1 and name = 'read'",
      () => api.id,
    ],
    [
      'another name of the client',
      "update clients set name = 'Your bank' where client_id = $1",
      () => asker.clientId,
    ],
    ['another name of the API', "update apis set name = 'Letters' where id = $1", () => api.id],
  ];
  for (const [what, statement, id] of changes) {
    test(`${what} appears on a new page before a consent is stored`, async () => {
      const page = await ask();
      await sql(statement, [id()]);
      const again = await browser.onward(await allow(page));
      expect(isConsentPage(again)).toBe(true);
      expect(again.text).toContain('The request has changed');
      expect(await rowsOf(asker.clientId)).toMatchObject({ consents: 0, codes: 0 });
    });
  }

  test('a consent form without the page’s fields is rejected', async () => {
    const started = await browser.ask(asker, {}, { api: api.id });
    const sealed = new URL(started.location).searchParams.get('interaction') ?? '';
    const fields = { ...hiddenFields(await ask()), interaction: sealed, decision: 'allow' };
    expectPage(await browser.submit('/consent/submit', fields), 403);
    expect(await rowsOf(asker.clientId)).toMatchObject({ consents: 0, codes: 0 });
  });
});
