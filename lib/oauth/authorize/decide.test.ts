import { expect, test } from 'vitest';
import { allowance } from './interaction.ts';
import {
  type AuthorizeDecision,
  type AuthorizeQuestion,
  askingOf,
  codeBasis,
  decideAuthorize,
} from './request.ts';

const NOW = new Date('2026-01-01T12:00:00Z');
const NOTHING = { session: null, interaction: null, expectedPersonId: null, graceDays: 0 };
type Inputs = AuthorizeQuestion & { facts: Parameters<typeof decideAuthorize>[1] };

const request = ({ scopes = ['read'], ...over }: { scopes?: string[]; [member: string]: unknown } = {}) =>
  ({
    client: { confidential: true, applicationType: 'web' },
    scopes,
    consentScopes: scopes,
    trusted: false,
    redirectUri: 'https://shop.example/cb',
    prompt: new Set(),
    maxAgeSeconds: null,
    strength: { level: null, policy: 'own' },
    ...over,
  }) as unknown as Inputs['request'];
const facts = (over: object = {}) =>
  ({
    personId: 'alice',
    authTime: new Date(NOW.getTime() - 60_000),
    consented: null,
    mayUse: true,
    level: 1,
    factorLevel: 0,
    trusted: false,
    inGrace: null,
    offered: false,
    ...over,
  }) as Inputs['facts'];
const interaction = (over: object = {}) => over as Inputs['interaction'];
const allowed = (session: string, ...scopes: string[]) =>
  interaction({ allowed: allowance(session, scopes) });

function outcome({ facts = null, ...inputs }: Partial<Inputs>): string {
  const asked = { ...NOTHING, request: request(), ...inputs };
  const decision: AuthorizeDecision = decideAuthorize(asked, facts, NOW);
  if (decision.kind === 'error') return decision.error.code;
  return decision.kind === 'issue' ? `issue by ${codeBasis(asked)}` : decision.kind;
}
const signedIn = { facts: facts(), session: 's' };
const consented = { facts: facts({ consented: ['read', 'write'] }), session: 's' };
const prompt = (...values: string[]) => request({ prompt: new Set(values) });
const native = { confidential: false, applicationType: 'native' };

test.each<[string, Partial<Inputs>, string]>([
  ['nobody signed in', {}, 'login'],
  ['AZ-16: nobody signed in, silently', { request: prompt('none') }, 'login_required'],
  ['signed in, never asked', signedIn, 'consent'],
  ['SN-01: signed in, never asked, silently', { ...signedIn, request: prompt('none') }, 'consent_required'],
  ['consent covers the scopes', consented, 'issue by consent'],
  ['consent covers the scopes, silently', { ...consented, request: prompt('none') }, 'issue by consent'],
  [
    'consent does not cover them',
    { ...consented, request: request({ scopes: ['read', 'delete'] }) },
    'consent',
  ],
  [
    'a trusted subscription asks for no consent',
    { ...signedIn, request: request({ trusted: true }) },
    'issue by trust',
  ],
  ['prompt=select_account asks who it is', { ...consented, request: prompt('select_account') }, 'login'],
  [
    'a hint at the person who is signed in changes nothing',
    { ...consented, expectedPersonId: 'alice' },
    'issue by consent',
  ],
  ['a hint at somebody else asks to sign in', { ...consented, expectedPersonId: 'bob' }, 'login'],
  [
    'a hint at somebody else, silently',
    { ...consented, expectedPersonId: 'bob', request: prompt('none') },
    'login_required',
  ],
  [
    'somebody else signed in than the hint names',
    {
      ...consented,
      expectedPersonId: 'bob',
      interaction: interaction({ signedIn: 's' }),
    },
    'login_required',
  ],
  ['not for this person', { session: 's', facts: facts({ consented: ['read'], mayUse: false }) }, 'refused'],
  [
    'not for this person, silently',
    { session: 's', facts: facts({ consented: ['read'], mayUse: false }), request: prompt('none') },
    'access_denied',
  ],
  [
    'not for this person, who wants to be somebody else',
    { session: 's', facts: facts({ mayUse: false }), interaction: interaction({ switching: true }) },
    'login',
  ],
  [
    'not for this person, who goes back',
    { ...consented, interaction: interaction({ refused: true }) },
    'access_denied',
  ],
  ['the person said no', { ...signedIn, interaction: interaction({ denied: true }) }, 'access_denied'],
  ['prompt=login asks again', { ...consented, request: prompt('login') }, 'login'],
  [
    'prompt=login is content with a sign-in of this interaction',
    { ...consented, request: prompt('login'), interaction: interaction({ signedIn: 's' }) },
    'issue by consent',
  ],
  [
    'prompt=login is not content with another session’s',
    { ...consented, request: prompt('login'), interaction: interaction({ signedIn: 'other' }) },
    'login',
  ],
  ['prompt=consent asks again', { ...consented, request: prompt('consent') }, 'consent'],
  [
    'prompt=consent is content with a yes of this interaction',
    { ...consented, request: prompt('consent'), interaction: allowed('s', 'read') },
    'issue by consent',
  ],
  [
    'a yes to other scopes does not count, not even where they were consented to before',
    {
      ...consented,
      request: request({ prompt: new Set(['consent']), scopes: ['read', 'write'] }),
      interaction: allowed('s', 'read'),
    },
    'consent',
  ],
  [
    'a yes of another session does not count',
    { ...consented, request: prompt('consent'), interaction: allowed('other', 'read') },
    'consent',
  ],
  [
    'RFC 8252 §8.6: a native client asks each time',
    { ...consented, request: request({ client: native }) },
    'consent',
  ],
  [
    'RFC 8252 §8.6: a private-use scheme of a confidential client asks each time',
    { ...consented, request: request({ redirectUri: 'app.immich:///cb' }) },
    'consent',
  ],
  [
    'RFC 8252 §8.6: and gets no code silently',
    { ...consented, request: request({ redirectUri: 'app.immich:///cb', prompt: new Set(['none']) }) },
    'consent_required',
  ],
  [
    'RFC 8252 §8.6: nor with trust',
    {
      ...consented,
      request: request({ redirectUri: 'app.immich:///cb', trusted: true, prompt: new Set(['none']) }),
    },
    'interaction_required',
  ],
  [
    'trust answers a private-use scheme after an act',
    { ...consented, request: request({ redirectUri: 'app.immich:///cb', trusted: true }) },
    'issue by trust',
  ],
  ...(['com.example.app:/cb', 'http://127.0.0.1:4000/cb'] as const).map(
    (redirectUri): [string, Partial<Inputs>, string] => [
      `RFC 8252 §8.6: a trusted native client at ${redirectUri} gets no code silently`,
      {
        ...consented,
        request: request({ client: native, trusted: true, redirectUri, prompt: new Set(['none']) }),
      },
      'interaction_required',
    ],
  ),
  [
    'RFC 8252 §8.6: a trusted native client at a claimed https address does',
    {
      ...consented,
      request: request({
        client: native,
        trusted: true,
        redirectUri: 'https://app.example/cb',
        prompt: new Set(['none']),
      }),
    },
    'issue by trust',
  ],
  [
    'RFC 8252 §8.6: nobody signed in, silently, at a trusted native client',
    {
      request: request({
        client: native,
        trusted: true,
        redirectUri: 'com.example.app:/cb',
        prompt: new Set(['none']),
      }),
    },
    'login_required',
  ],
  [
    'a native client that is trusted does not',
    { ...consented, request: request({ client: native, trusted: true }) },
    'issue by trust',
  ],
  [
    'max_age that is passed asks for a sign-in',
    { ...consented, request: request({ maxAgeSeconds: 59 }) },
    'login',
  ],
  [
    'max_age that holds does not',
    { ...consented, request: request({ maxAgeSeconds: 60 }) },
    'issue by consent',
  ],
  ['a second factor comes before a consent', { ...signedIn, facts: facts({ factorLevel: 2 }) }, 'confirm'],
  [
    'and before an approval',
    { ...signedIn, facts: facts({ factorLevel: 2 }), request: request({ waits: true }) },
    'confirm',
  ],
  [
    'and after a sign-in',
    { ...signedIn, facts: facts({ factorLevel: 2 }), request: prompt('login') },
    'login',
  ],
  [
    'not of somebody else than the hint names',
    { ...signedIn, facts: facts({ factorLevel: 2 }), expectedPersonId: 'bob' },
    'login',
  ],
  [
    'a second factor, silently',
    { ...consented, facts: facts({ factorLevel: 2, consented: ['read'] }), request: prompt('none') },
    'login_required',
  ],
  [
    'a second factor of this session, whose max_age counts from the password',
    { ...signedIn, facts: facts({ level: 2, factorLevel: 2 }), request: request({ maxAgeSeconds: 59 }) },
    'login',
  ],
  [
    'a sign-in of this interaction satisfies max_age=0',
    {
      ...consented,
      request: request({ maxAgeSeconds: 0 }),
      interaction: interaction({ signedIn: 's' }),
    },
    'issue by consent',
  ],
  ['prompt=create asks to register', { ...consented, request: prompt('create') }, 'login'],
  ['a client without approval waits', { ...consented, request: request({ waits: true }) }, 'approval'],
  [
    'RFC 3986 §3.1: a trusted native client at a claimed HTTPS address gets a code silently',
    {
      ...consented,
      request: request({
        client: native,
        trusted: true,
        redirectUri: 'HTTPS://app.example/cb',
        prompt: new Set(['none']),
      }),
    },
    'issue by trust',
  ],
  [
    'a client without approval gets consent_required with prompt=none',
    { ...consented, request: request({ waits: true, prompt: new Set(['none']) }) },
    'consent_required',
  ],
  [
    'a user whose groups permit no scope is refused',
    { ...consented, request: request({ shutOut: true }) },
    'refused',
  ],
  [
    'a user whose groups permit no scope gets access_denied with prompt=none',
    { ...consented, request: request({ shutOut: true, prompt: new Set(['none']) }) },
    'access_denied',
  ],
  [
    'a trusted client does not admit a user without the required claim',
    { session: 's', facts: facts({ mayUse: false }), request: request({ trusted: true }) },
    'refused',
  ],
  [
    'a document client with an https address needs no second consent',
    {
      ...consented,
      request: request({
        client: { ...native, origin: 'document' },
        redirectUri: 'HTTPS://app.example/cb',
      }),
    },
    'issue by consent',
  ],
  [
    'RFC 8252 §8.6: a document client with another address needs consent each time',
    {
      ...consented,
      request: request({
        client: { ...native, origin: 'document' },
        redirectUri: 'app:https://app.example/cb',
      }),
    },
    'consent',
  ],
  [
    'RFC 8252 §8.6: a native client with an https address needs consent each time',
    { ...consented, request: request({ client: native, redirectUri: 'https://app.example/cb' }) },
    'consent',
  ],
  [
    'RFC 8252 §8.6: a trusted native client at an address that contains https gets no code silently',
    {
      ...consented,
      request: request({
        client: native,
        trusted: true,
        redirectUri: 'app:https://app.example/cb',
        prompt: new Set(['none']),
      }),
    },
    'interaction_required',
  ],
  [
    'max_age that is passed, silently',
    { ...consented, request: request({ maxAgeSeconds: 0, prompt: new Set(['none']) }) },
    'login_required',
  ],
])('the decision about an authorize request: %s', (_, inputs, expected) => {
  expect(outcome(inputs)).toBe(expected);
});

test.each<[string, Partial<Inputs>, 'consent' | 'trust' | null]>([
  ['without a session there is no code', {}, null],
  ['a session may have one', { session: 's' }, 'consent'],
  ['after a no there is none', { session: 's', interaction: interaction({ denied: true }) }, null],
  [
    'nor while the method cannot be asked',
    { session: 's', interaction: interaction({ unavailable: true }) },
    null,
  ],
  [
    'nor for a person who wants to be somebody else',
    { session: 's', interaction: interaction({ switching: true }) },
    null,
  ],
  [
    'a client without approval gets no code',
    { session: 's', request: request({ waits: true, trusted: true }) },
    null,
  ],
  ['a refused user gets no code', { session: 's', interaction: interaction({ refused: true }) }, null],
  [
    'a broker without auth_time causes no code',
    { session: 's', interaction: interaction({ untimed: true }) },
    null,
  ],
  ['nor where the person is asked anyway', { session: 's', request: prompt('consent') }, null],
])('whether the decision’s database statement also issues the code: %s', (_, inputs, expected) => {
  expect(codeBasis({ ...NOTHING, request: request(), ...inputs })).toBe(expected);
});

test.each<[string, Partial<Inputs>, string, string]>([
  ['a no', { interaction: interaction({ denied: true }) }, 'access_denied', 'The person denied access.'],
  [
    'a return from the page of a refused user',
    { interaction: interaction({ refused: true }) },
    'access_denied',
    'This person is not allowed to use this client at this API.',
  ],
  [
    'a broker without auth_time',
    { interaction: interaction({ untimed: true }) },
    'access_denied',
    'The broker returned no auth_time, which max_age requires.',
  ],
  [
    'a broker that does not respond',
    { interaction: interaction({ unavailable: true }) },
    'temporarily_unavailable',
    'The sign-in service is not responding.',
  ],
  [
    'another user than the request names',
    { expectedPersonId: 'bob', interaction: interaction({ signedIn: 's' }) },
    'login_required',
    'The person who signed in is not the one that the request names.',
  ],
  [
    'an old sign-in and prompt=none',
    { request: request({ maxAgeSeconds: 0, prompt: new Set(['none']) }) },
    'login_required',
    'No one is signed in, or the sign-in is too old.',
  ],
  [
    'a waiting client and prompt=none',
    { request: request({ waits: true, prompt: new Set(['none']) }) },
    'consent_required',
    'The person must sign in with this client once without prompt=none.',
  ],
  [
    'no consent and prompt=none',
    { facts: facts(), request: prompt('none') },
    'consent_required',
    'The person must consent first.',
  ],
  [
    'a private-use scheme and prompt=none',
    { request: request({ redirectUri: 'app.immich:///cb', trusted: true, prompt: new Set(['none']) }) },
    'interaction_required',
    'Any program on the machine can receive a response at this redirect_uri, so prompt=none returns no code. Use the refresh token, or omit prompt.',
  ],
])('RFC 6749 §4.1.2.1: the error describes %s', (_, { facts: of, ...inputs }, code, message) => {
  const asked = { ...NOTHING, request: request(), session: 's', ...inputs };
  const decision = decideAuthorize(asked, of ?? consented.facts, NOW);
  expect(decision.kind === 'error' && [decision.error.code, decision.error.message]).toEqual([code, message]);
});

test('a broker without auth_time gets the reason no-auth-time', () => {
  const asked = { ...NOTHING, request: request(), interaction: interaction({ untimed: true }) };
  expect(decideAuthorize(asked, null, NOW)).toMatchObject({ error: { reason: 'no-auth-time' } });
});

test('askingOf passes strength, prompt, sign-in and postponement to the second-factor decision', () => {
  const asked = { ...NOTHING, request: prompt('none'), session: 's', graceDays: 3 };
  const { strength } = asked.request;
  const of = (over: object | null) =>
    askingOf({ ...asked, interaction: over === null ? null : interaction(over) });
  const plain = { strength, silent: true, here: false, postponed: false, graceDays: 3 };
  expect(of(null)).toEqual(plain);
  expect(of({ signedIn: 's' })).toEqual({ ...plain, here: true });
  expect(of({ postponed: 's' })).toEqual({ ...plain, postponed: true });
  expect(of({ signedIn: 'other', postponed: 'other' })).toEqual(plain);
  expect(askingOf({ ...asked, session: null, request: request(), interaction: interaction() })).toEqual({
    ...plain,
    silent: false,
  });
});
