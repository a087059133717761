// Username sign-in with an external verification service, in a real browser (contract sections 5 and 7).
import { expect, test } from '../../support/pages/browser-test.ts';
import { signIn, WRONG_PASSWORD } from '../../support/pages/visit.ts';
import { campusPerson } from '../../support/service/external.ts';

test('contract 7: a user of an external method signs in with a username, then consents', async ({
  page,
  world,
  visit,
}) => {
  const person = campusPerson();
  const issuer = world.issuerOf('external');
  const alert = page.getByRole('alert').filter({ hasText: /./ });
  const enter = (email: string, password: string) => signIn(page, { email, password }, 'Username');
  await visit.but({ issuer }).start();
  await expect(page.getByLabel('Email')).toHaveCount(0);
  await enter(person.email, 'not this one');
  await expect(alert).toHaveText(WRONG_PASSWORD);
  await enter('error-500', person.password);
  await expect(alert).toHaveText(/is not answering. Try again in a moment/);
  await expect(page.getByLabel('Username')).toHaveValue('error-500');
  await enter(person.email, person.password);
  await expect(visit.consent).toBeVisible();
  await expect(page.getByText(`${person.email} of the campus`)).toBeVisible();
  await visit.press('Allow');
  const answer = await visit.answer();
  expect(answer.get('iss')).toBe(issuer);
  expect(answer.has('code')).toBe(true);
});
