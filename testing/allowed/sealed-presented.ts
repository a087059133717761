// Creates each sealed value of lib/sealed-values.db.test.ts for the person, the method and the client of a test
// world, and presents it later like its holder.
import { randomUUID } from 'node:crypto';
import { findDraft, storeDraft } from '#app/(console)/_kit/draft.ts';
import { storeNotice, takeNotice } from '#app/(console)/_kit/notices.ts';
import { Fields } from '#app/(console)/_kit/posted.ts';
import { findResult, storeResult } from '#app/(console)/_kit/test-result.ts';
import { accountName } from '#lib/auth-methods/attempts.ts';
import { passkeyChallenge, provePasskey } from '#lib/factors/passkeys.ts';
import { newTotp } from '#lib/factors/totp.ts';
import { withCookie } from '#lib/http/cookies.ts';
import { now } from '#lib/kit/clock.ts';
import { setUpFactor, signInToConsole, viewOwedPassword } from '#lib/management/console-sign-in.ts';
import { linkIdentity } from '#lib/management/links.ts';
import { openInteraction } from '#lib/oauth/authorize/interaction.ts';
import { keepPending, nameOfForm, readAnswer } from '#lib/oauth/broker.ts';
import { findIssuer } from '#lib/oauth/issuer.ts';
import { readHint, shortHint } from '#lib/oauth/openid.ts';
import { acceptInvitation, viewInvited } from '#lib/oauth/pages/register.ts';
import { openSignOut, sealSignOut } from '#lib/oauth/sign-out-request.ts';
import { readConsoleActor, readConsoleVisitor, startConsoleSession } from '#lib/sessions/console.ts';
import { findKnownDevice, rememberDevice } from '#lib/sessions/known-device.ts';
import { type StateReader, storeProvedSignIn } from '#lib/sessions/page-state.ts';
import { raiseSession, readSessionHash } from '#lib/sessions/sign-in.ts';
import {
  antiForgeryToken,
  isAntiForgeryToken,
  openTransaction,
  readBrowser,
} from '#lib/sessions/transaction.ts';
import { openOwedPassword, readOwedPassword, sealOwedPassword } from '#lib/sign-in/steps.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { mailTo, PASSWORD, sql } from '../data/registry.ts';
import { codeOf } from '../factors/factors.ts';
import { BROWSER, givenPasskey, inContext } from '../factors/passkeys.ts';
import { browserWith, held, sealApp } from '../in-process/console-session.ts';
import { ask } from '../in-process/in-process.ts';
import { givenStranger } from '../in-process/links.ts';
import { openIdTokens } from '../in-process/openid.ts';
import { type Place, Visitor } from '../in-process/visitor.ts';
import { CookieJar } from '../net/cookie-jar.ts';
import { callback, PROBES, signIn, type World } from './allowed-world.ts';

/** Presents the sealed value; returns `true` if it still works. */
type Presented = () => Promise<boolean>;

const FROM = { ip: null, userAgent: null };
const isTaken = async (work: () => Promise<unknown>): Promise<boolean> => {
  try {
    return (await work()) !== false;
  } catch {
    return false;
  }
};

async function epochOf(table: 'people' | 'auth_methods', id: string): Promise<string> {
  const [row] = await sql<{ epoch: string }>(`select epoch from ${table} where id::text = $1`, [id]);
  return String(row?.epoch);
}

/** Starts a console session by two sign-in steps. */
async function atConsole({ me }: World, authMethodId: string): Promise<string> {
  const started = await startConsoleSession({
    ...{ ...FROM, requestId: randomUUID(), cookieHeader: undefined, authMethodId, methodEpoch: null },
    ...{ personId: me.id, personEpoch: await epochOf('people', me.id) },
    acrLevel: 2,
    amr: ['pwd', 'otp', 'mfa'],
  });
  return held(started?.cookie ?? '');
}

/** Returns a console session that can read its stored state, even if it has expired. */
async function readerAtConsole(world: World): Promise<StateReader> {
  const actor = await readConsoleActor(await atConsole(world, world.method), null);
  if (!actor) throw new Error('signed out');
  return actor;
}

/** Returns the page to which the client's authorization request leads, with or without a session. */
async function led(world: World, cookie: string | null): Promise<{ visitor: Visitor; place: Place }> {
  const visitor = new Visitor(new CookieJar());
  if (cookie !== null) visitor.jar.keep([cookie]);
  const asked = { client_id: world.clientId, redirect_uri: callback(world.tag), scope: 'read' };
  return { visitor, place: await visitor.start(asked, `/auth/${world.method}/api/${world.apis.beside}`) };
}

export const PRESENTED: Record<string, (world: World) => Promise<Presented>> = {
  'lib/sessions/sign-in.ts': async (world) => {
    const cookie = (await signIn(world, world.method)) ?? '';
    return () => PROBES.session({ ...world, cookie });
  },
  'lib/sessions/console.ts': async (world) => {
    const cookie = await atConsole(world, world.method);
    return async () => (await readConsoleActor(cookie, null)) !== null;
  },
  'lib/sessions/trusted-browser.ts': async (world) => {
    const { me, method } = world;
    const raised = await raiseSession({
      ...{ ...FROM, requestId: randomUUID(), cookieHeader: (await signIn(world, method)) ?? '' },
      ...{ authMethodId: method, personId: me.id, trust: true },
      proof: { kind: 'totp', level: 2, amr: ['otp'] },
    });
    const cookie = (raised?.cookies ?? []).map(held).join('; ');
    return () =>
      isTaken(async () => {
        const fresh = await signIn(world, method, cookie);
        const hash = fresh && (await readSessionHash(fresh, method));
        const spared = 'select from sessions where id_hash = $1 and trusted_browser is not null';
        return (await sql(spared, [hash])).length > 0;
      });
  },
  'lib/sessions/known-device.ts': async ({ me, method }) => {
    const account = accountName({ id: method, type: 'local' }, me.email ?? '');
    const personEpoch = await epochOf('people', me.id);
    const cookie = held(rememberDevice(undefined, [account], { personId: me.id, personEpoch }));
    return async () => (await findKnownDevice(cookie, account)) !== null;
  },
  'lib/sessions/page-state.ts': async (world) => {
    const cookie = await atConsole(world, 'pw');
    const actor = await readConsoleActor(cookie, null);
    const { personId } = await givenStranger(`s-${world.tag}`, { method: world.method });
    const proved = {
      ...{ authMethodId: world.method, methodEpoch: await epochOf('auth_methods', world.method) },
      ...{ personId, at: now().getTime() },
    };
    const proof = (await storeProvedSignIn(proved, actor?.session.idHash ?? Buffer.alloc(0))) ?? '';
    return () =>
      isTaken(async () => {
        const who = await readConsoleActor(cookie, { id: randomUUID(), ip: null });
        return who !== null && linkIdentity(who, { proof });
      });
  },
  'lib/sign-in/steps.ts': async ({ me: { id: personId }, method: authMethodId }) => {
    const [personEpoch, methodEpoch] = await Promise.all([
      epochOf('people', personId),
      epochOf('auth_methods', authMethodId),
    ]);
    const proved = { kind: 'identity', personId, personEpoch, methodEpoch, account: 'me' } as const;
    const owed = sealOwedPassword({ ...proved, attempts: [] }, { authMethodId, holder: 'here' });
    return async () => {
      const opened = openOwedPassword(owed, 'here');
      return opened !== null && (await readOwedPassword(opened)) !== null;
    };
  },
  'lib/management/console-sign-in.ts': async ({ me, method }) => {
    const mustChange = (must: boolean) =>
      sql('update people set must_change_password = $2 where id = $1', [me.id, must]);
    await mustChange(true);
    const cookieHeader = held(openTransaction(undefined).cookie);
    const browser = { ...FROM, requestId: randomUUID(), cookieHeader };
    const asked = { authMethodId: method, username: me.email ?? '', password: PASSWORD };
    const signedIn = await signInToConsole({ ...browser, ...asked });
    await mustChange(false);
    if (signedIn.kind !== 'owes-password') throw new Error(signedIn.kind);
    const cookie = withCookie(cookieHeader, signedIn.cookie ?? '');
    return async () => (await viewOwedPassword(signedIn.owed, cookie)) !== null;
  },
  'lib/sessions/transaction.ts': async () => {
    const { browser } = openTransaction(undefined);
    const token = antiForgeryToken(browser, 'a form');
    return async () => isAntiForgeryToken(token, browser, 'a form');
  },
  'lib/oauth/authorize/interaction.ts': async (world) => {
    const { visitor, place } = await led(world, await signIn(world, world.method));
    return () => isTaken(async () => (await visitor.submit(place, { decision: 'allow' })).client.has('code'));
  },
  'lib/oauth/broker.ts': async (world) => {
    const { visitor, place } = await led(world, null);
    const opened = openInteraction(place.sealed, readBrowser(visitor.jar.header));
    if (opened === null || opened === 'expired') throw new Error('no interaction');
    const state = randomUUID();
    await keepPending({ interaction: opened, expectation: { state } as never, counted: [] });
    return () =>
      isTaken(async () => {
        const query = new URLSearchParams({ state, error: 'access_denied' });
        const headers = { cookie: visitor.jar.header, accept: 'text/html' };
        const answer = await ask(`/auth/callback/broker?${query}`, { headers });
        // the broker's error page links to the client
        const back = [...String(answer.body).matchAll(/href="([^"]*interaction=[^"]*)"/g)].at(-1)?.[1] ?? '';
        const { client } = await visitor.onward(await visitor.send(back.replaceAll('&amp;', '&')));
        return client.get('error') === 'access_denied';
      });
  },
  'lib/oauth/broker.ts, name of a form': async () => {
    const state = randomUUID();
    const user = JSON.stringify({ name: { firstName: 'Ada', lastName: 'Byron' } });
    const name = nameOfForm(String(new URLSearchParams({ state, user }))) ?? '';
    return async () => {
      const read = readAnswer(String(new URLSearchParams({ state, code: 'c', user: name })), 'https://here');
      return 'outcome' in read && 'name' in read.outcome && read.outcome.name === 'Ada Byron';
    };
  },
  'lib/oauth/sign-out-request.ts': async (world) => {
    const { browser } = openTransaction(undefined);
    const asked = { authMethodId: world.method, apiId: world.apis.plain, returnTo: null, fault: null };
    const sealed = sealSignOut({ ...asked, browser, startedAt: now().getTime(), done: false });
    return async () => !['expired', null].includes(openSignOut(sealed, browser) as null);
  },
  'lib/oauth/openid.ts': async (world) => {
    const issuer = async () =>
      findIssuer(await currentSnapshot(), {
        ...{ authMethodId: world.method, apiId: world.apis.trust },
      });
    const client = { client_id: world.clientId, client_secret: world.secret };
    const cookie = (await signIn(world, world.method)) ?? '';
    const path = `/auth/${world.method}/api/${world.apis.trust}`;
    const { id_token: token = '' } = await openIdTokens(client, { cookie, scope: 'openid', path });
    const hint = shortHint(await issuer(), token);
    return () => isTaken(async () => readHint(await issuer(), hint)?.sub === world.me.id);
  },
  'lib/oauth/pages/register.ts': async ({ tag }) => {
    const [mail] = await mailTo(`invited-${tag}@example.com`);
    const invitation = /invitation=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
    const fields = new Map(Object.entries({ invitation, name: 'Ada', password: 'x' }));
    const answer = await acceptInvitation({ headers: {}, requestId: randomUUID() } as never, fields);
    const again = new URL(String(answer.headers['location'])).searchParams.get('again') ?? undefined;
    const cookie = held(String(answer.headers['set-cookie']));
    return async () => {
      const view = await viewInvited({ invitation, again, done: undefined, cookie });
      return view.kind === 'invited' && view.name === 'Ada' && view.alert !== null;
    };
  },
  'lib/factors/passkeys.ts': async ({ me: { id: personId } }) => {
    const authenticator = await givenPasskey(personId);
    const { options, state } = await passkeyChallenge({ browser: BROWSER, personId });
    const response = authenticator.get(options);
    return async () => {
      const proved = await provePasskey({
        browser: BROWSER,
        state,
        response,
        personId,
        context: inContext(),
      });
      return proved.kind === 'proved';
    };
  },
  'lib/factors/totp.ts': async (world) => {
    const cookie = await atConsole(world, world.method);
    const { secret } = await newTotp({ label: 'x' });
    const sealed = await sealApp(cookie, secret);
    return () =>
      isTaken(async () => {
        const who = await readConsoleVisitor(cookie, { id: randomUUID(), ip: null });
        // removes the previous app
        await sql('delete from totp_secrets where person_id = $1', [world.me.id]);
        return who !== null && setUpFactor(who, { sealed, code: codeOf(secret) }, browserWith(cookie));
      });
  },
  'app/(console)/_kit/draft.ts': async (world) => {
    const holder = { actor: await readerAtConsole(world), cookie: undefined };
    const draft = { form: 'name', because: 'invalid', message: null, faults: {} } as const;
    const stored = await storeDraft(draft, new Fields([['name', 'Ada']]), holder);
    return async () => (await findDraft(stored?.id, holder))?.entries[0]?.[1] === 'Ada';
  },
  'app/(console)/_kit/test-result.ts': async (world) => {
    const reader = await readerAtConsole(world);
    const id = await storeResult('mail', { state: 'ok', tookMs: 1, steps: [] }, reader);
    return async () => (await findResult(id ?? '', 'mail', reader))?.state === 'ok';
  },
  'app/(console)/_kit/notices.ts': async (world) => {
    const reader = await readerAtConsole(world);
    // notices are shown once: create one per presentation
    const ids = await Promise.all([1, 2, 3].map(() => storeNotice('saved', { about: 'Shop' }, reader)));
    return async () => (await takeNotice(ids.pop() ?? '', 'saved', reader))?.about === 'Shop';
  },
};
