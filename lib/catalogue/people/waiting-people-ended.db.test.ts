// Users who wait for an account at a method that is deleted.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { changeAuthMethod, deleteAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { mailTo, sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { askedFor, newAddress, nobodyWaits, waitingEmails } from '#testing/in-process/registering.ts';

beforeAll(givenFixtures);
beforeEach(nobodyWaits);

const ENDED = 'Gatehouse: your request has ended';
const subjectsTo = async (email: string) => (await mailTo(email)).map(({ subject }) => subject);

async function waitingAtSecond(language: string): Promise<string> {
  const email = newAddress();
  expect(await askedFor(email)).toBe('waits');
  await sql(
    `insert into auth_methods (id, type, name, config) values ('second', 'local', 'Second', '{}') on conflict do nothing`,
  );
  await sql("update person_registrations set auth_method_id = 'second', language = $2 where email = $1", [
    email,
    language,
  ]);
  return email;
}

test('after a method is deleted, users waiting for approval get a mail in their page language', async () => {
  const [ada, eva, other] = [await waitingAtSecond('en'), await waitingAtSecond('de'), newAddress()];
  expect(await askedFor(other)).toBe('waits');
  await deleteAuthMethod(OPERATOR, { id: 'second' });
  expect((await subjectsTo(ada))[0]).toBe(ENDED);
  expect((await subjectsTo(eva))[0]).toBe('Gatehouse: Ihr Antrag ist beendet');
  expect(await subjectsTo(other)).not.toContain(ENDED);
  expect(await waitingEmails()).toEqual([other]);
});

test('waiting users are notified only if the deletion of the method or its change to a non-local type is committed', async () => {
  const email = await waitingAtSecond('en');
  const takenBack = inTransaction(async () => {
    await deleteAuthMethod(OPERATOR, { id: 'second' });
    throw new Error('a dry run');
  });
  await expect(takenBack).rejects.toThrow('a dry run');
  await changeAuthMethod(OPERATOR, { id: 'second', name: 'Another name' });
  expect(await subjectsTo(email)).not.toContain(ENDED);
  expect(await waitingEmails()).toEqual([email]);
  const config = { verify_url: 'https://people.example/verify' };
  await changeAuthMethod(OPERATOR, { id: 'second', type: 'external', config, secret: 'a secret of theirs' });
  expect((await subjectsTo(email))[0]).toBe(ENDED);
  expect(await waitingEmails()).toEqual([]);
  await deleteAuthMethod(OPERATOR, { id: 'second' });
});
