// Everything that one person and one client can do with sessions, codes and tokens, over requests to the protocol's core in this
// process and, for what those reach seldom, by the store's functions. What came of each step is a word.
import { createHash, randomUUID } from 'node:crypto';
import { accountName } from '#lib/auth-methods/index.ts';
import type { Answer } from '#lib/http/index.ts';
import { viewConsent, viewSignIn } from '#lib/oauth/index.ts';
import {
  allSessionHashes,
  endAllSessions,
  endConsoleSession,
  findKnownDevice,
  readConsoleActor,
  readSessionHash,
  startConsoleSession,
} from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { describeSessions, findSignInSession, upgradePasswordHash } from '#lib/store/index.ts';
import { ask, cookieOf, jsonOf, locationOf } from './in-process.ts';
import { assertAndVouch } from './journey-assertions.ts';
import { tellOfSignOut } from './journey-sign-out.ts';
import { OPENID_PATH, raisedIn, type TrustedClient } from './openid.ts';
import type { Sql } from './sql.ts';

const ASKING = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures' };
const BILLING = '/auth/pw/api/billing';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const context = { requestId: 'journey', ip: null };

type Credentials = { username: string; password: string };
type Tokens = Record<'access_token' | 'refresh_token', string>;

/** `refreshToken` is one that still lives. */
export type Journey = { outcomes: string[]; refreshToken: string };

const outcomeOf = (answer: Answer) => {
  const { error, active } = answer.body === '' ? {} : jsonOf(answer);
  return [answer.status, error, active].filter((part) => part !== undefined).join(' ');
};

const post = (path: string, form: Record<string, string>, cookie?: string) =>
  ask(path, { form, headers: { cookie, origin: settings().authUrl } });

const grant = (path: string, form: Record<string, string>) => post(`${path}/token`, form);

/** What came of a refresh: a status, and the error. */
export const refreshIn = async (client: TrustedClient, refresh_token: string): Promise<string> =>
  outcomeOf(await grant(OPENID_PATH, { ...client, grant_type: 'refresh_token', refresh_token }));

/** Names of the prepared statements in these calls of the pool. */
export function statementsOfJourney(calls: readonly (readonly unknown[])[]): Set<string> {
  return new Set(calls.map(([statement]) => (statement as { name?: string }).name ?? ''));
}

export async function journeyOf(who: Credentials, client: TrustedClient, asOwner: Sql): Promise<Journey> {
  const outcomes: string[] = [];
  const note = (step: string, outcome: string) => outcomes.push(`${step}: ${outcome}`);
  const noted = (step: string, answer: Answer): Answer => {
    note(step, outcomeOf(answer));
    return answer;
  };
  const tokensOf = (step: string, answer: Answer) => jsonOf(noted(step, answer)) as Tokens;
  const [person] = await asOwner<{ id: string; epoch: string; hash: string }>(
    'select id, epoch, password_hash as hash from people where email = $1',
    [who.username],
  );
  if (!person) throw new Error(`${who.username} is not there`);

  // by the pages, with consent; the consent of an earlier journey is taken back
  await asOwner('delete from consents where person_id = $1', [person.id]);
  const { cookie, code: first } = await signIn(who, note);
  note(
    'device',
    (await findKnownDevice(cookie, accountName({ id: 'pw', type: 'local' }, who.username)))
      ? 'known'
      : 'unknown',
  );
  const conf = (form: Record<string, string>) => grant(OPENID_PATH, { ...ASKING, ...form });
  const given = tokensOf('redeem', await conf({ grant_type: 'authorization_code', code: first }));
  const next = tokensOf('refresh', await conf({ grant_type: 'refresh_token', ...pick(given) }));
  await letAct(person.id, asOwner);
  const acting = { subject_token: next.access_token, actor_token: next.access_token, audience: 'billing' };
  const types = { subject_token_type: ACCESS_TOKEN, actor_token_type: ACCESS_TOKEN };
  noted('acting', await post('/auth/token', { ...ASKING, grant_type: EXCHANGE, ...acting, ...types }));
  const last = tokensOf('refresh again', await conf({ grant_type: 'refresh_token', ...pick(next) }));
  noted('reuse', await conf({ grant_type: 'refresh_token', ...pick(given) }));
  noted('after the reuse', await conf({ grant_type: 'refresh_token', ...pick(last) }));
  noted('the code again', await conf({ grant_type: 'authorization_code', code: first }));

  // with openid, and a session that knows its families
  const asClient = (path: string, form: Record<string, string>) => grant(path, { ...client, ...form });
  const codeAt = (path: string, scope: string) => codeOf(path, client, scope, cookie);
  const redeemAt = async (path: string, scope: string) =>
    tokensOf(
      `redeem ${scope}`,
      await asClient(path, { grant_type: 'authorization_code', code: await codeAt(path, scope) }),
    );
  const jwt = await redeemAt(OPENID_PATH, 'openid profile read');
  const opaque = await redeemAt(BILLING, 'openid read');
  const spare = await redeemAt(OPENID_PATH, 'read');
  const kept = await redeemAt(OPENID_PATH, 'openid offline_access read');
  const lookUp = async (step: string, token: string) =>
    noted(`introspect ${step}`, await post(`${OPENID_PATH}/introspect`, { ...client, token }));
  const revoke = async (step: string, token: string) =>
    noted(`revoke ${step}`, await post(`${OPENID_PATH}/revoke`, { ...client, token }));
  await lookUp('a JWT', jwt.access_token);
  await lookUp('an opaque token', opaque.access_token);
  await lookUp('a refresh token', jwt.refresh_token);
  noted(
    'userinfo',
    await ask(`${OPENID_PATH}/userinfo`, { headers: { authorization: `Bearer ${jwt.access_token}` } }),
  );
  const subject = { subject_token: jwt.access_token, subject_token_type: ACCESS_TOKEN, audience: 'billing' };
  const exchanged = tokensOf(
    'exchange',
    await post('/auth/token', { ...client, grant_type: EXCHANGE, ...subject }),
  );
  await lookUp('an exchanged token', exchanged.access_token);
  await revoke('a JWT', jwt.access_token);
  await lookUp('what it became', exchanged.access_token);
  await revoke('an opaque token', opaque.access_token);
  await lookUp('that one', opaque.access_token);
  await revoke('a refresh token', spare.refresh_token);
  await lookUp('that one too', spare.refresh_token);
  const byPassword = tokensOf('password', await asClient(OPENID_PATH, { grant_type: 'password', ...who }));
  const older = await asBefore(byPassword.refresh_token, asOwner);
  const renewed = tokensOf(
    'a token of before',
    await asClient(OPENID_PATH, { grant_type: 'refresh_token', refresh_token: older }),
  );

  await assertAndVouch(person, client.client_id, asOwner, note);
  await atTheConsole(person, note);
  await upgradePasswordHash(person.id, person.hash, person.hash);

  // a second factor, in a browser that the person trusts
  const raised = await raisedIn(person.id, cookie);
  note('raised', raised === '' ? 'no' : 'yes');

  // sign-out ends what the session gave, and tells the client
  const idHash = readSessionHash(raised, 'pw') ?? Buffer.alloc(0);
  note('session', (await findSignInSession(idHash, 'pw'))?.label ?? 'none');
  note('sessions', String((await describeSessions(allSessionHashes(raised), 3_600)).length));
  await endAllSessions(raised, context);
  note('signed out', (await findSignInSession(idHash, 'pw'))?.label ?? 'none');
  await lookUp('after the sign-out', jwt.refresh_token);
  await tellOfSignOut(person.id, asOwner, note);
  note('offline access', await refreshIn(client, kept.refresh_token));
  return { outcomes, refreshToken: renewed.refresh_token };
}

/** From here on `conf` may act for this person at `billing`. */
const letAct = (personId: string, asOwner: Sql) =>
  asOwner(
    `insert into delegations (person_id, client_id, api_id, scopes, until)
     values ($1, 'conf', 'billing', '{read}', now() + interval '1 day') on conflict do nothing`,
    [personId],
  );

const pick = ({ refresh_token }: Tokens) => ({ refresh_token });

/** From the authorize request of `conf` by password and consent to its code. */
async function signIn(who: Credentials, note: (step: string, outcome: string) => void) {
  const query = {
    client_id: ASKING.client_id,
    response_type: 'code',
    redirect_uri: 'https://conf.example/cb',
  };
  const started = await ask(`${OPENID_PATH}/authorize?${new URLSearchParams(query)}`);
  const browser = cookieOf(started);
  const at = (answer: Answer) => new URL(locationOf(answer)).searchParams;
  const interaction = at(started).get('interaction') ?? '';
  const login = await viewSignIn({ interaction, cookie: browser });
  if (login.kind !== 'ready') throw new Error(`sign-in is ${login.kind}`);
  const form = { interaction: login.interaction, anti_forgery: login.antiForgery, ...who };
  const posted = await post('/login/submit', form, browser);
  const cookie = cookieOf(started, posted);
  const resume = (answer: Answer) =>
    ask(
      `${OPENID_PATH}/authorize?${new URLSearchParams({ interaction: at(answer).get('interaction') ?? '' })}`,
      {
        headers: { cookie },
      },
    );
  const asked = await resume(posted);
  const consent = await viewConsent({ interaction: at(asked).get('interaction') ?? '', cookie });
  note('consent page', consent.kind);
  if (consent.kind !== 'ready') throw new Error(`consent is ${consent.kind}`);
  const answer = { interaction: consent.interaction, anti_forgery: consent.antiForgery, decision: 'allow' };
  const done = await resume(await post('/consent/submit', answer, cookie));
  return { cookie, code: at(done).get('code') ?? '' };
}

async function codeOf(
  path: string,
  { client_id }: TrustedClient,
  scope: string,
  cookie: string,
): Promise<string> {
  const query = { client_id, scope, response_type: 'code', redirect_uri: `https://${client_id}.example/cb` };
  const answer = await ask(`${path}/authorize?${new URLSearchParams(query)}`, { headers: { cookie } });
  return new URL(locationOf(answer)).searchParams.get('code') ?? '';
}

/** The refresh token as a version without slots gave it, also in its row. */
async function asBefore(token: string, asOwner: Sql): Promise<string> {
  const sha256 = (text: string) => createHash('sha256').update(text).digest();
  const older = token.slice(0, 4) + token.slice(-43);
  await asOwner('update refresh_tokens set token_hash = $2 where token_hash = $1', [
    sha256(token),
    sha256(older),
  ]);
  return older;
}

async function atTheConsole(
  { id, epoch }: { id: string; epoch: string },
  note: (step: string, outcome: string) => void,
): Promise<void> {
  const session = await startConsoleSession({
    cookieHeader: undefined,
    authMethodId: 'pw',
    personId: id,
    personEpoch: epoch,
    methodEpoch: null,
    ip: null,
    userAgent: null,
    requestId: randomUUID(),
  });
  const header = session?.cookie.split(';')[0];
  note('console', (await readConsoleActor(header, null))?.id === id ? 'known' : 'unknown');
  await endConsoleSession(header, context);
  note('console ended', (await readConsoleActor(header, null)) ? 'known' : 'unknown');
}
