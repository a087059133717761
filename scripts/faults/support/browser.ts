// A browser and its person, as far as a redirect chain goes: cookies, forms, and the page that goes on by itself.
import { CookieJar } from '../../../e2e/support/cookie-jar.ts';
import { type Application, type Reply, send } from './client.ts';
import type { Person } from './context.ts';

export class Browser {
  readonly base: string;
  readonly jar = new CookieJar();

  constructor(base: string) {
    this.base = base;
  }

  async request(address: string, form?: Record<string, string>): Promise<Reply> {
    const url = address.startsWith('http') ? address : `${this.base}${address}`;
    const reply = await send(url, {
      ...(form ? { form } : {}),
      headers: {
        accept: 'text/html',
        origin: new URL(this.base).origin,
        ...(this.jar.header === undefined ? {} : { cookie: this.jar.header }),
      },
    });
    this.jar.keep(reply.headers['set-cookie']);
    return reply;
  }

  /** Goes on to the first page that asks something, or to the redirect to the client. */
  async onward(reply: Reply): Promise<Reply> {
    let current = reply;
    for (let step = 0; step < 10; step += 1) {
      const refresh = current.headers['refresh'];
      const next =
        typeof refresh === 'string' ? refresh.replace(/^0; url=/, '') : (current.headers.location ?? '');
      if (!next.startsWith(this.base)) return current;
      current = await this.request(next);
    }
    throw new Error('a loop of redirects');
  }

  /** A code of a client, with sign-in and consent where they are asked for; null: it ended elsewhere. */
  async code({ clientId, redirectUri }: Application, person: Person, more = ''): Promise<string | null> {
    const query = `client_id=${clientId}&redirect_uri=${encodeURIComponent(redirectUri)}&response_type=code&scope=read&state=S${more}`;
    let page = await this.onward(await this.request(`/auth/pw/api/orders/authorize?${query}`));
    if (page.text.includes('name="password"')) {
      const fields = { ...hiddenFields(page.text), username: person.email, password: person.password };
      page = await this.onward(await this.request('/login/submit', fields));
    }
    if (page.text.includes('value="allow"')) {
      page = await this.onward(
        await this.request('/consent/submit', { ...hiddenFields(page.text), decision: 'allow' }),
      );
    }
    return new URL(page.headers.location ?? 'missing:').searchParams.get('code');
  }

  async signOut(): Promise<void> {
    const page = await this.request('/logout');
    if (page.text.includes('action="/logout/submit"'))
      await this.request('/logout/submit', hiddenFields(page.text));
  }
}

function hiddenFields(html: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [input] of html.matchAll(/<input\b[^>]*type="hidden"[^>]*>/g)) {
    const name = /\bname="([^"]*)"/.exec(input)?.[1];
    if (name) fields[name] = (/\bvalue="([^"]*)"/.exec(input)?.[1] ?? '').replaceAll('&amp;', '&');
  }
  return fields;
}
