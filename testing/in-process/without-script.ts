// A browser without JavaScript, in this process: it renders the pages of both sign-ins and posts their forms.
import { createElement, type ReactNode } from 'react';
import { prerender } from 'react-dom/static';
import { openTransaction } from '#lib/sessions/transaction.ts';
import type { Language } from '#lib/settings/languages.ts';
import { settings } from '#lib/settings/settings.ts';
import { CookieJar } from '../net/cookie-jar.ts';
import { ask } from './in-process.ts';

/** Headers of the console page that is rendered. */
const sent = { headers: new Headers() };
/** Replaces `next/headers` (`vi.mock`), because console pages are rendered outside of Next. */
export const NEXT_HEADERS = { headers: async () => sent.headers };

type Route = { GET: (request: Request, context: { params: Promise<object> }) => Promise<Response> };
type ConsolePage = {
  default: (props: { searchParams: Promise<Record<string, string>> }) => Promise<ReactNode>;
};

const HOSTED: Record<string, () => Promise<Route>> = {
  '/login': () => import('#app/(hosted)/login/route.tsx'),
  '/confirm': () => import('#app/(hosted)/confirm/route.tsx'),
  '/set-up': () => import('#app/(hosted)/set-up/route.tsx'),
  '/new-password': () => import('#app/(hosted)/new-password/route.tsx'),
};
const CONSOLE: Record<string, () => Promise<ConsolePage>> = {
  '/account': () => import('#app/(console)/account/page.tsx'),
  '/account/again': () => import('#app/(console)/account/again/page.tsx'),
  '/account/forgot-password': () => import('#app/(console)/account/forgot-password/page.tsx'),
  '/account/new-password': () => import('#app/(console)/account/new-password/page.tsx'),
  '/account/reset-password': () => import('#app/(console)/account/reset-password/page.tsx'),
  '/account/password': () => import('#app/(console)/account/password/page.tsx'),
  '/account/security': () => import('#app/(console)/account/security/page.tsx'),
  '/account/security/add': () => import('#app/(console)/account/security/add/page.tsx'),
  '/account/security/replace': () => import('#app/(console)/account/security/replace/page.tsx'),
};

export class PlainBrowser {
  readonly jar = new CookieJar();
  readonly #language: Language;
  /** path and query of the page, or the redirect address of a client */
  address = '';
  html = '';

  constructor(language: Language = 'en') {
    this.#language = language;
    // app/_proxy.ts sets this cookie with the first page
    this.jar.keep([openTransaction(undefined).cookie]);
  }

  async open(address: string): Promise<this> {
    const { baseUrl } = settings();
    const url = new URL(address, baseUrl);
    this.address = url.origin === baseUrl ? url.pathname + url.search : url.href;
    this.html = '';
    if (url.origin !== baseUrl) return this;
    const headers = {
      'accept-language': this.#language,
      ...(this.jar.header && { cookie: this.jar.header }),
    };
    const hosted = HOSTED[url.pathname];
    const page = CONSOLE[url.pathname];
    if (hosted) {
      const { GET } = await hosted();
      return this.#arrive(await GET(new Request(url, { headers }), { params: Promise.resolve({}) }));
    }
    if (!page) return this.#answered(await ask(this.address, { headers }));
    sent.headers = new Headers({ ...headers, 'x-page-language': this.#language });
    const searchParams = Promise.resolve(Object.fromEntries(url.searchParams));
    const { default: Page } = await page();
    const { prelude } = await prerender(createElement('body', {}, await Page({ searchParams })));
    this.html = await new Response(prelude).text();
    return this;
  }

  /** Posts the form with this address and the first typed field, with its hidden fields. */
  async submit(action: string, typed: Record<string, string>): Promise<this> {
    const forms = [...this.html.matchAll(/<form[^>]* action="([^"]*)"[^>]*>(.*?)<\/form>/gs)];
    const [field = ''] = Object.keys(typed);
    const [, , form] =
      forms.find(([, to, inside]) => to === action && inside?.includes(` name="${field}"`)) ?? [];
    if (form === undefined) throw new Error(`no form with ${field} posts to ${action}: ${this.html}`);
    const hidden = [...form.matchAll(/<input type="hidden"[^>]*>/g)].map(([tag]): [string, string] => [
      attribute(tag, 'name'),
      attribute(tag, 'value'),
    ]);
    const fields = { ...Object.fromEntries(hidden), ...typed };
    const headers = { cookie: this.jar.header ?? '', origin: settings().baseUrl };
    const [, area, name = ''] = /^\/(account)\/submit\/(.*)$/.exec(action) ?? [];
    if (area === undefined) return this.#answered(await ask(action, { form: fields, headers }));
    const { POST } = await import('#app/(console)/account/submit/[form]/route.ts');
    const body = new URLSearchParams(fields);
    const request = new Request(settings().baseUrl + action, { method: 'POST', headers, body });
    return this.#arrive(await POST(request, { params: Promise.resolve({ form: name }) }));
  }

  /** Secret of the authenticator app that the page shows. */
  get appSecret(): string {
    const [, spelled = ''] = /class="app-secret".*?<code[^>]*>([A-Z2-7 ]+)</s.exec(this.html) ?? [];
    return spelled.replaceAll(' ', '');
  }

  /** Texts of the alerts and faults on the page. */
  get faults(): string[] {
    return [...this.html.matchAll(/<p class="(?:alert|fault)"(?![^>]*hidden)[^>]*>([^<]+)/g)].map(
      ([, text = '']) => text,
    );
  }

  /** Names of fields that the page marks as faulty. */
  get wrongFields(): string[] {
    return [...this.html.matchAll(/<input[^>]* aria-invalid="true"[^>]*>/g)].map(([tag]) =>
      attribute(tag, 'name'),
    );
  }

  /** Values of the fields with this name, in the order of the page. */
  valuesOf(name: string): string[] {
    const fields = [...this.html.matchAll(/<input[^>]*>/g)].map(([tag]) => tag);
    return fields.filter((tag) => attribute(tag, 'name') === name).map((tag) => attribute(tag, 'value'));
  }

  #answered({ status, headers, body }: Awaited<ReturnType<typeof ask>>): Promise<this> {
    const kept = Object.entries(headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((line): [string, string] => [name, line]),
    );
    return this.#arrive(new Response(body === undefined ? null : String(body), { status, headers: kept }));
  }

  async #arrive(response: Response): Promise<this> {
    this.jar.keep(response.headers.getSetCookie());
    const refresh = response.headers.get('refresh')?.replace('0; url=', '');
    const next = refresh ?? response.headers.get('location');
    if (next) return this.open(next);
    this.html = await response.text();
    return this;
  }
}

function attribute(tag: string, name: string): string {
  const [, value = ''] = new RegExp(` ${name}="([^"]*)"`).exec(tag) ?? [];
  return value.replaceAll('&quot;', '"').replaceAll('&#x27;', "'").replaceAll('&amp;', '&');
}
