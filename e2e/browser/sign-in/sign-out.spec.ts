// The logout page in a real browser (cases SF). The state of a session after sign-out:
// e2e/protocol/authorize/sessions.spec.ts.
import { expect, test } from '../../support/pages/browser-test.ts';

test('SF-04: after signing out, the back button shows no page of the ended session', async ({
  page,
  visit,
  person,
}) => {
  await visit.toConsent();
  await visit.signOut();
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  for (const _ of ['the logout page', 'the consent page']) {
    await page.goBack();
    await expect(page.getByText(person.email)).toHaveCount(0);
  }
  await expect(page.getByRole('button', { name: 'Allow', exact: true })).toHaveCount(0);
});

test('SF-05: the logout page shows the signed-in user, and without a session it shows no button', async ({
  page,
  world,
  visit,
  person,
}) => {
  await page.goto(`${world.baseUrl}/logout`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('button')).toHaveCount(0);
  await visit.finish();
  await page.goto(`${world.baseUrl}/logout`);
  await expect(page.getByText(person.email)).toBeVisible();
});
