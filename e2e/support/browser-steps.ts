// What a person does on the hosted pages, in the contract's words, and how a client asks for it.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { freshPkce } from '#testing/pkce.ts';
import type { Person } from '#testing/world.ts';
import type { TestClient, World } from './browser-world.ts';

export const WRONG_PASSWORD = 'E-mail or password is not right.';

/** The address of an authorize request with a fresh challenge, as a client would make it. */
export function authorizeUrl(world: World, client: TestClient, changes: Record<string, string> = {}): string {
  const url = new URL(`${world.issuer}/authorize`);
  url.search = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: client.redirectUris[0] ?? '',
    response_type: 'code',
    scope: world.api.scopes[0]?.name ?? '',
    state: randomBytes(8).toString('hex'),
    ...freshPkce().params,
    ...changes,
  }).toString();
  return url.href;
}

/** A request that is refused by a page, without a redirect. */
export const errorPageUrl = (world: World) => `${world.issuer}/authorize?client_id=no-such-client`;

export async function signIn(page: Page, person: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByLabel('E-mail').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function allow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
}

export function consentHeading(page: Page, world: World, client: TestClient) {
  return page.getByRole('heading', { name: `${client.name} wants access to ${world.api.name}` });
}

/** Waits until the browser is at the client's address, and gives the parameters it brought. */
export async function answerAt(page: Page, redirectUri: string): Promise<URLSearchParams> {
  await page.waitForURL((url) => url.origin + url.pathname === redirectUri);
  return new URL(page.url()).searchParams;
}

/** prompt=none as a top-level visit: what the client is told without a page being shown. */
export async function silentAnswer(page: Page, world: World, client: TestClient): Promise<URLSearchParams> {
  await page.goto(authorizeUrl(world, client, { prompt: 'none' }));
  return answerAt(page, client.redirectUris[0] ?? '');
}

/** From a client's request to its answer, with a sign-in and a consent in between. */
export async function signInAndAllow(
  page: Page,
  world: World,
  client: TestClient,
  person: Person,
): Promise<URLSearchParams> {
  await page.goto(authorizeUrl(world, client));
  await signIn(page, person);
  await allow(page);
  return answerAt(page, client.redirectUris[0] ?? '');
}

export async function signOut(page: Page, world: World): Promise<void> {
  await page.goto(`${world.baseUrl}/logout`);
  await page.getByRole('button', { name: /^Sign out/ }).click();
  await page.waitForURL(/\/logout\?done=1/);
}
