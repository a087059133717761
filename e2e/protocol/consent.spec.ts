// Consent: per person, client and API, asked once, given only by the person on whose page it stands (cases CN).
import { expect, test } from '@playwright/test';
import {
  authorizeParams,
  Browser,
  hiddenFields,
  isConsentPage,
  isSignInPage,
  type Params,
  signIn,
} from '#testing/browser.ts';
import { issuerOf } from '#testing/door.ts';
import { fixtureClient, fixturePerson } from '#testing/fixtures.ts';
import type { Answer } from '#testing/http.ts';
import { claimsOf, redeem, tokensOf } from '#testing/token.ts';
import type { Client } from '#testing/world.ts';
import { makeApi, makeClient, makePerson, rowsOf, sql } from '../support/database.ts';
import { eachDoor } from '../support/doors.ts';
import { expectCode, expectErrorRedirect, expectPage } from '../support/expectations.ts';

const tru = fixtureClient('tru');

eachDoor((door) => {
  let browser: Browser;
  let client: Client;
  const person = () => makePerson(fixturePerson('alice'));

  test.beforeAll(async () => {
    browser = await signIn(door, await person(), tru);
  });
  test.beforeEach(async () => {
    client = await makeClient({ kind: 'confidential' });
  });

  test('CN-01: the page names the client, the API, the scopes and who is signed in', async () => {
    const someone = await person();
    const page = await (await signIn(door, someone, client)).start(client);
    expect(isConsentPage(page)).toBe(true);
    for (const words of [
      'Test confidential',
      'wants access to',
      'Orders',
      'See your orders',
      someone.email,
      'Allow',
      'Deny',
      'Not you?',
    ]) {
      expect(page.text).toContain(words);
    }
    expect(page.text).not.toContain('Place and change orders');
    expect(page.headers['cache-control']).toContain('no-store');
  });

  test('CN-02: a trusted subscription asks nothing', async () => {
    expectCode(await browser.ask(tru), door, tru);
  });

  test('CN-03: consent is remembered for its scopes, and one more scope is asked again', async () => {
    expectCode(await browser.finish(authorizeParams(client)), door, client);
    expectCode(await browser.ask(client), door, client);
    expectCode(await browser.ask(client, { prompt: 'none' }), door, client);
    const more = { scope: 'read write' };
    const silent = await browser.ask(client, { ...more, prompt: 'none' });
    expectErrorRedirect(silent, door, 'consent_required', client);
    expect(isConsentPage(await browser.start(client, more))).toBe(true);
    expectCode(await browser.finish(authorizeParams(client, more)), door, client);
    expectCode(await browser.ask(client), door, client);
  });

  test('CN-04: Deny is access_denied with the state, and nothing is stored', async () => {
    const page = await browser.start(client, { state: 'keep me' });
    const answer = await browser.onward(await browser.decideOn(page, 'deny'));
    expectErrorRedirect(answer, door, 'access_denied', { ...client, state: 'keep me' });
    expect(await rowsOf(client.clientId)).toMatchObject({ codes: 0, consents: 0 });
    expect(isConsentPage(await browser.start(client))).toBe(true);
  });

  test('CN-04: Cancel on the sign-in page is access_denied too', async () => {
    const fresh = new Browser(door);
    const page = await fresh.start(client);
    const answer = await fresh.onward(
      await fresh.submit('/login/submit', { ...hiddenFields(page), cancel: '1' }),
    );
    expectErrorRedirect(answer, door, 'access_denied', client);
  });

  test("CN-06: a consent form is of no use to another person, with either one's cookies", async () => {
    const mallory = await signIn(door, await person(), tru);
    const forms = {
      hers: hiddenFields(await browser.start(client)),
      his: hiddenFields(await mallory.start(client)),
    };
    expectPage(await browser.submit('/consent/submit', { ...forms.his, decision: 'allow' }), 403);
    expectPage(await mallory.submit('/consent/submit', { ...forms.hers, decision: 'allow' }), 403);
    const mixed = {
      interaction: forms.his['interaction'] ?? '',
      anti_forgery: forms.hers['anti_forgery'] ?? '',
    };
    expectPage(await browser.submit('/consent/submit', { ...mixed, decision: 'allow' }), 403);
    expect(await rowsOf(client.clientId)).toMatchObject({ consents: 0, codes: 0 });
  });

  test("CN-06: even in the same browser, a page that asked one person is not answered by another's session", async () => {
    const mine = await signIn(door, await person(), tru);
    const page = await mine.start(client);
    const login = await mine.start(tru, { prompt: 'login' });
    expect(isSignInPage(login)).toBe(true);
    await mine.onward(await mine.signInOn(login, await person()));
    expectPage(await mine.decideOn(page, 'allow'), 403);
    expect(await rowsOf(client.clientId)).toMatchObject({ consents: 0, codes: 0 });
  });

  test('CN-08: after a sign-out in another tab the open page gives nothing away', async () => {
    const mine = await signIn(door, await person(), tru);
    const page = await mine.start(client);
    const transaction = mine.jar.copy();
    const ask = await mine.get(`${door.url}/logout`);
    expect((await mine.submit('/logout/submit', hiddenFields(ask))).status).toBe(303);
    expectPage(await mine.decideOn(page, 'allow'), 403);
    // not even with the cookie that the sign-out took away
    expectPage(await new Browser(door, transaction).decideOn(page, 'allow'), 403);
    expect(await rowsOf(client.clientId)).toMatchObject({ consents: 0, codes: 0 });
  });

  test('CN-09: Not you? leads to the sign-in page, and the next person is asked for herself', async () => {
    const mine = await signIn(door, await person(), tru);
    const page = await mine.start(client);
    const login = await mine.onward(
      await mine.submit('/consent/submit', { ...hiddenFields(page), switch: '1' }),
    );
    expect(isSignInPage(login)).toBe(true);
    const other = await person();
    const again = await mine.onward(await mine.signInOn(login, other));
    expect(isConsentPage(again)).toBe(true);
    expect(again.text).toContain(other.email);
    const code = expectCode(await mine.onward(await mine.decideOn(again, 'allow')), door, client);
    const { accessToken } = tokensOf(await redeem(door, client, { code }));
    expect(claimsOf(accessToken)['sub']).toBe(other.id);
  });

  test('CN-10: a native client asks each time, unless it is trusted', async () => {
    const native = await makeClient({ kind: 'native', redirectUris: ['com.example.test:/cb'] });
    expectCode(await browser.finish(authorizeParams(native)), door, native);
    expect(isConsentPage(await browser.start(native))).toBe(true);
    expectErrorRedirect(await browser.ask(native, { prompt: 'none' }), door, 'consent_required', native);
    const trusted = await makeClient({
      kind: 'native',
      redirectUris: ['com.example.test:/cb'],
      trusted: true,
    });
    expectCode(await browser.ask(trusted), door, trusted);
  });

  test('CN-11: the name of a client is text and nothing else', async () => {
    const name = '<img src=x onerror=alert(1)>\u202e"\'&';
    const odd = await makeClient({ kind: 'confidential', name });
    const pages = [await browser.start(odd), await new Browser(door).start(odd)];
    for (const page of pages) {
      expect(page.status).toBe(200);
      expect(page.text).not.toContain('<img src=x');
      expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;');
      expect(page.text).toMatch(/<bdi[^>]*>&lt;img/);
    }
  });

  test('CN-12: a form older than ten minutes is a page that says so, and a tampered one is refused', async () => {
    const page = await browser.start(client);
    const fields = hiddenFields(page);
    const sealed = fields['interaction'] ?? '';
    const tampered = `${sealed.slice(0, 20)}${sealed[20] === 'A' ? 'B' : 'A'}${sealed.slice(21)}`;
    expectPage(
      await browser.submit('/consent/submit', { ...fields, interaction: tampered, decision: 'allow' }),
      403,
    );
    expectPage(await browser.submit('/consent/submit', { ...fields, decision: 'perhaps' }), 403);
    expectPage(await browser.submit('/consent/submit', fields), 403);
    expect(await rowsOf(client.clientId)).toMatchObject({ consents: 0 });
  });

  test('section 5: a client that was disabled or unsubscribed while the page stood open gets no code', async () => {
    const page = await browser.start(client);
    await sql("update subscriptions set state = 'suspended' where client_id = $1", [client.clientId]);
    const answer = await browser.onward(await browser.decideOn(page, 'allow'));
    expect(answer.location).not.toContain('code=');
    expect(answer.status).toBeLessThan(500);
    expect(await rowsOf(client.clientId)).toMatchObject({ codes: 0 });
  });

  test.describe('what was shown is what is granted', () => {
    const grantedTo = async ({ clientId }: Client) =>
      (await sql<{ scopes: string[] }>('select scopes from consents where client_id = $1', [clientId]))[0]
        ?.scopes;
    const allow = (page: Answer) => browser.decideOn(page, 'allow');
    let api: { id: string };
    let asker: Client;
    /** without a scope: all of the API's */
    const ask = (changes: Params = {}) =>
      browser.start(asker, { scope: undefined, ...changes }, { api: api.id });
    const addScope = (name = 'audit:export') =>
      sql("insert into api_scopes (api_id, name, description) values ($1, $2, 'Take everything')", [
        api.id,
        name,
      ]);

    test.beforeEach(async () => {
      api = await makeApi({});
      asker = await makeClient({ kind: 'confidential', apis: [api.id] });
    });

    test('a scope that the API gains between page and form is not granted: the page comes again', async () => {
      const page = await ask();
      expect(page.text).not.toContain('Take everything');
      await addScope();
      const again = await browser.onward(await allow(page));
      expect(isConsentPage(again)).toBe(true);
      expect(again.text).toContain('What is asked of you has changed');
      expect(again.text).toContain('Take everything');
      expect(await rowsOf(asker.clientId)).toMatchObject({ consents: 0, codes: 0 });
      const issuer = issuerOf(door, 'pw', api.id);
      expectCode(await browser.onward(await allow(again)), door, { ...asker, issuer });
      expect(await grantedTo(asker)).toEqual(['audit:export', 'read', 'write']);
    });

    test('one that it gains between the form and the code is asked for on a page of its own', async () => {
      const answer = await allow(await ask());
      await addScope();
      const again = await browser.onward(answer);
      expect(isConsentPage(again)).toBe(true);
      expect(again.text).toContain('Take everything');
      expect(await rowsOf(asker.clientId)).toMatchObject({ consents: 1, codes: 0 });
      expect(await grantedTo(asker)).toEqual(['read', 'write']);
    });

    test('a yes to two scopes is none to a third that an earlier yes named, where the client wants to ask', async () => {
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
      test(`${what} is shown before it counts`, async () => {
        const page = await ask();
        await sql(statement, [id()]);
        const again = await browser.onward(await allow(page));
        expect(isConsentPage(again)).toBe(true);
        expect(again.text).toContain('What is asked of you has changed');
        expect(await rowsOf(asker.clientId)).toMatchObject({ consents: 0, codes: 0 });
      });
    }

    test('the address of the page is no form: without what it showed, a post is refused', async () => {
      const started = await browser.ask(asker, {}, { api: api.id });
      const sealed = new URL(started.location).searchParams.get('interaction') ?? '';
      const fields = { ...hiddenFields(await ask()), interaction: sealed, decision: 'allow' };
      expectPage(await browser.submit('/consent/submit', fields), 403);
      expect(await rowsOf(asker.clientId)).toMatchObject({ consents: 0, codes: 0 });
    });
  });
});
