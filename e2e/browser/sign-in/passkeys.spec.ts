// Passkey sign-in in Chromium with a virtual platform authenticator.
import type { Page } from '@playwright/test';
import { test as base, expect } from '../../support/pages/browser-test.ts';
import { violations } from '../../support/pages/page-checks.ts';
import { VirtualAuthenticator } from '../../support/pages/virtual-authenticator.ts';
import type { Visit } from '../../support/pages/visit.ts';
import { sql } from '../../support/service/database.ts';

const test = base.extend<{ authenticator: VirtualAuthenticator }>({
  authenticator: ({ page }, use) => VirtualAuthenticator.of(page).then(use),
});

const REFUSED = 'This passkey was not accepted. Try another one, or another way.';

/** Prevents the page's script from requesting a passkey without a click. */
const withoutSuggestions = (page: Page) =>
  page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });

const sessionsOf = (person: { id: string }) =>
  sql<{ level: number; amr: string[] }>(
    'select acr_level as level, amr from sessions where person_id = $1 and ended_at is null',
    [person.id],
  );

const button = (page: Page) => page.getByRole('button', { name: 'Use a passkey' });

async function expectRefused(visit: Visit, person: { id: string }): Promise<void> {
  await button(visit.page).click();
  await expect(visit.page.getByRole('alert').filter({ hasText: REFUSED })).toBeVisible();
  expect(await sessionsOf(person)).toEqual([]);
}

test.describe('the passkey button', () => {
  test.beforeEach(({ page }) => withoutSuggestions(page));

  test('a passkey signs a user in without name and password, phishing-resistant', async ({
    visit,
    authenticator,
    person,
  }) => {
    await authenticator.give(person);
    await visit.start();
    await button(visit.page).click();
    await expect(visit.consent).toBeVisible();
    expect(await sessionsOf(person)).toEqual([{ level: 3, amr: ['hwk', 'user', 'mfa'] }]);
  });

  test('a synced passkey signs a user in, and amr contains swk', async ({ visit, authenticator, person }) => {
    await authenticator.give(person, { synced: true });
    await visit.start();
    await button(visit.page).click();
    await expect(visit.consent).toBeVisible();
    expect(await sessionsOf(person)).toMatchObject([{ amr: ['swk', 'user', 'mfa'] }]);
  });

  test('the keyboard alone can reach and press the passkey button', async ({
    visit,
    authenticator,
    person,
  }) => {
    await authenticator.give(person);
    await visit.start();
    await expect(visit.page.getByLabel('Email')).toBeFocused();
    for (let presses = 0; presses < 8; presses += 1) {
      if (await button(visit.page).evaluate((one) => one === document.activeElement)) break;
      await visit.page.keyboard.press('Tab');
    }
    await visit.page.keyboard.press('Enter');
    await expect(visit.consent).toBeVisible();
  });

  test('a passkey without user verification is rejected, and the password still works', async ({
    visit,
    authenticator,
    person,
  }) => {
    await authenticator.give(person);
    await authenticator.setUserVerified(false);
    await visit.start();
    await button(visit.page).click();
    await expect(visit.page.getByText('No passkey was used.')).toBeVisible();
    expect(await sessionsOf(person)).toEqual([]);
    await expect(visit.page.getByLabel('Email')).toBeEditable();
  });

  test('a removed passkey is rejected, and the page allows another attempt', async ({
    visit,
    authenticator,
    person,
  }) => {
    await authenticator.give(person);
    await sql('delete from passkeys where person_id = $1', [person.id]);
    await visit.start();
    await expectRefused(visit, person);
    await visit.signIn();
    await expect(visit.consent).toBeVisible();
  });

  test('a passkey of a disabled user is rejected', async ({ visit, authenticator, person }) => {
    await authenticator.give(person);
    await sql('update people set disabled_at = now() where id = $1', [person.id]);
    await visit.start();
    await expectRefused(visit, person);
  });

  test('a passkey from a previous host name is rejected', async ({ visit, authenticator, person }) => {
    await authenticator.give(person, { rpId: 'old.example' });
    await visit.start();
    await expectRefused(visit, person);
  });

  test('a passkey with another user’s handle is rejected', async ({
    visit,
    authenticator,
    person,
    world,
  }) => {
    await authenticator.give(person, { names: await world.givenPerson() });
    await visit.start();
    await expectRefused(visit, person);
  });

  test('a passkey of a user without a password is rejected', async ({ visit, authenticator, person }) => {
    await authenticator.give(person);
    await sql('update people set password_hash = null where id = $1', [person.id]);
    await visit.start();
    await expectRefused(visit, person);
  });

  test('a passkey response with a signature by another key is rejected', async ({
    visit,
    authenticator,
    person,
  }) => {
    await authenticator.give(person);
    await sql(
      'update passkeys set public_key = set_byte(public_key, 20, 255 - get_byte(public_key, 20)) where person_id = $1',
      [person.id],
    );
    await visit.start();
    await expectRefused(visit, person);
  });

  test('a passkey with a decreasing counter signs a user in, and the audit log records the decrease', async ({
    visit,
    authenticator,
    person,
  }) => {
    await authenticator.give(person, { counter: 3, knownCounter: 100 });
    await visit.start();
    await button(visit.page).click();
    await expect(visit.consent).toBeVisible();
    const events = "select 1 from audit_events where event = 'factor.counter_back' and person_id = $1";
    expect(await sql(events, [person.id])).toHaveLength(1);
  });

  test('a replayed passkey response cannot sign a user in', async ({
    visit,
    authenticator,
    person,
    context,
  }) => {
    await authenticator.give(person);
    const posted = visit.page.waitForRequest(/\/login\/passkey$/);
    await visit.start();
    await button(visit.page).click();
    const sent = await posted;
    await expect(visit.consent).toBeVisible();
    const again = await context.request.post(sent.url(), {
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: new URL(sent.url()).origin },
      data: sent.postData() ?? '',
      maxRedirects: 0,
    });
    expect(again.headers()['location']).toContain('/login?');
    expect(await sessionsOf(person)).toHaveLength(1);
  });

  test('two tabs of one browser can both sign in with a passkey', async ({
    visit,
    authenticator,
    person,
    context,
  }) => {
    await authenticator.give(person);
    const tab = await context.newPage();
    await withoutSuggestions(tab);
    const other = visit.but({ page: tab });
    const second = await VirtualAuthenticator.of(tab);
    await second.give(person);
    await visit.start();
    await other.start();
    for (const one of [visit, other]) {
      await button(one.page).click();
      await expect(one.consent).toBeVisible();
    }
    expect(await sessionsOf(person)).toHaveLength(1);
  });

  test('prompt=login requires the passkey again', async ({ visit, authenticator, person }) => {
    await authenticator.give(person);
    await visit.start();
    await button(visit.page).click();
    await visit.press('Allow');
    await visit.expectCode();
    await visit.start({ prompt: 'login' });
    await button(visit.page).click();
    await visit.expectCode();
  });

  test('the sign-in page with a passkey button passes axe and logs no browser errors', async ({
    visit,
    complaints,
  }) => {
    await visit.start();
    await expect(button(visit.page)).toBeVisible();
    expect(await violations(visit.page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

test('a browser that suggests passkeys offers one next to the remembered names', async ({
  visit,
  authenticator,
  person,
}) => {
  await authenticator.give(person);
  await visit.start();
  await expect(visit.consent).toBeVisible();
  expect(await sessionsOf(person)).toMatchObject([{ level: 3 }]);
});

test('a browser without passkeys shows no passkey button, and a sign-in with a password works', async ({
  page,
  visit,
  person,
}) => {
  await page.addInitScript(() => Reflect.deleteProperty(window, 'PublicKeyCredential'));
  await visit.start();
  await expect(page.getByLabel('Email')).toHaveAttribute('autocomplete', 'username webauthn');
  await visit.signIn();
  await expect(visit.consent).toBeVisible();
  expect(await sessionsOf(person)).toEqual([{ level: 1, amr: ['pwd'] }]);
});

test.describe('without a script', () => {
  test.use({ javaScriptEnabled: false });

  test('the sign-in page shows no passkey button', async ({ visit }) => {
    await visit.start();
    await expect(visit.page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible();
    await expect(visit.page.getByRole('button')).toHaveCount(2);
  });
});

test('the passkey script’s URL contains its digest, and the script is cached permanently', async ({
  visit,
  page,
}) => {
  const script = page.waitForResponse(/\/passkeys\.js\?v=[0-9a-f]{12}$/);
  await visit.start();
  expect((await script).headers()['cache-control']).toBe('public, max-age=31536000, immutable');
});
