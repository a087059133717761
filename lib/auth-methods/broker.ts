// A federated provider: OpenID Connect, or plain OAuth 2.0 with a userinfo address. People are keyed by the method and
// the broker's own name for them; an e-mail address never links anybody to anybody.
import * as client from 'openid-client';
import { log } from '#lib/kit/index.ts';
import { withBreaker } from '#lib/outbound/index.ts';
import { findOrCreateIdentity, type SnapshotMethod } from '#lib/store/index.ts';
import { failureOf, unwrapped } from './broker-failure.ts';
import { verifyIdToken } from './broker-id-token.ts';
import { type BrokerIdentity, identityOf } from './broker-identity.ts';
import { openProvider } from './broker-provider.ts';
import { type AnswerFault, answerFault, brokerOf, callbackOf } from './callback.ts';
import type {
  AuthMethod,
  BrokerAnswer,
  Departure,
  Expectation,
  IdTokenVerdict,
  StartSignIn,
  Verdict,
} from './method.ts';

export function brokerMethod(row: SnapshotMethod): AuthMethod {
  const { issuer } = row.config as { issuer?: string };
  return {
    id: row.id,
    type: 'broker',
    startSignIn: (input) => start(row, input),
    finishSignIn: (answer, expected) => finish(row, answer, expected),
    ...(issuer === undefined ? {} : { idTokens: { issuer, verify: (idToken) => present(row, idToken) } }),
  };
}

const guarded = <T>(row: SnapshotMethod, work: () => Promise<T>): Promise<T> =>
  withBreaker(`broker ${row.id}`, () => unwrapped(work()));

async function start(row: SnapshotMethod, input: StartSignIn): Promise<Departure> {
  try {
    const provider = await guarded(row, () => openProvider(row));
    const nonce = provider.keys === null ? null : client.randomNonce();
    const codeVerifier = client.randomPKCECodeVerifier();
    const redirectUri = `${input.origin}${callbackOf(row)}`;
    const parameters = {
      redirect_uri: redirectUri,
      scope: provider.scope,
      state: input.state,
      code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      nonce: nonce ?? '',
      login_hint: input.loginHint ?? '',
      max_age: input.maxAgeSeconds === null ? '' : String(input.maxAgeSeconds),
      prompt: input.again ? 'login' : '',
    };
    const sent = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''));
    const location = client.buildAuthorizationUrl(provider.config, sent).href;
    const { state, maxAgeSeconds } = input;
    const expectation = { broker: brokerOf(row), redirectUri, state, codeVerifier, nonce, maxAgeSeconds };
    return { kind: 'depart', location, expectation };
  } catch (error) {
    failureOf(error, row.id);
    return { kind: 'unavailable' };
  }
}

const FAULTS: Record<AnswerFault, string> = {
  'another-broker': "a broker's answer came after its method was given to another broker",
  elsewhere: "a broker's answer came to the address of another method",
  'iss-missing': "a broker's answer came without iss, and several brokers could have sent it",
};

async function finish(row: SnapshotMethod, answer: BrokerAnswer, expected: Expectation): Promise<Verdict> {
  // the code may be another broker's: nothing of it leaves
  const fault = await answerFault(row, answer, expected);
  if (fault !== null) {
    log().warn({ auth_method: row.id, fault }, FAULTS[fault]);
    return { kind: 'refused' };
  }
  let identity: BrokerIdentity;
  try {
    identity = await guarded(row, () => redeem(row, answer, expected));
  } catch (error) {
    return failureOf(error, row.id);
  }
  const person = await personOf(row, identity);
  return person === null
    ? { kind: 'refused' }
    : { kind: 'identity', ...person, ...(identity.authTime && { authTime: identity.authTime }) };
}

async function redeem(
  row: SnapshotMethod,
  answer: BrokerAnswer,
  expected: Expectation,
): Promise<BrokerIdentity> {
  const provider = await openProvider(row);
  const iss = answer.iss ?? (answer.whole ? null : provider.config.serverMetadata().issuer);
  const address = new URL(expected.redirectUri);
  address.search = new URLSearchParams({
    code: answer.code,
    state: expected.state,
    ...(iss === null ? {} : { iss }),
  }).toString();
  const tokens = await client.authorizationCodeGrant(provider.config, address, {
    expectedState: expected.state,
    pkceCodeVerifier: expected.codeVerifier,
    idTokenExpected: provider.keys !== null,
    ...(expected.nonce === null ? {} : { expectedNonce: expected.nonce }),
    // a plain OAuth 2.0 broker says nothing about when
    ...(expected.maxAgeSeconds === null || expected.nonce === null ? {} : { maxAge: expected.maxAgeSeconds }),
  });
  return identityOf(provider, tokens);
}

async function present(row: SnapshotMethod, idToken: string): Promise<IdTokenVerdict> {
  let found: Awaited<ReturnType<typeof verifyIdToken>>;
  try {
    found = await guarded(row, async () => verifyIdToken(await openProvider(row), idToken));
  } catch (error) {
    return failureOf(error, row.id);
  }
  const person = found && (await personOf(row, found));
  if (!found || !person) return { kind: 'refused' };
  return { kind: 'identity', ...person, authTime: found.authTime, expiresAt: found.expiresAt };
}

function personOf(row: SnapshotMethod, { subject, email, name }: BrokerIdentity) {
  return findOrCreateIdentity({ authMethodId: row.id, methodEpoch: row.epoch, subject, email, name });
}
