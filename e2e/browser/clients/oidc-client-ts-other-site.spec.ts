// Tests docs/how-to/renew-silently.md for cross-site applications with oidc-client-ts in Chromium. The service uses HTTPS like
// in production, so a hidden cross-site iframe receives its sign-in cookie if the browser allows it.

import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sqlOn } from '#testing/data/sql.ts';
import { worldOn } from '#testing/data/world.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { isInstalled } from '#testing/net/proxies.ts';
import { type OwnService, startOwnService } from '#testing/service/service.ts';
import {
  expectRenewal,
  shown,
  signInAtSpa,
  signOutAtSpa,
  startOidcSpa,
} from '../../support/clients/oidc-spa.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { startTlsFront } from '../../support/service/tls-front.ts';

test.skip(!isInstalled('openssl'), 'openssl is not installed');

test.describe.configure({ timeout: 60_000 });

let url: string;
let service: OwnService;
let front: Awaited<ReturnType<typeof startTlsFront>>;

test.beforeAll(async () => {
  test.setTimeout(90_000);
  const port = await freePort();
  url = `https://localhost:${port}`;
  service = await startOwnService({ BASE_URL: url, HOST: '127.0.0.1' });
  front = await startTlsFront(port, Number(new URL(service.url).port));
});
test.afterAll(async () => {
  await front.close();
  await service.stop();
});

/**
 * Browser setting `profile.cookie_controls_mode`: Chrome blocks third-party cookies in private windows, and Debian's
 * Chromium in all windows.
 */
const THIRD_PARTIES: [what: string, mode: number, renewal: RegExp | string][] = [
  ['lets cookies of third parties through', 0, /^renewed: /],
  ['blocks them', 1, 'renewal failed: login_required'],
];

for (const [what, mode, renewal] of THIRD_PARTIES) {
  test(`oidc-client-ts on another site over https, in a Chromium that ${what}: sign-in, silent renewal, sign-out and return work`, async ({
    playwright,
    launchOptions,
  }, info) => {
    const profile = info.outputPath('profile');
    mkdirSync(path.join(profile, 'Default'), { recursive: true });
    writeFileSync(
      path.join(profile, 'Default/Preferences'),
      JSON.stringify({ profile: { cookie_controls_mode: mode } }),
    );
    const { makeClient, makePerson } = worldOn(sqlOn(service.databaseUrl));
    const settings = { authority: issuerOf({ url }), client_id: '', scope: 'openid profile' };
    const spa = await startOidcSpa(() => settings, '127.0.0.1');
    const context = await playwright.chromium.launchPersistentContext(profile, {
      ...launchOptions,
      ignoreHTTPSErrors: true,
    });
    try {
      const person = await makePerson();
      const { redirectUris, postLogoutRedirectUris } = spa;
      const client = await makeClient({ kind: 'browser', redirectUris, postLogoutRedirectUris });
      settings.client_id = client.clientId;
      const page = await context.newPage();
      expect(await signInAtSpa(page, spa, person)).toMatchObject({ sub: person.id, name: person.name });
      await expectRenewal(page, renewal);
      // a top-level navigation sends the cookie in every mode, so no sign-in page appears
      await page.getByRole('button', { name: 'Sign in' }).click();
      await shown(page, 'signed in');
      await signOutAtSpa(page, spa);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
    } finally {
      await context.close();
      await spa.close();
    }
  });
}
