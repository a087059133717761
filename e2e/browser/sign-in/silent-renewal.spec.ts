// The single-page application: code with PKCE, and renewal in a hidden iframe (specification 3 and 4.5.5).

import { startSpa } from '../../support/clients/spa.ts';
import { test as base, expect } from '../../support/pages/browser-test.ts';
import type { Visit } from '../../support/pages/visit.ts';

class SpaVisit {
  readonly visit: Visit;
  readonly #address: string;
  constructor(visit: Visit, address: string) {
    this.visit = visit;
    this.#address = address;
  }

  open = () => this.visit.page.goto(this.#address);

  async toConsent(): Promise<void> {
    await this.open();
    await this.visit.press('Sign in');
    await this.visit.signIn();
    await expect(this.visit.consent).toBeVisible();
  }

  async signIn(): Promise<void> {
    await this.toConsent();
    await this.visit.press('Allow');
    await expect(this.status).toHaveText(/^signed in: bearer token of \d+ s without a refresh token$/i);
  }

  async expectRenewal(words: RegExp | string): Promise<void> {
    await this.visit.press('Renew silently');
    await expect(this.status).toHaveText(words);
  }

  get status() {
    return this.visit.page.getByRole('status');
  }
}

const test = base.extend<{ spa: SpaVisit }>({
  spa: async ({ world, visit }, use) => {
    const site = await startSpa(() => ({
      issuer: world.issuer,
      clientId: client.clientId,
      scope: world.api.scopes[0]?.name ?? '',
    }));
    const client = await world.givenClient({ kind: 'browser', redirectUris: site.redirectUris });
    await use(new SpaVisit(visit.but({ client }), site.origin));
    await site.close();
  },
});

test('SPEC 3: a browser client signs a user in, requests consent, and fetches its token across origins', async ({
  spa,
  world,
  person,
}) => {
  await spa.signIn();
  expect(await world.consentOf(person, spa.visit.client)).toEqual([world.api.scopes[0]?.name]);
});

test('SN-01: a hidden iframe with prompt=none and a new challenge gets a new token, twice, and shows no page', async ({
  spa,
  page,
}) => {
  await spa.signIn();
  const shown: string[] = [];
  page.on('framenavigated', (frame) => shown.push(new URL(frame.url()).pathname));
  for (const _ of ['first', 'second']) await spa.expectRenewal(/^renewed: bearer token of \d+ s/i);
  expect(shown.filter((path) => path !== '/silent' && path !== 'blank')).toEqual([]);
});

const refusals: Record<string, [error: string, prepare: (spa: SpaVisit) => Promise<unknown>]> = {
  'without a session': ['login_required', async () => {}],
  'signed in but never asked': ['consent_required', (spa) => spa.toConsent()],
  'after signing out': ['login_required', (spa) => spa.signIn().then(() => spa.visit.signOut())],
};
for (const [state, [error, prepare]] of Object.entries(refusals)) {
  test(`SN-01, SF-04: ${state} the hidden iframe returns ${error}`, async ({ spa }) => {
    await prepare(spa);
    await spa.open();
    await spa.expectRenewal(`renewed: error: ${error}`);
  });
}
