// Sign-in with a username at a service that checks it, in a real browser (contract sections 5 and 7).
import { allow, answerAt, authorizeUrl, consentHeading, WRONG_PASSWORD } from '../support/browser-steps.ts';
import { expect, test } from '../support/browser-test.ts';
import { campusPerson } from '../support/external.ts';

test('contract 7: a person of the external method signs in with a username, and consents', async ({
  page,
  world,
  client,
}) => {
  const person = campusPerson();
  const alert = page.getByRole('alert').filter({ hasText: /./ });
  const signIn = async (username: string, password: string) => {
    await page.getByLabel('Username').fill(username);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  };
  await page.goto(authorizeUrl(world, client).replace(world.issuer, world.issuerOf('external')));
  await signIn(person.email, 'not this one');
  await expect(alert).toHaveText(WRONG_PASSWORD);
  await signIn('error-500', person.password);
  await expect(alert).toHaveText(/is not answering. Try again in a moment/);
  await expect(page.getByLabel('Username')).toHaveValue('error-500');
  await signIn(person.email, person.password);
  await expect(consentHeading(page, world, client)).toBeVisible();
  await expect(page.getByText(`${person.email} of the campus`)).toBeVisible();
  await allow(page);
  const answer = await answerAt(page, client.redirectUris[0] ?? '');
  expect(answer.get('iss')).toBe(world.issuerOf('external'));
  expect(answer.has('code')).toBe(true);
});
