// What the broker method does: OpenID Connect, or plain OAuth 2.0 with a userinfo endpoint. A person is identified by
// the method and the broker's subject, never by an e-mail address.
import * as client from 'openid-client';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { countCall } from '#lib/observability/metrics.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { isOpen } from '#lib/outbound/fetch.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import { breakerOf, type IdJagProof, openBroker, proveSignature } from './broker-discovery.ts';
import { BrokerRefused, failureOf, NoAuthTime, unwrapped } from './broker-failure.ts';
import { type BrokerIdentity, identityOf, verifyIdToken } from './broker-identity.ts';
import { type AnswerFault, answerFault, brokerOf, callbackOf } from './callback.ts';
import type {
  BrokerAnswer,
  Departure,
  Expectation,
  IdTokenVerdict,
  StartSignIn,
  ToldByIdJag,
  Verdict,
} from './method.ts';
import {
  describePerson,
  knowIdentity,
  namesInForm,
  subjectOfToken,
  type ToldPerson,
} from './person-claims.ts';

/** between the broker's clock and ours */
const TOLERANCE_SECONDS = 30;

export async function startAtBroker(row: SnapshotMethod, input: StartSignIn): Promise<Departure> {
  // as a rule the broker is asked for nothing here: only what fails is counted
  const began = performance.now();
  try {
    // otherwise the failure is known only after the person returns from the broker
    if (isOpen(breakerOf(row))) throw new OutboundFailed('breaker-open');
    const broker = await unwrapped(openBroker(row));
    const nonce = broker.sendsNonce ? client.randomNonce() : null;
    const codeVerifier = broker.sendsChallenge ? client.randomPKCECodeVerifier() : null;
    const redirectUri = `${input.origin}${callbackOf(row)}`;
    const parameters = {
      ...broker.parameters,
      redirect_uri: redirectUri,
      scope: broker.scope,
      state: input.state,
      ...(codeVerifier !== null && {
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }),
      nonce: nonce ?? '',
      login_hint: input.loginHint ?? '',
      max_age: String(input.maxAgeSeconds ?? input.freshSeconds ?? ''),
      prompt: input.again ? 'login' : '',
      response_mode: broker.responseMode ?? '',
    };
    const sent = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''));
    const location = client.buildAuthorizationUrl(broker.config, sent).href;
    const { state, maxAgeSeconds } = input;
    const expectation = { broker: brokerOf(row), redirectUri, state, codeVerifier, nonce, maxAgeSeconds };
    return { kind: 'depart', location, expectation };
  } catch (error) {
    failureOf(error, row.id);
    countCall(row.id, 'failed', began);
    return { kind: 'unavailable' };
  }
}

const FAULTS: Record<AnswerFault, string> = {
  'another-broker': "a broker's answer came after its method was given to another broker",
  elsewhere: "a broker's answer came to the address of another method",
  'iss-missing': "a broker's answer came without iss, and several brokers could have sent it",
};

export async function finishAtBroker(
  row: SnapshotMethod,
  answer: BrokerAnswer,
  expected: Expectation,
): Promise<Verdict> {
  // it may be the code of another broker: it must not be sent to this one
  const fault = await answerFault(row, answer, expected);
  if (fault !== null) {
    log().warn({ auth_method: row.id, fault }, FAULTS[fault]);
    return { kind: 'refused' };
  }
  let identity: BrokerIdentity;
  const began = performance.now();
  try {
    identity = await unwrapped(redeem(row, answer, expected));
    countCall(row.id, 'answered', began);
  } catch (error) {
    const failure = failureOf(error, row.id);
    // a refusal is an answer too
    countCall(row.id, failure.kind === 'unavailable' ? 'failed' : 'answered', began);
    return failure;
  }
  // a name that only comes once stays
  const keepsName = namesInForm(row);
  const name = identity.name ?? (keepsName ? (answer.name ?? null) : null);
  const person = await personOf(row, { ...identity, name, keepsName, saidAt: null });
  if (person === null) return { kind: 'refused' };
  const { authTime, amr, acr: brokerAcr } = identity;
  return { kind: 'identity', ...person, ...(authTime && { authTime }), amr, brokerAcr };
}

async function redeem(
  row: SnapshotMethod,
  answer: BrokerAnswer,
  expected: Expectation,
): Promise<BrokerIdentity> {
  const broker = await openBroker(row);
  const iss = answer.iss ?? (answer.whole ? null : broker.config.serverMetadata().issuer);
  const address = new URL(expected.redirectUri);
  address.search = new URLSearchParams({
    code: answer.code,
    state: expected.state,
    ...(iss === null ? {} : { iss }),
  }).toString();
  const tokens = await client
    .authorizationCodeGrant(broker.config, address, {
      expectedState: expected.state,
      ...(expected.codeVerifier === null ? {} : { pkceCodeVerifier: expected.codeVerifier }),
      idTokenExpected: broker.keys !== null,
      ...(expected.nonce === null ? {} : { expectedNonce: expected.nonce }),
    })
    .catch((error: unknown) => {
      // the library refuses what is no number before we see it
      throw expected.maxAgeSeconds !== null && isAboutAuthTime(error) ? new NoAuthTime() : error;
    });
  const identity = await identityOf(row, broker, tokens);
  if (expected.maxAgeSeconds !== null) checkAge(identity.authTime, expected.maxAgeSeconds);
  return identity;
}

const isAboutAuthTime = (error: unknown) =>
  error instanceof client.ClientError &&
  error.code === 'OAUTH_INVALID_RESPONSE' &&
  error.cause instanceof Error &&
  error.cause.message.includes('"auth_time"');

/** OpenID Connect Core §3.1.3.7 (13). Plain OAuth 2.0 never says when. */
function checkAge(authTime: Date | null, maxAgeSeconds: number): void {
  if (authTime === null) throw new NoAuthTime();
  if (authTime.getTime() + (maxAgeSeconds + TOLERANCE_SECONDS) * 1000 >= now().getTime()) return;
  throw new BrokerRefused('the person signed in at the broker longer ago than max_age');
}

export async function verifyBrokerIdToken(row: SnapshotMethod, idToken: string): Promise<IdTokenVerdict> {
  let found: Awaited<ReturnType<typeof verifyIdToken>>;
  try {
    found = await unwrapped(openBroker(row).then((broker) => verifyIdToken(row, broker, idToken)));
  } catch (error) {
    return failureOf(error, row.id);
  }
  // only an ID token: there is no userinfo here
  const person = found && (await personOf(row, { ...found, saidAt: found.issuedAt }));
  if (!found || !person) return { kind: 'refused' };
  return { kind: 'identity', ...person, authTime: found.authTime, expiresAt: found.expiresAt };
}

export async function proveBrokerIdJag(
  row: SnapshotMethod,
  assertion: string,
): Promise<IdJagProof | 'unavailable'> {
  try {
    return await unwrapped(openBroker(row).then((broker) => proveSignature(broker, assertion)));
  } catch (error) {
    return failureOf(error, row.id).kind === 'unavailable' ? 'unavailable' : 'jag-signature';
  }
}

/** What it says of the person adds to what is known of them, as an ID token does. */
export async function personOfIdJag(row: SnapshotMethod, { subject: sub, issuedAt, payload }: ToldByIdJag) {
  const saidAt = new Date(issuedAt * 1000);
  const named = subjectOfToken(row, { ...payload, sub });
  return 'fault' in named ? null : personOf(row, { ...describePerson(row, payload), ...named, saidAt });
}

type Told = ToldPerson & { subject: string; saidAt: Date | null; keepsName?: boolean };

function personOf(row: SnapshotMethod, told: Told) {
  const { subject, email, emailVerified, name, claims, leftOut, groups, saidAt, keepsName = false } = told;
  const said = { email, emailVerified, name, claims, leftOut, groups };
  return knowIdentity(row, { subject, ...said, saidAt, keepsName });
}
