// The checks of the token addresses for grants by which no person comes to a page: password, refresh, exchange. What is
// decided by a statement is decided by it, in a transaction that is rolled back.
import { randomUUID } from 'node:crypto';
import { nowSeconds } from '#lib/kit/clock.ts';
import { tried } from '#lib/store/database/pool.ts';
import type { Db } from '#lib/store/database/prisma.ts';
import { findNewestRefreshToken, type PersonAtMethod } from '#lib/store/people/person-at-method.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { exchangeToken } from '#lib/store/tokens/exchange.ts';
import { createFamily } from '#lib/store/tokens/password-families.ts';
import { explainRefreshToken, rotateRefreshToken } from '#lib/store/tokens/refresh-tokens.ts';
import { accessTokenPayload } from '#lib/tokens/access-token.ts';
import { mint } from '#lib/tokens/formats.ts';
import { authenticated } from '../clients/authenticated-client.ts';
import { personRefused, requireSubscription } from '../clients/client.ts';
import { scopesOfPerson } from '../clients/person-scopes.ts';
import { InvalidGrant } from '../errors/errors.ts';
import {
  exchangeTerms,
  notExchanged,
  requireExchangeClient,
  requireTarget,
} from '../exchange/exchange-terms.ts';
import { findGrant } from '../grants/grant-table.ts';
import { noFamily, passwordFamily, passwordScopes } from '../grants/password.ts';
import { refreshRefusal, refreshRotation } from '../grants/refresh-token.ts';
import { accessClaims, type ToldGranted } from '../grants/response.ts';
import { PASSWORD } from '../rules/grant-types.ts';
import { findIssuer, type Issuer } from '../rules/issuer.ts';
import { requireProfiledClient } from '../rules/profile.ts';
import { personSignedIn, whyAway } from './person-token.ts';
import { AnsweredByPage, type ExplainedStep, requireEnabled, StepRefused } from './steps.ts';

type Claims = Record<string, unknown>;
export type Comes = { client: SnapshotClient; person: PersonAtMethod | null; scope: string | undefined };

/** Only for the question: no request has this id. */
const REQUEST = { http: { requestId: 'explained' }, ip: null };

function requirePresent(person: PersonAtMethod | null, told: ExplainedStep[]): PersonAtMethod {
  if (!person?.signsIn || person.disabled) throw new AnsweredByPage(whyAway(person));
  told.push({ step: 'person', ok: true });
  return person;
}

const payloadOf = async (
  granted: ToldGranted,
  to: { issuer: Issuer; client: SnapshotClient },
): Promise<Claims> => accessTokenPayload(await accessClaims(granted, to));

/** RFC 6749 §4.3, for a person whose password is right. */
export async function passwordToken(
  told: ExplainedStep[],
  issuer: Issuer,
  { client, person, scope }: Comes,
): Promise<Claims> {
  requireEnabled(client);
  requireProfiledClient(issuer.api, client);
  const subscription = requireSubscription(issuer.api, client);
  findGrant(PASSWORD, issuer);
  const possible = passwordScopes(scope, { issuer, client: authenticated(client) });
  const { personId, epoch: personEpoch } = requirePresent(person, told);
  const scopes = await scopesOfPerson(issuer, personId, possible);
  if (scopes === null) throw personRefused();
  const context = { ...REQUEST, issuer, client, subscription };
  const family = passwordFamily(context, { personId, personEpoch, scopes });
  const made = await tried((run) =>
    createFamily(
      {
        ...family,
        familyId: randomUUID(),
        refreshHash: mint('refresh').hash,
        opaqueHash: null,
        attempts: [],
      },
      run,
    ),
  );
  if (made === 'has-factor') throw new InvalidGrant('', { reason: 'acr-too-low' });
  told.push({ step: 'second_factor', ok: true });
  if (!made) throw noFamily(context);
  return payloadOf(
    { personId, scopes, authTime: made.authTime, acrLevel: null, amr: ['pwd'] },
    { issuer, client },
  );
}

/** RFC 6749 §6, with the refresh token that the client has of this person. */
export async function refreshedToken(
  told: ExplainedStep[],
  issuer: Issuer,
  { client, person, scope }: Comes,
  db: Db,
): Promise<Claims> {
  requireEnabled(client);
  requireProfiledClient(issuer.api, client);
  const subscription = requireSubscription(issuer.api, client);
  const context = { ...REQUEST, issuer, client, subscription };
  const rotation = refreshRotation(scope, context);
  if (person === null) throw new AnsweredByPage('person-unknown');
  if (person.disabled) throw new AnsweredByPage('person-disabled');
  told.push({ step: 'person', ok: true });
  const { apiId, authMethodId, clientId } = rotation;
  const newest = await findNewestRefreshToken(db, {
    personId: person.personId,
    apiId,
    authMethodId,
    clientId,
  });
  if (newest === null) throw new AnsweredByPage('refresh-none');
  // whether the client still has the key only its proof would say
  const asked = { ...rotation, oldHash: newest.hash, jkt: newest.jkt };
  const rotated = await tried((run) =>
    rotateRefreshToken({ ...asked, newHash: mint('refresh').hash, opaqueHash: null }, run),
  );
  if (!rotated) throw refreshRefusal(await explainRefreshToken(asked), rotation.scopes, context);
  told.push({ step: 'refresh', ok: true });
  return payloadOf(rotated, { issuer, client });
}

export type Subject = {
  client: SnapshotClient;
  api: SnapshotApi;
  /** the client names itself as the actor, by a token of its own */
  actor: boolean;
};

/** RFC 8693, with a token that the subject's client would get of a person who has just signed in. */
export async function exchangedToken(
  told: ExplainedStep[],
  issuer: Issuer,
  { client: caller, person, scope }: Comes,
  subject: Subject,
): Promise<Claims> {
  requireEnabled(caller);
  const { api, method, snapshot } = issuer;
  requireProfiledClient(api, caller);
  const client = requireExchangeClient(authenticated(caller));
  const subscription = requireTarget(api, client, subject.actor);
  const { request, facts, acrLevel } = await ofSubject(() => {
    const from = findIssuer(snapshot, { authMethodId: method.id, apiId: subject.api.id });
    return personSignedIn([], from, { client: subject.client, person, scope: undefined });
  });
  told.push({ step: 'subject_token', ok: true });
  const { personId, authTime } = facts;
  const presented = {
    personId,
    authTime,
    epochs: { person: person?.epoch ?? '', method: method.epoch },
    authMethodId: method.id,
    expiresAt: nowSeconds() + subject.api.accessTokenTtlSeconds,
    own: {
      ...{ familyId: '', jti: null, opaqueHash: null, act: null, exchangeDepth: 0, ceilings: null },
      clientId: subject.client.clientId,
      apiId: subject.api.id,
      scopes: request.scopes,
      acrLevel,
      amr: null,
    },
  };
  const { clientId } = client;
  const actor = subject.actor ? { sub: clientId, clientId, expiresAt: presented.expiresAt } : null;
  const asked = { client, api, subscription, subject: presented, actor, scope };
  const terms = await exchangeTerms(asked, snapshot);
  // there is no family of the subject token: its person and method are asked instead
  const family = { ...terms, familyId: randomUUID(), subject: null, opaqueHash: null };
  const expiresAt = await tried((run) =>
    exchangeToken({ ...family, requestId: REQUEST.http.requestId, ip: null }, run),
  );
  if (typeof expiresAt !== 'number') throw notExchanged(expiresAt, subscription);
  const { act, strength, scopes } = terms;
  const granted = { ...strength, personId, scopes, authTime, expiresAt, exchanged: { act } };
  return payloadOf(granted, { issuer, client });
}

/** A refusal of what comes before is one of the subject token. */
async function ofSubject<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new StepRefused('subject_token', error);
  }
}
