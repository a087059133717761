// What a sign-in session and a console session have in common: how one starts, and how a second proof raises it.
import { settings } from '#lib/settings/settings.ts';
import { createSession, raiseSessionRow } from '#lib/store/hot/sessions.ts';
import { mint } from '#lib/tokens/formats.ts';

type Sender = {
  cookieHeader: string | undefined;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
};

export type SessionStart = Sender & {
  authMethodId: string;
  personId: string;
  personEpoch: string;
  /** the method's when it was asked; null: it was not (a new password) */
  methodEpoch: string | null;
  /** keys of the limits that the sign-in was counted under */
  attempts?: string[] | undefined;
  /** when the person authenticated, if earlier than now */
  authTime?: Date | undefined;
  /** how they proved it (RFC 8176), and a broker's `acr` */
  amr?: string[] | undefined;
  brokerAcr?: string | null | undefined;
  /** how strong that is; left out: 1 */
  acrLevel?: 1 | 2 | 3 | undefined;
};

/** A second proof: whose it is and its level. `FactorProof` of lib/factors has this shape. */
type SecondProof = { kind: string; level: 2 | 3; amr: readonly string[] };
export type RaisedBy = Sender & { authMethodId: string; personId: string; proof: SecondProof };

type Raise = Parameters<typeof raiseSessionRow>[0];
type Minted = { value: string; hash: Buffer };

/** `replaces`: the session of this browser that ends. Null: as `startSession` says. */
export async function insertSession(
  kind: Raise['kind'],
  input: SessionStart,
  { replaces, trustedBrowser = null }: { replaces: Buffer | null; trustedBrowser?: Buffer | null },
): Promise<Minted | null> {
  const minted = mint('session');
  const created = await createSession({
    idHash: minted.hash,
    kind,
    authMethodId: input.authMethodId,
    personId: input.personId,
    personEpoch: input.personEpoch,
    methodEpoch: input.methodEpoch,
    attempts: input.attempts ?? [],
    authTime: input.authTime ?? null,
    amr: input.amr ?? [],
    brokerAcr: input.brokerAcr ?? null,
    acrLevel: input.acrLevel ?? 1,
    trustedBrowser,
    maxSeconds: settings().sessionMaxSeconds,
    replaces,
    ip: input.ip,
    userAgent: input.userAgent,
    requestId: input.requestId,
  });
  return created ? minted : null;
}

/** Null: as `raiseSession` says. */
export async function insertRaised(
  kind: Raise['kind'],
  { authMethodId, personId, proof, ip, userAgent, requestId }: RaisedBy,
  { raises, trusted }: Pick<Raise, 'raises' | 'trusted'>,
): Promise<Minted | null> {
  const minted = mint('session');
  const raised = await raiseSessionRow({
    kind,
    idHash: minted.hash,
    raises,
    authMethodId,
    personId,
    idleSeconds: settings().sessionIdleSeconds,
    factor: proof.kind,
    level: proof.level,
    // with the first factor, which the session has, these are two (RFC 8176 §2, `mfa`)
    amr: [...proof.amr, 'mfa'],
    trusted,
    ip,
    userAgent,
    requestId,
  });
  return raised ? minted : null;
}
