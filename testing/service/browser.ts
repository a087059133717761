// A browser without scripts: cookies, forms and redirects over raw HTTP.

import type { Client } from '../data/fixtures.ts';
import { CookieJar } from '../net/cookie-jar.ts';
import { type Door, issuerOf } from '../net/door.ts';
import { send } from '../net/http.ts';
import { freshPkce } from '../net/pkce.ts';
import type { Answer, Sent } from '../net/sent.ts';

export type Params = Record<string, string | undefined>;
export type At = { method?: string; api?: string };

export function queryOf(params: Params): string {
  const given = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}

/** Returns the default parameters of an authorization request; undefined omits one. */
export function authorizeParams(client: Client, changes: Params = {}): Params {
  const publicClient = client.secret === undefined && !('code_challenge' in changes);
  return {
    client_id: client.clientId,
    redirect_uri: client.redirectUri,
    response_type: 'code',
    scope: 'read',
    state: 'S',
    ...(publicClient ? freshPkce().params : {}),
    ...changes,
  };
}

export function authorizeUrl(door: Door, params: Params | string, at: At = {}): string {
  const query = typeof params === 'string' ? params : queryOf(params);
  return `${issuerOf(door, at.method, at.api)}/authorize?${query}`;
}

const ENTITIES: Record<string, string> = {
  '&quot;': '"',
  '&#39;': "'",
  '&#x27;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};
export const unescapeHtml = (text: string) =>
  text.replaceAll(/&(?:quot|#39|#x27|lt|gt|amp);/g, (entity) => ENTITIES[entity] as string);

/** Returns the hidden fields of a page's form. */
export function hiddenFields(page: Answer): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [input] of page.text.matchAll(/<input\b[^>]*>/g)) {
    const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1];
    const name = attribute('name');
    if (attribute('type') === 'hidden' && name !== undefined)
      fields[name] = unescapeHtml(attribute('value') ?? '');
  }
  return fields;
}

export class Browser {
  readonly door: Door;
  jar: CookieJar;
  constructor(door: Door, jar = new CookieJar()) {
    this.door = door;
    this.jar = jar;
  }

  get(url: string, sent: Sent = {}): Promise<Answer> {
    const { headers, ...rest } = sent;
    return send(url, { jar: this.jar, headers: { accept: 'text/html', ...headers }, ...rest });
  }

  /** Submits a form like the service's pages. */
  submit(path: string, form: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> {
    const origin = { origin: this.door.url, accept: 'text/html' };
    return send(`${this.door.url}${path}`, { form, jar: this.jar, headers: { ...origin, ...headers } });
  }

  authorize(params: Params, at: At = {}): Promise<Answer> {
    return this.get(authorizeUrl(this.door, params, at));
  }

  /** Sends the default authorization request of a client, with these `changes`. */
  ask(client: Client, changes: Params = {}, at: At = {}): Promise<Answer> {
    return this.authorize(authorizeParams(client, changes), at);
  }

  /** Follows Gatehouse's redirects and the page /continue; stops at forms and at the client. */
  async onward(answer: Answer): Promise<Answer> {
    let current = answer;
    for (let step = 0; step < 10; step += 1) {
      const refresh = current.headers['refresh'];
      const next = typeof refresh === 'string' ? refresh.replace(/^\s*0\s*;\s*url=/i, '') : current.location;
      if (!next.startsWith(this.door.url)) return current;
      current = await this.get(next);
    }
    throw new Error('a loop of redirects');
  }

  /** Fills in the sign-in page. */
  async signInOn(page: Answer, who: { email: string; password: string }): Promise<Answer> {
    const fields = { ...hiddenFields(page), username: who.email, password: who.password };
    return this.submit('/login/submit', fields);
  }

  async decideOn(page: Answer, decision: 'allow' | 'deny'): Promise<Answer> {
    return this.submit('/consent/submit', { ...hiddenFields(page), decision });
  }

  /** `ask` plus `onward`: continues to the first form or the client's redirect. */
  async start(client: Client, changes: Params = {}, at: At = {}): Promise<Answer> {
    return this.onward(await this.ask(client, changes, at));
  }

  /** Completes an authorization request. Signs in and consents if required. */
  async finish(params: Params, who?: { email: string; password: string }, at: At = {}): Promise<Answer> {
    let page = await this.onward(await this.authorize(params, at));
    if (isSignInPage(page) && who) page = await this.onward(await this.signInOn(page, who));
    if (isConsentPage(page)) page = await this.onward(await this.decideOn(page, 'allow'));
    return page;
  }

  /** Clicks the sign-out button, if shown. */
  async signOut(): Promise<void> {
    const page = await this.get(`${this.door.url}/logout`);
    if (page.text.includes('action="/logout/submit"'))
      await this.submit('/logout/submit', hiddenFields(page));
  }

  /** Returns a code for a client; signs the user in first if necessary. */
  async codeFor(client: Client, options: CodeOptions = {}): Promise<{ code: string; verifier?: string }> {
    const usesPkce = options.pkce ?? client.secret === undefined;
    const pkce = usesPkce ? freshPkce(options.verifier) : null;
    const params = authorizeParams(client, { ...pkce?.params, ...options.params });
    const answer = await this.finish(params, options.who, options.at);
    const code = new URL(answer.location || 'missing:').searchParams.get('code');
    if (answer.status !== 302 || !code)
      throw new Error(`no code: ${answer.status} ${answer.location} ${answer.text.slice(0, 300)}`);
    return { code, ...(pkce ? { verifier: pkce.verifier } : {}) };
  }
}

type CodeOptions = {
  params?: Params;
  who?: { email: string; password: string };
  at?: At;
  pkce?: boolean;
  verifier?: string;
};

export const isSignInPage = (page: Answer) => page.status === 200 && page.text.includes('name="password"');
export const isConsentPage = (page: Answer) => page.status === 200 && page.text.includes('value="allow"');

/** Returns a browser with a session of the local method. */
export async function signIn(
  door: Door,
  who: { email: string; password: string },
  client: Client,
): Promise<Browser> {
  const browser = new Browser(door);
  const page = await browser.start(client);
  const answer = await browser.signInOn(page, who);
  if (answer.status !== 303 || !answer.location.includes('/continue')) {
    throw new Error(
      `sign-in failed: page ${page.status}, form ${answer.status} ${answer.location} ${answer.text.slice(0, 300)}`,
    );
  }
  return browser;
}
