// A subject or actor token (RFC 8693 §2.1): a living access token of this service, or a broker's ID token that is
// signed by the broker's keys. Anything else is invalid_request (§2.2.2).
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { findLiveToken, type LiveToken } from '#lib/store/tokens/live-tokens.ts';
import { findLiveMachineToken } from '#lib/store/tokens/machine-tokens.ts';
import { decodeCompact } from '#lib/tokens/jws.ts';
import { readMachineToken } from '#lib/tokens/machine-token.ts';
import { claimedIssuer, readAccessToken } from '#lib/tokens/read-access-token.ts';
import { InvalidRequest, TemporarilyUnavailable } from '../errors/errors.ts';
import { hasAddress } from '../rules/issuer.ts';
import { openToken, type Presenter, requireConfirmed } from './open-token.ts';

export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
export const JWT = 'urn:ietf:params:oauth:token-type:jwt';
export const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';

/** Who acts for the person, and who did before (RFC 8693 §4.1). */
export type Act = Record<string, unknown>;

export type Presented = {
  personId: string;
  /** of a broker's ID token: as they were when it was read */
  epochs: { person: string; method: string } | null;
  authMethodId: string;
  authTime: Date;
  /** seconds since 1970 */
  expiresAt: number;
  /** where it is an access token of ours */
  own: OwnToken | null;
};

/** An access token of ours that was presented, and what its family remembers of earlier exchanges. */
export type OwnToken = Pick<
  LiveToken,
  'familyId' | 'clientId' | 'apiId' | 'scopes' | 'act' | 'exchangeDepth' | 'ceilings' | 'acrLevel' | 'amr'
> & { jti: string | null; opaqueHash: Uint8Array | null };

type Asked = {
  role: 'subject' | 'actor';
  token: string;
  type: string;
  authMethodId: string | undefined;
  by: Presenter;
};

export async function readPresented(asked: Asked): Promise<Presented> {
  const { role, type } = asked;
  switch (type) {
    case ACCESS_TOKEN:
    case JWT:
      return ownToken(asked);
    case ID_TOKEN:
      return brokersToken(asked);
    default:
      throw new InvalidRequest(
        `${role}_token_type must be that of an access token, a jwt or an id_token (RFC 8693 section 3).`,
      );
  }
}

/** A person, or a client in its own name: who acts (RFC 8693 §4.1). */
export type PresentedActor = { sub: string; clientId: string | null; expiresAt: number };

export async function readActor(asked: Omit<Asked, 'role'>): Promise<PresentedActor> {
  const machine = await ownMachine({ ...asked, role: 'actor' });
  if (machine) return { ...machine, sub: machine.clientId };
  const { personId, own, expiresAt } = await readPresented({ ...asked, role: 'actor' });
  return { sub: personId, clientId: own?.clientId ?? null, expiresAt };
}

/** Null: the token is no machine's. */
async function ownMachine({ role, token, type, by }: Asked) {
  const { snapshot } = by;
  const machine = type === ID_TOKEN ? null : readMachineToken(token, snapshot);
  if (!machine) return null;
  const asked = { version: snapshot.version, askedBy: by.client.clientId, tokenHash: machine.hash };
  const locked = await findLiveMachineToken(asked);
  if (!locked || !hasAddress(snapshot, locked.place) || (type === JWT && machine.jti === undefined))
    throw unacceptable(role);
  return openToken(locked, by);
}

function unacceptable(role: string): InvalidRequest {
  return new InvalidRequest(
    `The ${role}_token is expired, revoked, not of the type named, or nothing that can be checked here.`,
  );
}

async function ownToken(asked: Asked): Promise<Presented> {
  const { role, token, type, authMethodId, by } = asked;
  const { snapshot } = by;
  const access = readAccessToken(token, snapshot);
  if (!access && (await ownMachine(asked)))
    throw new InvalidRequest(`The ${role}_token is a client's own: it is of no person.`);
  if (!access || (type === JWT && access.opaqueHash !== null)) throw unacceptable(role);
  const presented = { version: snapshot.version, askedBy: by.client.clientId, refreshHash: null, access };
  const locked = await findLiveToken(presented);
  if (!locked || !hasAddress(snapshot, locked.place)) throw unacceptable(role);
  const live = openToken(locked, by);
  if (authMethodId !== undefined && authMethodId !== live.authMethodId)
    throw new InvalidRequest('auth_method is not the one that the token was given with.');
  return {
    personId: live.personId,
    epochs: null,
    authMethodId: live.authMethodId,
    authTime: new Date(live.authTime * 1000),
    expiresAt: live.expiresAt,
    own: { ...live, jti: access.jti ?? null, opaqueHash: access.opaqueHash },
  };
}

async function brokersToken({ role, token, authMethodId, by }: Asked): Promise<Presented> {
  const brokers = [...by.snapshot.methods.values()].flatMap((row) => {
    const { id, idTokens } = authMethodOf(row);
    return idTokens ? [{ id, epoch: row.epoch, ...idTokens }] : [];
  });
  const issuer = withoutSlash(claimedIssuer(token) ?? '');
  const fitting = brokers.filter((broker) =>
    authMethodId === undefined ? withoutSlash(broker.issuer) === issuer : broker.id === authMethodId,
  );
  const [broker, ...more] = fitting;
  if (more.length > 0)
    throw new InvalidRequest('auth_method is needed: several methods trust who gave this token.');
  if (!broker) throw unacceptable(role);
  const verdict = await broker.verify(token);
  if (verdict.kind === 'unavailable')
    throw new TemporarilyUnavailable('The broker that gave the token can not be asked right now.');
  if (verdict.kind === 'refused') throw unacceptable(role);
  requireConfirmed(decodeCompact(token)?.payload['cnf'], by.proof);
  const { personId, personEpoch, authTime, expiresAt } = verdict;
  const epochs = { person: personEpoch, method: broker.epoch };
  return { personId, epochs, authMethodId: broker.id, authTime, expiresAt, own: null };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}
