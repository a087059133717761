// Client user in a real browser: actions on hosted pages, in the contract's terms.
import { randomBytes } from 'node:crypto';
import { expect, type Locator, type Page } from '@playwright/test';
import type { Person } from '#testing/data/world.ts';
import { freshPkce } from '#testing/net/pkce.ts';
import type { TestClient, World } from './browser-world.ts';

export const WRONG_PASSWORD = 'Incorrect email or password.';

/** Address of a request that is rejected with an error page, without a redirect. */
export const errorPageUrl = (world: World) => `${world.issuer}/authorize?client_id=no-such-client`;

/** Submits a sign-in form of hosted pages or console. */
export async function signIn(
  page: Page,
  person: { email: string; password: string },
  label = 'Email',
): Promise<void> {
  await page.getByLabel(label).fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function allow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
}

type Given = { page: Page; world: World; client: TestClient; person: Person; issuer?: string };

export class Visit {
  readonly page: Page;
  readonly client: TestClient;
  readonly #given: Given;

  constructor(given: Given) {
    this.page = given.page;
    this.client = given.client;
    this.#given = given;
  }

  get email(): string {
    return this.#given.person.email;
  }

  /** Returns a copy with another page, client, user or issuer. */
  but(changes: Partial<Given>): Visit {
    return new Visit({ ...this.#given, ...changes });
  }

  /** Returns the authorization URL with a fresh PKCE challenge. */
  url(changes: Record<string, string> = {}): string {
    const { world, issuer = world.issuer } = this.#given;
    const query = new URLSearchParams({
      client_id: this.client.clientId,
      redirect_uri: this.client.redirectUris[0] ?? '',
      response_type: 'code',
      scope: world.api.scopes[0]?.name ?? '',
      state: randomBytes(8).toString('hex'),
      ...freshPkce().params,
      ...changes,
    });
    return `${issuer}/authorize?${query}`;
  }

  /** Sends the authorize request. */
  async start(changes: Record<string, string> = {}): Promise<void> {
    await this.page.goto(this.url(changes));
  }

  async signIn(password = this.#given.person.password): Promise<void> {
    await signIn(this.page, { ...this.#given.person, password });
  }

  /** Continues from the authorize request to the consent page. */
  async toConsent(changes: Record<string, string> = {}): Promise<void> {
    await this.start(changes);
    await this.signIn();
    await expect(this.consent).toBeVisible();
  }

  get consent(): Locator {
    const { client, world } = this.#given;
    return this.page.getByRole('heading', { name: `${client.name} wants access to ${world.api.name}` });
  }

  async press(button: string): Promise<void> {
    await this.page.getByRole('button', { name: button, exact: true }).click();
  }

  /** Waits for the client's redirect URI and returns its parameters. */
  async answer(address = this.client.redirectUris[0] ?? ''): Promise<URLSearchParams> {
    await this.page.waitForURL((url) => url.origin + url.pathname === address);
    return new URL(this.page.url()).searchParams;
  }

  /** Waits until the browser brings the client a code. */
  async expectCode(address?: string): Promise<void> {
    expect((await this.answer(address)).get('code')).toBeTruthy();
  }

  /** Completes an authorization request. */
  async finish(): Promise<void> {
    await this.toConsent();
    await this.press('Allow');
    await this.expectCode();
  }

  /** Sends a top-level request with prompt=none. Returns `code` or the error, without displaying a page. */
  async silently(): Promise<'code' | string | null> {
    await this.start({ prompt: 'none' });
    const answer = await this.answer();
    return answer.has('code') ? 'code' : answer.get('error');
  }

  async signOut(): Promise<void> {
    await this.page.goto(`${this.#given.world.baseUrl}/logout`);
    await this.page.getByRole('button', { name: /^Sign out/ }).click();
    await this.page.waitForURL(/\/logout\?done=1/);
  }
}
