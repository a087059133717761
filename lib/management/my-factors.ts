// A person's own factors, at the console. What makes a sign-in weaker or stronger needs a recent one, which for people
// with a factor includes the factor; each change is recorded, and told by mail.
import { passkeySignal } from '#lib/factors/passkeys.ts';
import { hasPasskeys } from '#lib/factors/passkeys-place.ts';
import { codeFault, makeRecoveryCodes, replaceTotp } from '#lib/factors/totp.ts';
import { readableLine } from '#lib/kit/text.ts';
import { tellOfFactor } from '#lib/mail/send.ts';
import { secondFactorOf } from '#lib/registry/methods/questions.ts';
import { isHeldToSecondFactor } from '#lib/registry/person.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import type { PasskeySetUp, TotpSetUp } from '#lib/sign-in/steps.ts';
import { endSignIns } from '#lib/store/endings.ts';
import {
  forgetTrustedBrowsers,
  lastRecoveryCodeUse,
  listFactors,
  nameTrustedBrowser,
  removePasskey,
  removeTotp,
  renamePasskey,
  renameTotp,
} from '#lib/store/factors.ts';
import { isHash, isUuid } from '#lib/store/list.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { nameSession } from '#lib/store/session-list.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { type Added, type Browser, setUpFactor } from './console-sign-in.ts';
import { operation } from './operations.ts';
import { type Actor, type Person, readerOf, requirePerson } from './policy.ts';
import { record } from './record.ts';
import { faultAt, faulty, Refused } from './refused.ts';

export type MyFactors = Awaited<ReturnType<typeof listFactors>> & {
  /** whether people who sign in as this one does set factors up here */
  maySetUp: boolean;
  /** when a recovery code was used last */
  codeUsedAt: Date | null;
  /** whether this address can have passkeys */
  hasPasskeys: boolean;
  rpId: string;
  /** for `data-passkey-signal` */
  signal: string;
  /** the console asks this person for a factor: without one, it asks for setting one up */
  required: boolean;
};

const isHeldToIt = ({ roles }: Person) =>
  settings().consoleSecondFactor === 'required' && isHeldToSecondFactor(roles);

async function maySetUp(me: Person): Promise<boolean> {
  if (isHeldToIt(me)) return true;
  const method = (await currentSnapshot()).methods.get(me.session?.authMethodId ?? '');
  return method !== undefined && secondFactorOf(method) !== 'off';
}

export const readMyFactors = operation('readMyFactors', async ({ actor }): Promise<MyFactors> => {
  const me = requirePerson(actor);
  return {
    ...(await listFactors(me.id)),
    maySetUp: await maySetUp(me),
    codeUsedAt: await lastRecoveryCodeUse(me.id),
    hasPasskeys: hasPasskeys(),
    rpId: settings().passkeyRpId,
    signal: await passkeySignal(me.id),
    required: isHeldToIt(me),
  };
});

/** The console session in which a factor is added continues under another id. */
async function atConsole(actor: Actor): Promise<ConsoleActor> {
  const me = requirePerson(actor);
  if (!me.session || !('level' in me.session)) throw new Refused('second_step.at_console');
  if (!(await maySetUp(me))) throw new Refused('second_step.none');
  return me as ConsoleActor;
}

export const addMyTotp = operation(
  'addMyTotp',
  async ({ actor }, input: TotpSetUp & { browser: Browser }): Promise<Added> =>
    setUpFactor(await atConsole(actor), input, input.browser),
);

/** Another app takes the place of the one that the page was made for; nothing else ends. */
export const replaceMyTotp = operation(
  'replaceMyTotp',
  async ({ actor }, input: TotpSetUp): Promise<void> => {
    const me = await atConsole(actor);
    const { id: requestId = '', ip = null } = me.request ?? {};
    const session = Buffer.from(me.session.idHash);
    const replaced = await replaceTotp({ ...input, personId: me.id, session, requestId, ip });
    if (replaced === 'replaced') return tellOfFactor(readerOf(me), 'app-replaced');
    if (replaced === 'wrong')
      throw faulty([faultAt('code', codeFault(input.code) ?? 'second_step.app_code')]);
    if (replaced === 'expired') throw new Refused('second_step.too_long');
    if (replaced === 'changed') throw new Refused('second_step.app_changed');
    throw new Refused('sign_in.too_many', {}, { retryAfterSeconds: replaced.waitSeconds });
  },
);

export const addMyPasskey = operation(
  'addMyPasskey',
  async ({ actor }, input: PasskeySetUp & { browser: Browser }): Promise<Added> =>
    setUpFactor(await atConsole(actor), input, input.browser),
);

function nameGiven(typed: string): string {
  const name = readableLine(typed) ?? '';
  if (name === '' || name.length > 60) throw faulty([faultAt('name', 'second_step.passkey_name')]);
  return name;
}

export const renameMyPasskey = operation(
  'renameMyPasskey',
  async ({ actor }, input: { id: string; name: string }): Promise<void> => {
    const me = requirePerson(actor);
    const name = nameGiven(input.name);
    await inTransaction(async (db) => {
      const before = await renamePasskey(db, { personId: me.id, id: input.id, name });
      if (before === null) throw noSuchPasskey();
      const details = { factor: 'passkey', name };
      await record(actor, { event: 'factor.renamed', personId: me.id, details }, db);
    });
    tellOfFactor(readerOf(me), 'passkey-renamed', name);
  },
);

/** Ends its sessions and what applications got by it: another person may have it. */
export const removeMyPasskey = operation(
  'removeMyPasskey',
  async ({ actor }, input: { id: string }): Promise<void> => {
    const me = requirePerson(actor);
    const name = await inTransaction(async (db) => {
      const removed = await removePasskey(db, me.id, input.id);
      if (removed === null) throw noSuchPasskey();
      await endSignIns(db, me.id, 'passkey removed', me.session?.idHash ?? null);
      const details = { factor: 'passkey', name: removed };
      await record(actor, { event: 'factor.removed', personId: me.id, details }, db);
      return removed;
    });
    tellOfFactor(readerOf(me), 'passkey-removed', name);
  },
);

/** As for a passkey: another person may have it. The other apps still work. */
export const removeMyTotp = operation(
  'removeMyTotp',
  async ({ actor }, { id }: { id: string }): Promise<void> => {
    const me = requirePerson(actor);
    await inTransaction(async (db) => {
      const removed = isUuid(id) ? await removeTotp(db, me.id, id) : null;
      if (removed === null) throw noSuchTotp();
      await endSignIns(db, me.id, 'authenticator app removed', me.session?.idHash ?? null);
      const details = { factor: 'totp', ...(removed.name !== null && { name: removed.name }) };
      await record(actor, { event: 'factor.removed', personId: me.id, details }, db);
    });
    tellOfFactor(readerOf(me), 'app-removed');
  },
);

export const renameMyTotp = operation(
  'renameMyTotp',
  async ({ actor }, input: { id: string; name: string }): Promise<void> => {
    const me = requirePerson(actor);
    const name = nameGiven(input.name);
    await inTransaction(async (db) => {
      const { id } = input;
      if (!isUuid(id) || !(await renameTotp(db, { personId: me.id, id, name }))) throw noSuchTotp();
      const details = { factor: 'totp', name };
      await record(actor, { event: 'factor.renamed', personId: me.id, details }, db);
    });
    tellOfFactor(readerOf(me), 'app-renamed', name);
  },
);

/** Ten new ones, shown once; those from before no longer count. */
export const renewMyRecoveryCodes = operation(
  'renewMyRecoveryCodes',
  async ({ actor }): Promise<string[]> => {
    const me = requirePerson(actor);
    const codes = await inTransaction(async (db) => {
      const { totps, passkeys } = await listFactors(me.id, db);
      if (totps.length + passkeys.length === 0) throw new Refused('second_step.codes_alone');
      return makeRecoveryCodes(me.id, db, { requestId: me.request?.id ?? '', ip: me.request?.ip ?? null });
    });
    tellOfFactor(readerOf(me), 'codes-made');
    return codes;
  },
);

/** One of them, or all; their number. */
export const forgetMyBrowsers = operation(
  'forgetMyBrowsers',
  async ({ actor, db }, input: { id: string }): Promise<number> => {
    const { id: personId } = requirePerson(actor);
    const known = input.id === 'all' || isUuid(input.id);
    const count = known ? await forgetTrustedBrowsers(db, personId, input.id) : 0;
    if (count === 0) throw new Refused('second_step.browser_gone');
    await record(actor, { event: 'browser.forgotten', personId, details: { count } }, db);
    return count;
  },
);

const noSuchTotp = () => new Refused('second_step.app_gone');
const noSuchPasskey = () => new Refused('second_step.passkey_gone');

// The names that a person gives to where they are signed in, and to the browsers that they trust.

const LONGEST = 60;

type MyDevice = { device: 'session' | 'browser'; id: string };

/** Without a name the device is called by its browser and system again. The audit log does not have the name. */
export const nameMyDevice = operation(
  'nameMyDevice',
  async ({ actor, db }, { device, id, name: typed }: MyDevice & { name: string }): Promise<void> => {
    const { id: personId } = requirePerson(actor);
    const name = readableLine(typed);
    if (name !== null && name.length > LONGEST) throw faulty([faultAt('name', 'own_account.device_name')]);
    const named = { personId, id, name };
    if (device === 'session') {
      if (!isHash(id) || !(await nameSession(db, named))) throw new Refused('own_account.session_gone');
    } else if (!isUuid(id) || !(await nameTrustedBrowser(db, named))) {
      throw new Refused('second_step.browser_gone');
    }
    await record(actor, { event: 'device.named', personId, details: { device } }, db);
  },
);
