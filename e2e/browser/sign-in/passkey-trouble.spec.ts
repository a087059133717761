// The browser or the password manager rejects passkey requests or never responds (WebAuthn Level 3 §5.1.4, §5.11).
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { test as base, expect } from '../../support/pages/browser-test.ts';
import { toSetUp } from '../../support/pages/second-factor.ts';
import { VirtualAuthenticator } from '../../support/pages/virtual-authenticator.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const ASKING =
  'Your browser asks for your passkey now. If nothing happens, press the button again, or use another way.';
const NOT_USED = 'No passkey was used. You can try again, or use another way.';

const test = base.extend<{ authenticator: VirtualAuthenticator }>({
  authenticator: async ({ page }, use) => {
    // prevents the page's script from requesting a passkey without a click
    await page.addInitScript(() => {
      PublicKeyCredential.isConditionalMediationAvailable = async () => false;
    });
    await use(await VirtualAuthenticator.of(page));
  },
});

const button = (page: Page) => page.getByRole('button', { name: /^(Use|Add) a passkey$/ });
const alert = (page: Page) => page.getByRole('alert').filter({ hasText: NOT_USED });
const asking = (page: Page) => page.getByRole('status').filter({ hasText: ASKING });

/**
 * How the replaced browser function fails: it throws an error with this name, or never responds and ignores
 * abort signals.
 */
type Trouble = 'SecurityError' | 'NotAllowedError' | 'silence';
const troubled = (page: Page, trouble: Trouble) =>
  page.addInitScript((name) => {
    const instead = () =>
      name === 'silence'
        ? new Promise<never>(() => {})
        : Promise.reject(new DOMException('The operation is insecure.', name));
    Object.assign(navigator.credentials, { get: instead, create: instead });
  }, trouble);

/**
 * Expects that the page explains a rejection, or gives advice if there is no response, and that every click
 * requests the passkey again.
 */
async function expectHelped(page: Page, trouble: Trouble): Promise<void> {
  for (let presses = 0; presses < 2; presses += 1) {
    await button(page).click();
    await expect(trouble === 'silence' ? asking(page) : alert(page)).toBeVisible();
    await expect(trouble === 'silence' ? alert(page) : asking(page)).toBeHidden();
    await expect(button(page)).toBeEnabled();
  }
  // simulates a password manager that was switched off
  await page.evaluate(() => {
    for (const name of ['get', 'create']) Reflect.deleteProperty(navigator.credentials, name);
  });
}

for (const trouble of ['SecurityError', 'NotAllowedError', 'silence'] as const) {
  test.describe(`browser responds with ${trouble}`, () => {
    test.beforeEach(({ page }) => troubled(page, trouble));

    test('after a passkey failure the sign-in page suggests another method, and a sign-in with a password works', async ({
      page,
      visit,
      authenticator: _,
    }) => {
      await visit.start();
      await expectHelped(page, trouble);
      await visit.signIn();
      await expect(visit.consent).toBeVisible();
    });

    test('the sign-in page explains the passkey failure, and the same button tries again', async ({
      page,
      visit,
      person,
      authenticator,
    }) => {
      await authenticator.give(person);
      await visit.start();
      await expectHelped(page, trouble);
      await button(page).click();
      await expect(visit.consent).toBeVisible();
    });

    test('the second-factor page explains the passkey failure, and the next click succeeds', async ({
      page,
      visit,
      person,
      authenticator,
    }) => {
      await authenticator.give(person);
      await visit.start();
      await visit.signIn();
      await expect(page.getByRole('heading', { name: 'Confirm it is you' })).toBeVisible();
      await expectHelped(page, trouble);
      await button(page).click();
      await expect(visit.consent).toBeVisible();
    });

    test('the set-up page explains the passkey failure, and the next click adds a passkey', async ({
      page,
      world,
      authenticator: _,
    }) => {
      await toSetUp(page, world);
      await expectHelped(page, trouble);
      await button(page).click();
      await expect(page.getByRole('heading', { name: 'Keep your recovery codes' })).toBeVisible();
    });

    test('the console explains the passkey failure at sign-in, confirmation and passkey creation', async ({
      page,
      person,
      authenticator,
    }) => {
      await page.goto(`${nodeDoor.url}/account`);
      await expectHelped(page, trouble);
      await enterConsole(page, person, '/account/security/add');
      await expectHelped(page, trouble);
      await authenticator.give(person);
      await page.goto(`${nodeDoor.url}/account`);
      await expect(page.getByRole('heading', { name: 'Confirm it is you' })).toBeVisible();
      await expectHelped(page, trouble);
      await button(page).click();
      await page.getByRole('link', { name: 'Skip to the content' }).waitFor({ state: 'attached' });
      await page.goto(`${nodeDoor.url}/account/again?to=/account`);
      await expectHelped(page, trouble);
      await expect(page.getByLabel('Password', { exact: true })).toBeEditable();
    });
  });
}

test('messages about failed passkeys use the page’s language', async ({ page, visit, authenticator: _ }) => {
  await troubled(page, 'silence');
  await visit.start({ ui_locales: 'de' });
  await page.getByRole('button', { name: 'Passkey verwenden' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Wenn nichts geschieht' })).toBeVisible();
});

test('the response to an outdated click on the passkey button cannot sign the user in', async ({
  page,
  visit,
  person,
  authenticator,
}) => {
  await page.addInitScript(() => {
    const container = navigator.credentials;
    const own = container.get.bind(container);
    let calls = 0;
    const release = Promise.withResolvers<void>();
    const late = Promise.withResolvers<unknown>();
    const answerLate = () => {
      release.resolve();
      return late.promise;
    };
    Object.assign(globalThis, { answerLate });
    Object.assign(container, {
      get: async ({ publicKey }: CredentialRequestOptions) => {
        calls += 1;
        if (calls > 1 || !publicKey) throw new DOMException('No.', 'NotAllowedError');
        await release.promise;
        // the replaced function calls the browser without the abort signal
        const answer = await own({ publicKey });
        late.resolve(answer?.type);
        return answer;
      },
    });
  });
  await authenticator.give(person);
  await visit.start();
  await button(page).click();
  await expect(asking(page)).toBeVisible();
  await button(page).click();
  await expect(alert(page)).toBeVisible();
  expect(await page.evaluate('answerLate()')).toBe('public-key');
  expect(await page.locator('input[name=credential]').inputValue()).toBe('');
  await visit.signIn();
  await expect(page.getByRole('heading', { name: 'Confirm it is you' })).toBeVisible();
});
