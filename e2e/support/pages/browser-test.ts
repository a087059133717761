// Playwright's `test` with the fixtures of the browser tests.
import { test as base, expect } from '@playwright/test';
import type { Person } from '#testing/data/world.ts';
import { noteBody, noteLocation } from '#testing/net/secrets.ts';
import { landing, type Site, type SiteHandler, startSite } from './browser-site.ts';
import { type TestClient, type World, world } from './browser-world.ts';
import { Visit } from './visit.ts';

type OpenSite = (handler?: SiteHandler, host?: 'localhost' | '127.0.0.1') => Promise<Site>;
type TestFixtures = {
  world: World;
  /** web server on another origin, stopped after the test */
  openSite: OpenSite;
  person: Person;
  /** the web server to which the client's redirect address leads */
  shop: Site;
  client: TestClient;
  /** the person's visit at the client */
  visit: Visit;
  /** browser errors, collected from all pages of this context */
  complaints: string[];
};

export const test = base.extend<TestFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names here
  world: ({}, use) => use(world),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures' names here
  openSite: async ({}, use) => {
    const sites: Site[] = [];
    await use(async (handler = landing, host = 'localhost') => {
      const site = await startSite(host, handler);
      sites.push(site);
      return site;
    });
    await Promise.all(sites.map((site) => site.close()));
  },
  // stores the secrets in the browser's requests and responses, for which leaks.spec.ts searches
  context: async ({ context }, use) => {
    context.on('request', (request) => noteBody('form', request.postData() ?? ''));
    context.on('response', (response) => noteLocation(response.headers()['location'] ?? ''));
    await use(context);
  },
  person: ({ world }, use) => world.givenPerson().then(use),
  shop: ({ openSite }, use) => openSite().then(use),
  client: ({ world, shop }, use) =>
    world.givenClient({ kind: 'confidential', redirectUris: [`${shop.origin}/cb`] }).then(use),
  visit: ({ page, world, client, person }, use) => use(new Visit({ page, world, client, person })),
  complaints: async ({ context }, use) => {
    const complaints: string[] = [];
    context.on('console', (message) => {
      if (message.type() === 'error' || /content security policy/i.test(message.text())) {
        complaints.push(message.text());
      }
    });
    context.on('weberror', (error) => complaints.push(String(error.error())));
    await use(complaints);
  },
});

export { expect };
