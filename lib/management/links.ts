// Several sign-in methods of one person. To link methods, a person must have signed in with both within the last
// minutes, and must agree. An equal email address proves nothing (docs/project/decisions/0024).
// A linked method is equivalent to a password, and therefore requires a recent sign-in.

import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { findProfile, type ProfileRow, removePerson, setPersonDisabled } from '#lib/catalogue/people/rows.ts';
import { now } from '#lib/kit/clock.ts';
import { sendServiceMail } from '#lib/mail/send.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { findProvedSignIn, type ProvedSignIn, storeProvedSignIn } from '#lib/sessions/page-state.ts';
import { settings } from '#lib/settings/settings.ts';
import { endSignIns } from '#lib/store/endings.ts';
import { findIdentityOwner, holdForJoin, moveIdentities, removeIdentity } from '#lib/store/identities.ts';
import type { Db } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { type Browser, type ConsoleMethod, listConsoleMethods, proveOnce } from './console-sign-in.ts';
import { operation } from './operations.ts';
import { type Actor, type Person, readerOf, requirePerson } from './policy.ts';
import { record } from './record.ts';
import { Refused } from './refused.ts';

export type MyLinks = {
  hasPassword: boolean;
  email: string | null;
  identities: (ProfileRow['identities'][number] & { current: boolean })[];
  /** methods that the person can still link */
  addable: ConsoleMethod[];
};

export const listMyLinks = operation(
  { name: 'listMyLinks', right: 'account.read' },
  async ({ actor, db }): Promise<MyLinks> => {
    const me = requirePerson(actor);
    const profile = await findProfile(db, me.id);
    if (!profile) throw new Refused('own_account.gone');
    const { identities, hasPassword, email } = profile;
    const has = new Set(identities.map(({ authMethodId }) => authMethodId));
    const methods = await listConsoleMethods();
    return {
      hasPassword,
      email,
      identities: identities.map((identity) => ({
        ...identity,
        current: identity.authMethodId === me.session?.authMethodId,
      })),
      addable: methods.filter((method) => !methodCan(method, 'hasAccounts') && !has.has(method.id)),
    };
  },
);

/** Returns the hash of the console session's id. The session then waits for the proof from an external sign-in. */
export const startLink = operation(
  { name: 'startLink', right: 'account.change', fresh: 'always' },
  async ({ actor }, { authMethodId }: { authMethodId: string }): Promise<Uint8Array> => {
    const { addable } = await listMyLinks(actor);
    if (!addable.some(({ id }) => id === authMethodId)) throw new Refused('link.taken');
    return sessionOf(actor).idHash;
  },
);

/**
 * Verifies name and password with an external method, under the limits of sign-ins. Returns the proof for
 * `linkIdentity`.
 */
export const proveLink = operation(
  { name: 'proveLink', right: 'account.change', fresh: 'always' },
  async (
    { actor },
    input: { authMethodId: string; username: string; password: string; browser: Browser },
  ): Promise<string> => {
    const { authMethodId, username, password, browser } = input;
    const session = await startLink(actor, { authMethodId });
    const verdict = await proveOnce({ ...browser, authMethodId, username, password });
    if (verdict.kind === 'identity') {
      const { personId, methodEpoch } = verdict;
      const proved = { authMethodId, personId, methodEpoch, at: now().getTime() };
      return (await storeProvedSignIn(proved, session)) ?? '';
    }
    if (verdict.kind === 'slow-down')
      throw new Refused('sign_in.too_many', {}, { retryAfterSeconds: verdict.waitSeconds });
    if (verdict.kind === 'must-change') throw new Refused('link.must_change');
    throw verdict.kind === 'refused' ? new Refused('link.wrong') : new Refused('link.silent');
  },
);

/** The effects of linking, for the page that asks for confirmation. */
export type JoinView = {
  method: string;
  /** the person's name at the method */
  label: string;
  /** the account that has the identity now; `null`: there is none */
  other: { createdAt: Date; consents: number } | null;
};

export const readJoin = operation(
  { name: 'readJoin', right: 'account.read' },
  async ({ actor, db }, { proof }: { proof: string }): Promise<JoinView> => {
    const me = requirePerson(actor);
    const provedSignIn = await openProof(me, proof);
    const owner = await joinable(db, me, provedSignIn);
    const label = owner.identities.find(
      ({ authMethodId }) => authMethodId === provedSignIn.authMethodId,
    )?.label;
    if (label === undefined) throw proofExpired();
    const method = await methodName(provedSignIn.authMethodId);
    const { createdAt, consents, known } = owner;
    return { method, label, other: known ? { createdAt, consents } : null };
  },
);

/** The name of the method, as on pages about sign-in methods. */
async function methodName(id: string): Promise<string> {
  const { methods } = await currentSnapshot();
  return plainText(methods.get(id)?.name ?? id);
}

/**
 * Moves the identity to this user. The account that had the identity is disabled and not deleted, so that its
 * `sub` is never used again. Its sessions and tokens end.
 */
export const linkIdentity = operation(
  { name: 'linkIdentity', right: 'account.change', fresh: 'always', runsOn: 'transaction' },
  async ({ actor, db }, { proof }: { proof: string }): Promise<void> => {
    const me = requirePerson(actor);
    const provedSignIn = await openProof(me, proof);
    const { authMethodId, personId: from, methodEpoch } = provedSignIn;
    const held = await holdForJoin(db, {
      authMethodId,
      methodEpoch,
      from,
      to: me.id,
      session: sessionOf(actor).idHash,
      idleSeconds: settings().sessionIdleSeconds,
    });
    if (!held) throw proofExpired();
    const { known, identities } = await joinable(db, me, provedSignIn);
    await moveIdentities(db, from, me.id);
    if (known) await setPersonDisabled(db, from, true);
    else await removePerson(db, from);
    const details = known ? { joined: from } : {};
    await record(actor, { event: 'person.identity_linked', personId: me.id, authMethodId, details }, db);
    const method = await methodName(authMethodId);
    // if the linked account has another address, that address is notified as well
    const addresses = new Set([me.email, ...(known ? identities.map(({ email }) => email) : [])]);
    for (const email of addresses)
      if (email !== null) sendServiceMail(readerOf({ ...me, email }), 'identity-linked', { method });
  },
);

/** Ends all sessions of the user and revokes tokens from earlier sign-ins. */
export const unlinkIdentity = operation(
  { name: 'unlinkIdentity', right: 'account.change', fresh: 'always', runsOn: 'transaction' },
  async ({ actor, db }, { authMethodId }: { authMethodId: string }): Promise<void> => {
    const me = requirePerson(actor);
    if (me.session?.authMethodId === authMethodId) throw new Refused('link.in_use');
    const removed = await removeIdentity(db, me.id, authMethodId);
    if (removed === 'none') throw new Refused('link.gone');
    if (removed === 'last') throw new Refused('link.last');
    await endSignIns(db, me.id, 'way of signing in removed');
    await record(actor, { event: 'person.identity_unlinked', personId: me.id, authMethodId }, db);
    const method = await methodName(authMethodId);
    const { email } = me;
    if (email !== null) sendServiceMail(readerOf({ ...me, email }), 'identity-unlinked', { method });
  },
);

function sessionOf(actor: Actor): { idHash: Uint8Array; authMethodId: string } {
  const { session } = requirePerson(actor);
  if (!session) throw new Refused('link.at_console');
  return session;
}

const proofExpired = () => new Refused('link.proof_old');

async function openProof(me: Person, proof: string): Promise<ProvedSignIn> {
  const provedSignIn = await findProvedSignIn(proof, { id: me.id, session: sessionOf(me) });
  if (!provedSignIn) throw proofExpired();
  if (provedSignIn.personId === me.id) throw new Refused('link.yours');
  return provedSignIn;
}

type Joinable = NonNullable<Awaited<ReturnType<typeof findIdentityOwner>>>;

/** Returns the account that has the identity now, if linking is permitted. */
async function joinable(db: Db, me: Person, { personId }: ProvedSignIn): Promise<Joinable> {
  const [other, mine] = [await findIdentityOwner(db, personId), await findIdentityOwner(db, me.id)];
  if (!other || !mine || other.identities.length === 0) throw proofExpired();
  if (other.local || other.clients > 0) throw new Refused('link.has_password');
  // the proof covers only the first factor of that account
  if (other.hasFactor) throw new Refused('link.has_second_step');
  const has = new Set(mine.identities.map(({ authMethodId }) => authMethodId));
  if (other.identities.some(({ authMethodId }) => has.has(authMethodId)))
    throw new Refused('link.other_name');
  return other;
}
