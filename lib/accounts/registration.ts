// Self-registration at a local method: address, mailed code, then name and password. Known and unknown addresses cost
// the same in each step: limits apply before lookups, one statement writes the row, mail is sent in the background.
// Client registration (RFC 7591) is in lib/oauth/registration.ts.
import { randomInt } from 'node:crypto';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { type BeganToWait, personRegistrations, waitingPeople } from '#lib/catalogue/people/registrations.ts';
import { insertPerson } from '#lib/catalogue/people/rows.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import type { Message } from '#lib/language/message.ts';
import { type From, mailBrand, mailLimits, sendLimited } from '#lib/mail/mail.ts';
import { REGISTRATION_MINUTES } from '#lib/mail/messages.ts';
import { background, sendAccountExists, sendRegistrationCode, tellDeciders } from '#lib/mail/send.ts';
import { emailAddress, personName } from '#lib/registry/values.ts';
import { settings } from '#lib/settings/settings.ts';
import { markEmailVerified } from '#lib/store/addresses.ts';
import { findLocalCredential } from '#lib/store/hot/credentials.ts';
import { attemptLimit, callerLimits } from '#lib/store/hot/limits.ts';
import {
  createPersonRegistration,
  findProvedRegistration,
  provePersonRegistration,
} from '#lib/store/hot/registrations.ts';
import { database, inTransaction } from '#lib/store/prisma.ts';
import { withNewPassword } from './password-policy.ts';

// A registration with a verified address that waits for approval (docs/project/decisions/0024).

const WAITING_DAYS = 30;
/** Maximum number of waiting registrations, per method and in total. */
const MOST = { method: 1000, all: 5000 };
/** Limits for new waiting registrations: per IP address block in 24 hours, and in total per hour. */
const BEGINNING = { what: 'people who wait', each: 20, windowSeconds: 86_400, all: 200, allSeconds: 3600 };

type Began = BeganToWait['kind'] | { kind: 'slow-down'; waitSeconds: number };

/**
 * Ends a verified registration that must fail, before its password is hashed. Returns the reason; `null`: the
 * registration may proceed.
 */
const decidedAgainst = (handleHash: Buffer<ArrayBuffer>) =>
  inTransaction((db) => waitingPeople.endRefused(db, handleHash, MOST));

/**
 * Hashes the password. Then the verified registration waits for approval, or ends if it must fail. Records
 * `person.waiting` for a new request.
 */
async function beginToWait(
  handleHash: Buffer<ArrayBuffer>,
  chosen: { name: string; hash: () => Promise<string> },
  from: From,
): Promise<Began> {
  const { name } = chosen;
  const begin = async () => {
    const passwordHash = await chosen.hash();
    return inTransaction(async (db) => {
      const began = await waitingPeople.begin(db, handleHash, {
        ...{ name, passwordHash, language: from.pageLanguage ?? null, days: WAITING_DAYS, most: MOST },
      });
      if (began.kind === 'waits' && began.from) {
        const { authMethodId, apiId, clientId } = began.from;
        const at = { authMethodId, ...(apiId !== null && { apiId }), ...(clientId !== null && { clientId }) };
        const by = { requestId: from.requestId, ip: from.ip ?? undefined };
        await recordEvent({ ...by, event: 'person.waiting', ...at }, db);
      }
      return began;
    });
  };
  try {
    const isNew = (began: BeganToWait) => began.kind === 'waits' && began.from !== null;
    const began = await underLimits(callerLimits(BEGINNING, from.ip), from, begin, isNew);
    // approvers get at most one mail per hour, regardless of the number of registrations
    if (began.kind === 'waits' && began.from?.first) tellDeciders();
    return began.kind;
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
}

export type AskedToRegister =
  /** `handle`: stored by the browser; the handle with the code (or the link) proves the address */
  | { kind: 'asked'; handle: string; email: string }
  | { kind: 'invalid' }
  | MustWait
  /** the method was deleted or closed its self-registration */
  | { kind: 'closed' };

/** Sends a code, even if the address has an account. `older`: this browser's previous handle. */
export async function askToRegister(
  input: {
    email: string;
    authMethodId: string;
    apiId: string;
    clientId: string | null;
    older?: string;
  } & From,
): Promise<AskedToRegister> {
  const parseResult = emailAddress.safeParse(input.email);
  if (!parseResult.success) return { kind: 'invalid' };
  const email = parseResult.data;
  const [handle, token] = [randomToken(''), randomToken('')];
  const code = String(randomInt(1_000_000)).padStart(6, '0');
  let registration: { known: boolean; locale: string | null } | null = null;
  const waitSeconds = await sendLimited(mailLimits('register', email, input.ip), input, async () => {
    registration = await createPersonRegistration({
      authMethodId: input.authMethodId,
      email,
      handleHash: sha256(handle),
      olderHash: input.older === undefined ? null : sha256(input.older),
      codeHash: codeHash(handle, code),
      linkHash: sha256(token),
      apiId: input.apiId,
      clientId: input.clientId,
      seconds: REGISTRATION_MINUTES * 60,
    });
    const { known, locale } = registration ?? {};
    if (known === undefined) return;
    const link = `${settings().authUrl}/register?link=${token}`;
    const to = { email, locale, pageLanguage: input.pageLanguage };
    const brand = mailBrand(input);
    background(async () =>
      known ? sendAccountExists(to, brand) : sendRegistrationCode(to, code, link, brand),
    );
  });
  if (waitSeconds !== null) return { kind: 'slow-down', waitSeconds };
  return registration === null ? { kind: 'closed' } : { kind: 'asked', handle, email };
}

/** The hash includes the handle that the browser stores, so the table alone does not reveal the code. */
const codeHash = (handle: string, code: string) => sha256(`${handle} ${code}`);

const GUESSES = { what: 'registration codes', each: 60, windowSeconds: 900, all: 250, allSeconds: 5 };

/**
 * Verifies the address with the mailed code or link. `approval`: the method requires approval. Five wrong codes
 * make a registration invalid. Ten wrong codes block an address temporarily. Spaces in codes are ignored.
 */
export async function proveAddress(
  input: { handle: string; email: string; code?: string; link?: string; approval: boolean } & From,
): Promise<'proved' | 'waits-already' | 'wrong' | MustWait> {
  const code = input.code?.replaceAll(/\s/g, '');
  if (code !== undefined && !/^\d{6}$/.test(code)) return 'wrong';
  const limits = [...callerLimits(GUESSES, input.ip), attemptLimit('account', `register ${input.email}`, 10)];
  const proof = {
    codeHash: code === undefined ? null : codeHash(input.handle, code),
    linkHash: input.link === undefined ? null : sha256(input.link),
  };
  try {
    const prove = () => provePersonRegistration(sha256(input.handle), proof);
    const proved = await underLimits(limits, input, prove, (right) => !right);
    if (!proved) return 'wrong';
    const waits = input.approval && (await waitingPeople.find(database(), input.email)) !== null;
    return waits ? 'waits-already' : 'proved';
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
}

/**
 * Returns the person that a link invites, for the page of the link. `null`: the link was used, withdrawn or has
 * expired, or self-registration is off. The call does not use up the link.
 */
export async function readInvitation(token: string): Promise<{ email: string; name: string } | null> {
  const provedRegistration = await findProvedRegistration(sha256(token));
  return provedRegistration?.kind === 'invited'
    ? { email: provedRegistration.email, name: provedRegistration.name }
    : null;
}

type MustWait = { kind: 'slow-down'; waitSeconds: number };

export type NewAccount =
  | { kind: 'made'; personId: string; personEpoch: string; email: string }
  /** invalid name or password */
  | { kind: 'faulty'; told: Message }
  /** an account with this address was created in the meantime */
  | { kind: 'taken'; email: string }
  /** the account needs approval; `waits-already`: an earlier request with its own password still waits */
  | { kind: 'waits' | 'waits-already' }
  /** too many registrations wait */
  | { kind: 'full' }
  | MustWait
  /** the handle was used or has expired, or the method no longer allows self-registration */
  | { kind: 'gone' };

type Chosen = { handleHash: Buffer<ArrayBuffer>; email: string; name: string; passwordHash: string };

/**
 * Creates the account, once. The `handle` comes from a browser that verified its address, or from an invitation link.
 */
export async function finishRegistration(
  input: { handle: string; invited?: true; name: string; password: string } & From,
): Promise<NewAccount> {
  const handleHash = sha256(input.handle);
  const provedRegistration = await findProvedRegistration(handleHash);
  if (!provedRegistration || (provedRegistration.kind === 'invited') !== (input.invited ?? false))
    return { kind: 'gone' };
  // the form was already sent, and the registration waits
  if (provedRegistration.kind === 'waiting') return { kind: 'waits' };
  const { email } = provedRegistration;
  const parseResult = personName.safeParse(input.name);
  if (!parseResult.success || parseResult.data.includes('\u0000'))
    return { kind: 'faulty', told: { code: 'register.name_wrong' } };
  const name = parseResult.data;
  const decided = await decidedAgainst(handleHash);
  if (decided !== null) return outcomeOf(decided, email);
  const chosen = await withNewPassword(
    { ...input, link: handleHash, owner: { email, name } },
    async ({ hash }): Promise<NewAccount> =>
      provedRegistration.needsApproval
        ? outcomeOf(await beginToWait(handleHash, { name, hash }, input), email)
        : makePerson({ handleHash, email, name, passwordHash: await hash() }, input),
    ({ kind }) => kind === 'made' || kind === 'waits',
  );
  if (chosen.kind === 'used') return chosen.result;
  const [fault] = chosen.kind === 'faulty' ? chosen.faults : [];
  if (chosen.kind === 'slow-down') return chosen;
  return fault ? { kind: 'faulty', told: fault } : { kind: 'gone' };
}

const outcomeOf = (
  kind: Exclude<NewAccount['kind'], 'made' | 'faulty' | 'slow-down'> | MustWait,
  email: string,
): NewAccount => {
  if (typeof kind !== 'string') return kind;
  return kind === 'taken' ? { kind, email } : { kind };
};

async function makePerson(
  { handleHash, email, name, passwordHash }: Chosen,
  { requestId, ip }: From,
): Promise<NewAccount> {
  const outcome = await inTransaction(async (db) => {
    const takenRegistration = await personRegistrations.take(db, handleHash);
    if (!takenRegistration) return { kind: 'gone' } as const;
    const { authMethodId, apiId, clientId } = takenRegistration;
    const personId = await insertPerson(db, {
      ...{ email, name, roles: [], passwordHash, configPassword: null },
      letInAt: authMethodId,
    });
    if (personId === null) return { kind: 'taken', email } as const;
    await markEmailVerified(db, personId, email);
    const at = { ...(apiId !== null && { apiId }), ...(clientId !== null && { clientId }) };
    const by = { actor: personId, requestId, ip: ip ?? undefined };
    await recordEvent({ ...by, event: 'person.registered', personId, authMethodId, ...at }, db);
    return { kind: 'made', personId, authMethodId } as const;
  });
  if (outcome.kind !== 'made') return outcome;
  const { authMethodId, ...made } = outcome;
  const credential = await findLocalCredential(email, authMethodId);
  // an administrator removed the person at the same moment
  if (credential?.personId !== made.personId) return { kind: 'gone' };
  return { ...made, personEpoch: credential.personEpoch, email };
}
