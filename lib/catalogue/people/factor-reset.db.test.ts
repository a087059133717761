// Reset of lost factors: the actors who can reset them, the sessions and tokens that end, and concurrent proofs.
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { proveTotp } from '#lib/factors/totp.ts';
import { signInToConsole } from '#lib/management/console-sign-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { raiseConsoleSession, readConsoleActor } from '#lib/sessions/console.ts';
import { listFactors } from '#lib/store/factors.ts';
import {
  countLiveFamilies,
  events,
  givenClient,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  mailTo,
  PASSWORD,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import { codeOf } from '#testing/factors/factors.ts';
import { enrol } from '#testing/factors/second-step.ts';
import { pagePeople, readPerson, readSecondFactors, resetFactors } from './operations.ts';

let root: Person;
let zoe: Person;

beforeEach(async () => {
  await givenEmptyRegistry();
  root = { ...(await givenPerson('root', 'administrator')), signedInAt: new Date() };
  zoe = await givenPerson('zoe');
});

const from = () => ({ ip: null, userAgent: null, requestId: randomUUID() });

async function signIn(email = 'zoe@example.com'): Promise<string> {
  const who = { authMethodId: 'local', username: email, password: PASSWORD };
  const result = await signInToConsole({ cookieHeader: undefined, ...from(), ...who });
  if (result.kind !== 'signed-in') throw new Error(result.kind);
  return result.cookie.split(';')[0] ?? '';
}

async function givenEverything(person: Person): Promise<void> {
  await enrol(person.id);
  await sql(
    `insert into passkeys (credential_id, person_id, rp_id, public_key, backup_eligible, backed_up, name)
     values (uuid_send(gen_random_uuid()), $1, 'localhost', 'x', false, false, 'Key'),
            (uuid_send(gen_random_uuid()), $1, 'old.example', 'x', false, false, 'Old key')`,
    [person.id],
  );
  await sql('insert into recovery_codes (code_hash, person_id) values (uuid_send(gen_random_uuid()), $1)', [
    person.id,
  ]);
  await sql(
    `insert into trusted_browsers (token_hash, person_id, auth_method_id, expires_at)
     values (uuid_send(gen_random_uuid()), $1, 'local', now() + interval '1 day')`,
    [person.id],
  );
}

it('a reset deletes every second factor, recovery code and trusted browser, ends sessions and tokens, and is audited and mailed', async () => {
  await givenClient(OPERATOR);
  const cookie = await signIn();
  await givenFamily(zoe);
  await givenEverything(zoe);
  expect(await readPerson(root, { id: zoe.id })).toMatchObject({
    factors: ['passkey', 'totp'],
    passkeys: 2,
    oldPasskeys: 1,
    totpCount: 1,
    recoveryCodes: 1,
    trustedBrowsers: 1,
  });
  const taken = { passkeys: 2, totp: true, totpCount: 1, recoveryCodes: 1, browsers: 1 };
  expect(await resetFactors(root, { id: zoe.id })).toEqual({ ...taken, sessions: 1 });
  expect(await listFactors(zoe.id)).toEqual({
    totps: [],
    passkeys: [],
    recoveryCodes: 0,
    trustedBrowsers: [],
  });
  expect(await readConsoleActor(cookie, null)).toBeNull();
  expect(await countLiveFamilies()).toBe(0);
  expect(await events('factor.reset')).toMatchObject([{ actor: root.id, person_id: zoe.id, details: taken }]);
  expect((await mailTo('zoe@example.com'))[0]).toMatchObject({
    subject: 'Gatehouse: your second factor was removed',
  });
  // a second reset has nothing to remove, and ends no session
  const later = await signIn();
  expect(await resetFactors(root, { id: zoe.id })).toMatchObject({ passkeys: 0, totp: false, sessions: 0 });
  expect(await readConsoleActor(later, null)).not.toBeNull();
  expect(await events('factor.reset')).toHaveLength(1);
});

it('only a recently signed-in administrator, never a machine client, can reset second factors, and only of other users', async () => {
  await enrol(zoe.id);
  const long = new Date(Date.now() - 16 * 60_000);
  const developer = { ...(await givenPerson('dev', 'developer', 'approver')), signedInAt: new Date() };
  const program = {
    kind: 'machine',
    clientId: 'ops',
    ownerId: null,
    scopes: ['people:write'],
    request: { id: 'r', ip: null },
  } as const;
  const kindOf = async (work: Promise<unknown>) => (await refusal(work))?.kind;
  expect(await kindOf(resetFactors(developer, { id: zoe.id }))).toBe('forbidden');
  expect(await kindOf(resetFactors(program, { id: zoe.id }))).toBe('forbidden');
  expect(await kindOf(resetFactors({ ...root, signedInAt: long }, { id: zoe.id }))).toBe('reauthenticate');
  expect(await kindOf(resetFactors({ ...root, scopes: ['people:read'] }, { id: zoe.id }))).toBe('forbidden');
  expect(await kindOf(resetFactors(root, { id: root.id }))).toBe('forbidden');
  expect(await kindOf(resetFactors(root, { email: 'root@example.com' }))).toBe('forbidden');
  expect(await kindOf(resetFactors(root, { id: 'nobody@example.com' }))).toBe('not-found');
  expect((await listFactors(zoe.id)).totps).toHaveLength(1);
  // another administrator can reset an administrator; the operator can reset the last administrator, who stays an
  // administrator
  await enrol(root.id);
  expect(await resetFactors(OPERATOR, { id: root.id })).toMatchObject({ totp: true });
  expect(await readPerson(OPERATOR, { id: root.id })).toMatchObject({
    roles: ['administrator'],
    factors: [],
  });
});

it('if a second factor is proved while it is reset, no session remains', async () => {
  for (let round = 0; round < 8; round += 1) {
    await resetFactors(OPERATOR, { id: zoe.id });
    const secret = await enrol(zoe.id);
    const cookieHeader = await signIn();
    const prove = async () => {
      const proof = await proveTotp({ personId: zoe.id, code: codeOf(secret), context: from() });
      if (typeof proof === 'string' || proof.kind === 'slow-down') return null;
      return raiseConsoleSession({ cookieHeader, authMethodId: 'local', personId: zoe.id, proof, ...from() });
    };
    const [raised] = await Promise.all([prove(), resetFactors(OPERATOR, { id: zoe.id })]);
    const cookie = raised?.cookie.split(';')[0];
    expect(await readConsoleActor(cookie, null)).toBeNull();
    expect(await readConsoleActor(cookieHeader, null)).toBeNull();
  }
});

it('administrators can count and find privileged users without a second factor', async () => {
  await givenPerson('paul', 'approver');
  await enrol((await givenPerson('amy', 'approver')).id);
  expect(await readSecondFactors(root)).toEqual({ policy: 'optional', without: 2 });
  const emails = async (factors: 'some' | 'none') =>
    (await pagePeople(root, { factors })).rows.map(({ email }) => email).toSorted();
  expect(await emails('some')).toEqual(['amy@example.com']);
  expect(await emails('none')).toEqual(['paul@example.com', 'root@example.com', 'zoe@example.com']);
  expect((await pagePeople(root, { factors: 'some' })).rows[0]).toMatchObject({ factors: ['totp'] });
});
