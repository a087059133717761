// An action that needs confirmation runs only if the form displayed its consequences. New consequences are displayed
// again. Two tabs perform the action once.

import { beforeEach, expect, it, test } from 'vitest';
import { createClient, readClient } from '#lib/catalogue/clients/operations.ts';
import { disablePerson, grantRole, readPerson, revokeRole } from '#lib/catalogue/people/operations.ts';
import { now } from '#lib/kit/clock.ts';
import { inEnglish } from '#lib/language/words.ts';
import type { Consequences, Foreseen } from '#lib/management/consequences.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { givenClient, givenEmptyRegistry, givenPerson } from '#testing/data/registry.ts';
import { agreementTo, brokenBy, type Context } from './console-form.ts';
import { Fields } from './posted.ts';
import { QUESTIONS, type QuestionName } from './questions.ts';

const CONTEXT: Context = {
  area: 'admin',
  browser: { cookieHeader: undefined, userAgent: null, requestId: 'r', ip: null, pageLanguage: 'en' },
};
let actor: ConsoleActor;
let ada: string;
beforeEach(async () => {
  await givenEmptyRegistry();
  const chief = await givenPerson('chief', 'administrator', 'developer', 'approver');
  const session = { idHash: Buffer.alloc(32), authMethodId: 'local', level: 1 } as const;
  actor = { ...chief, email: 'chief@example.com', name: 'Chief', locale: null, session, signedInAt: now() };
  ada = (await givenPerson('ada', 'developer')).id;
});

type Sent = Record<string, string>;
const send = (name: QuestionName, fields: Sent) =>
  QUESTIONS[name].form.run(actor, new Fields(Object.entries(fields)), CONTEXT);
const seen = async (name: QuestionName, fields: Sent) => ({
  ...fields,
  confirmed: agreementTo(await QUESTIONS[name].foresee(actor, fields)),
});
const linesOf = (of: Consequences) =>
  [...((of as Foreseen).counted ?? []), ...brokenBy(of).map(({ line }) => line)].map(inEnglish);

test.each<[QuestionName, Sent]>([
  ['person-delete', {}],
  ['person-disable', {}],
  ['person-sessions-end', {}],
  ['person-reset-factors', {}],
  ['person-grant', { role: 'administrator' }],
  ['person-revoke', { role: 'developer' }],
])('%s changes nothing before its confirmation page was shown', async (name, more) => {
  const before = await readPerson(actor, { id: ada });
  expect(await send(name, { id: ada, ...more })).toEqual({ kind: 'confirm' });
  expect(await send(name, { id: ada, ...more, confirmed: ada })).toEqual({ kind: 'confirm' });
  expect(await readPerson(actor, { id: ada })).toEqual(before);
});

it('consequences that appear after a tab is opened are displayed again before the operation', async () => {
  const tab = await seen('person-delete', { id: ada });
  await createClient(actor, {
    name: 'Shop',
    kind: 'native',
    redirectUris: ['https://shop.example/cb'],
    ownerEmail: 'ada@example.com',
  });
  expect(await send('person-delete', tab)).toEqual({ kind: 'confirm' });
  const again = await QUESTIONS['person-delete'].foresee(actor, { id: ada });
  expect(linesOf(again)).toContain('1 application of this person continues to work without an owner.');
  expect(await send('person-delete', await seen('person-delete', { id: ada }))).toMatchObject({
    kind: 'done',
  });
  await expect(readPerson(actor, { id: ada })).rejects.toThrow('does not exist');
});

it('the confirmation of disabling a user shows a role that was granted after the page was opened', async () => {
  const tab = await seen('person-disable', { id: ada });
  await grantRole(actor, { id: ada, role: 'administrator' });
  expect(await send('person-disable', tab)).toEqual({ kind: 'confirm' });
  expect(linesOf(await QUESTIONS['person-disable'].foresee(actor, { id: ada }))).toContain(
    'The person is an administrator. 1 other person has this role.',
  );
});

it('two tabs grant a role once, and a revoked role can be granted again', async () => {
  const fields = { id: ada, role: 'approver' };
  const tabs = await Promise.all([seen('person-grant', fields), seen('person-grant', fields)]);
  const answers = await Promise.all(tabs.map((tab) => send('person-grant', tab)));
  expect(answers.map(({ kind }) => kind)).toEqual(['done', 'done']);
  expect((await readPerson(actor, { id: ada })).roles).toEqual(['developer', 'approver']);
  await revokeRole(actor, fields);
  expect((await readPerson(actor, { id: ada })).roles).toEqual(['developer']);
});

it('granting a role requires another confirmation if the user was disabled after the page was opened', async () => {
  const fields = { id: ada, role: 'administrator' };
  const tab = await seen('person-grant', fields);
  await disablePerson(actor, { id: ada });
  expect(await send('person-grant', tab)).toEqual({ kind: 'confirm' });
});

it('disabling, revoking and deleting a client or its secret needs a confirmation, and two tabs disable the client once', async () => {
  await givenClient(actor);
  const clientId = 'shop';
  const { secrets, version } = await readClient(actor, { clientId });
  const secretId = secrets[0]?.id ?? '';
  for (const [name, more] of [
    ['client-disable', {}],
    ['client-revoke', {}],
    ['client-delete', { version: String(version) }],
    ['secret-drop', { secretId }],
  ] as const)
    expect(await send(name, { clientId, ...more }), name).toEqual({ kind: 'confirm' });
  const told = await QUESTIONS['secret-drop'].foresee(actor, { clientId, secretId });
  expect(linesOf(told).join(' ')).toMatch(/The secret was never used\..* only secret/);
  const tabs = await Promise.all([
    seen('client-disable', { clientId }),
    seen('client-disable', { clientId }),
  ]);
  const answers = await Promise.all(tabs.map((tab) => send('client-disable', tab)));
  expect(answers.map(({ kind }) => kind)).toEqual(['done', 'done']);
  expect((await readClient(actor, { clientId })).disabled).toBe(true);
});
