// The two sign-ins behind one interface: hosted pages and the console, each as a browser tab of a user in this process.
import { submitHandlers } from '#app/(console)/_kit/dispatch.ts';
import { forms } from '#app/(console)/account/submit/forms.ts';
import { now } from '#lib/kit/clock.ts';
import type { Told } from '#lib/language/message.ts';
import { wordsOf } from '#lib/language/words.ts';
import {
  askConsolePasskey,
  askPasskeyAgain,
  maySetUpNow,
  viewNewFactor,
  viewOwedPassword,
  viewSecondStep,
} from '#lib/management/console-sign-in.ts';
import { consoleFormToken, readConsoleVisitor } from '#lib/sessions/console.ts';
import { openTransaction } from '#lib/sessions/transaction.ts';
import { environment } from '#lib/settings/environment.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '../data/registry.ts';
import { CookieJar } from '../net/cookie-jar.ts';
import { type Place, Visitor } from './visitor.ts';

const METHOD = 'pw';
const words = wordsOf('en');
const text = (alert: Told | null) => (alert === null ? null : words.sentence(alert));

/** `rejected`: the form was not accepted. `message`: a page without a form. `codes`: new recovery codes. */
type Page =
  | 'sign-in'
  | 'again'
  | 'second-step'
  | 'set-up'
  | 'new-password'
  | 'codes'
  | 'message'
  | 'rejected'
  | 'denied'
  | 'signed-in';
export type Shown = { page: Page; alert: string | null };
type PasskeyOptions = { options: string; state: string } | null;
/** Creates the response of the browser to passkey options. */
type Answering = (options: string) => string;

/** Deliberate faults of a form post. */
export type Forged = { origin?: string; token?: string };

/** One tab of a browser. Each method posts the form that the tab shows, as it was when the page loaded. */
export interface SignInTab {
  readonly jar: CookieJar;
  shown: Shown;
  /** recovery codes of the last page */
  codes: string[];
  forged: Forged;
  /** opens the page that needs a signed-in user; `strong`: with a second factor */
  open(need?: 'strong'): Promise<Shown>;
  /** opens the page that asks for the password again */
  again(): Promise<Shown>;
  reload(): Promise<Shown>;
  /** another tab with the same page; `jar`: in another browser */
  duplicate(jar?: CookieJar): SignInTab;
  password(username: string, password: string): Promise<Shown>;
  /** `trust`: no second factor in this browser for some days */
  code(code: string, trust?: 'trust'): Promise<Shown>;
  recoveryCode(code: string): Promise<Shown>;
  /** the passkey options of the page; null: the page offers no passkey */
  passkeyOptions(): Promise<PasskeyOptions>;
  passkey(answer: Answering): Promise<Shown>;
  /** secret of the app that the page shows; '': none */
  appSecret(): string;
  addApp(code: string): Promise<Shown>;
  addPasskey(answer: Answering): Promise<Shown>;
  later(): Promise<Shown>;
  newPassword(password: string, code?: string): Promise<Shown>;
  cancel(): Promise<Shown>;
}

export type SignInDoor = {
  name: 'hosted pages' | 'console';
  kind: 'sign-in' | 'console';
  tab: (jar?: CookieJar) => SignInTab;
  /** requires a second factor of every user, and permits this number of days without one */
  requireFactor: (graceDays?: number) => Promise<void>;
};

const loaded = { databaseUrl: settings().databaseUrl, secrets: settings().secrets.join(',') };

/** Sets variables of the environment for both doors. */
export const loadWith = (variables: Record<string, string> = {}) =>
  loadSettings({
    ...environment(),
    DATABASE_URL: loaded.databaseUrl,
    GATEHOUSE_SECRET: loaded.secrets,
    ...variables,
  });

const setUpWithin = (days: number) => ({ SECOND_FACTOR_GRACE_DAYS: String(days) });

// Hosted pages: the sealed interaction keeps the state.

const PAGES = {
  login: 'sign-in',
  confirm: 'second-step',
  'set-up': 'set-up',
  'new-password': 'new-password',
  client: 'signed-in',
} as const;
const STRONG = { acr_values: 'urn:gatehouse:acr:mfa' };

class HostedTab implements SignInTab {
  readonly jar: CookieJar;
  shown: Shown = { page: 'message', alert: null };
  codes: string[] = [];
  forged: Forged = {};
  #visitor: Visitor;
  #place: Place | null = null;
  #view: Awaited<ReturnType<Visitor['view']>> | null = null;

  constructor(jar: CookieJar) {
    this.jar = jar;
    this.#visitor = new Visitor(jar);
  }

  open(need?: 'strong') {
    return this.#start(need ? STRONG : {});
  }
  again() {
    return this.#start({ prompt: 'login' });
  }
  async #start(query: Record<string, string>) {
    return this.#show(await this.#visitor.start(query));
  }
  reload() {
    return this.#place ? this.#show(this.#place) : this.open();
  }
  duplicate(jar = this.jar) {
    const tab = new HostedTab(jar);
    tab.#place = this.#place;
    tab.#view = this.#view;
    tab.shown = this.shown;
    return tab;
  }
  password(username: string, password: string) {
    return this.#post('/login/submit', { username, password });
  }
  code(code: string, trust?: 'trust') {
    return this.#post('/confirm/submit', { code, ...(trust && { trust: '1' }) });
  }
  recoveryCode(code: string) {
    return this.#post('/confirm/submit', { recovery_code: code });
  }
  async passkeyOptions() {
    return this.#view !== null && 'passkey' in this.#view ? this.#view.passkey : null;
  }
  async passkey(answer: Answering) {
    const at = this.#place?.page === 'login' ? '/login/passkey' : '/confirm/submit';
    return this.#post(at, await answered(this, answer));
  }
  appSecret() {
    const totp = this.#view !== null && 'totp' in this.#view ? this.#view.totp : null;
    return (totp?.spelled ?? '').replaceAll(' ', '');
  }
  addApp(code: string) {
    const totp = this.#view !== null && 'totp' in this.#view ? this.#view.totp : null;
    return this.#post('/set-up/submit', { pending: totp?.sealed ?? '', code });
  }
  async addPasskey(answer: Answering) {
    return this.#post('/set-up/submit', await answered(this, answer));
  }
  later() {
    return this.#post('/set-up/submit', { later: '1' });
  }
  newPassword(password: string, code = '') {
    return this.#post('/new-password/submit', { password, code });
  }
  cancel() {
    return this.#post(`/${this.#place?.page}/submit`, { cancel: '1' });
  }

  async #post(target: string, fields: Record<string, string>): Promise<Shown> {
    const bound = this.#view !== null && 'interaction' in this.#view ? this.#view : null;
    const { origin, token } = this.forged;
    const answer = await this.#visitor.send(
      target,
      { interaction: bound?.interaction ?? '', anti_forgery: token ?? bound?.antiForgery ?? '', ...fields },
      origin,
    );
    this.codes = [...String(answer.body).matchAll(/<li><code>([^<]+)/g)].map(([, code = '']) => code);
    if (this.codes.length > 0) return this.#say('codes', null);
    if (answer.status >= 400) return this.#say('rejected', null);
    return this.#show(await this.#visitor.onward(answer));
  }

  async #show(place: Place): Promise<Shown> {
    this.#place = place;
    if (place.page === 'client') {
      this.#view = null;
      return this.#say(place.client.has('code') ? 'signed-in' : 'denied', null);
    }
    const page = place.page as Exclude<keyof typeof PAGES, 'client'>;
    this.#view = await this.#visitor.view(page, place);
    if (this.#view.kind !== 'ready') return this.#say('message', words.t(this.#view.heading));
    return this.#say(PAGES[page], text(this.#view.alert));
  }

  #say(page: Page, alert: string | null): Shown {
    this.shown = { page, alert };
    return this.shown;
  }
}

async function answered(tab: SignInTab, answer: Answering) {
  const passkey = await tab.passkeyOptions();
  return { credential: answer(passkey?.options ?? ''), passkey_state: passkey?.state ?? '' };
}

// Console: the console session keeps the state. The tab posts like the script of the console.

const { POST } = submitHandlers('account', forms);

type FormAnswer = {
  go?: string;
  message?: string;
  faults?: Record<string, string>;
  shown?: { values: [string, string][] };
};

/** Posts a form of /account as the script of the console. `cookie`: cookies with which the page of the form loaded. */
export async function postForm(
  { jar, cookie = jar.header, forged = {} }: { jar: CookieJar; cookie?: string | undefined; forged?: Forged },
  form: string,
  fields: Record<string, string>,
): Promise<{ status: number; answer: FormAnswer }> {
  const { baseUrl } = settings();
  const token = forged.token ?? (await consoleFormToken(cookie, form)) ?? '';
  const request = new Request(`${baseUrl}/account/submit/${form}`, {
    method: 'POST',
    headers: {
      origin: forged.origin ?? baseUrl,
      cookie: jar.header ?? '',
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: String(new URLSearchParams({ anti_forgery: token, to: '/account', ...fields })),
  });
  const response = await POST(request, { params: Promise.resolve({ form }) });
  jar.keep(response.headers.getSetCookie());
  return { status: response.status, answer: (await response.json()) as FormAnswer };
}

class ConsoleTab implements SignInTab {
  readonly jar: CookieJar;
  shown: Shown = { page: 'message', alert: null };
  codes: string[] = [];
  forged: Forged = {};
  /** cookies with which the page loaded, to which its forms are bound */
  #cookie: string | undefined;
  #query = new URLSearchParams();
  #passkey: PasskeyOptions = null;
  #totp: { spelled: string; sealed: string } | null = null;

  constructor(jar: CookieJar) {
    this.jar = jar;
  }

  async open() {
    // app/_proxy.ts sets this cookie with the first page
    this.jar.keep([openTransaction(this.jar.header).cookie]);
    return this.#load('/account');
  }
  again() {
    return this.#load('/account/again');
  }
  reload() {
    return this.#load(`${this.#address()}?${this.#query}`);
  }
  duplicate(jar = this.jar) {
    const tab = new ConsoleTab(jar);
    tab.#cookie = this.#cookie;
    tab.#query = this.#query;
    tab.#passkey = this.#passkey;
    tab.#totp = this.#totp;
    tab.shown = this.shown;
    return tab;
  }
  password(username: string, password: string) {
    if (this.shown.page === 'again') return this.#post('sign-in-again', { username, password });
    return this.#post('sign-in', { authMethodId: METHOD, username, password });
  }
  code(code: string, trust?: 'trust') {
    return this.#post('confirm-code', { code, ...(trust && { trust: '1' }) });
  }
  recoveryCode(code: string) {
    return this.#post('confirm-code', { code });
  }
  async passkeyOptions() {
    return this.#passkey;
  }
  async passkey(answer: Answering) {
    const form = { 'sign-in': 'passkey-sign-in', again: 'passkey-again' }[String(this.shown.page)];
    return this.#post(form ?? 'confirm-passkey', {
      authMethodId: METHOD,
      ...(await answered(this, answer)),
    });
  }
  appSecret() {
    return (this.#totp?.spelled ?? '').replaceAll(' ', '');
  }
  addApp(code: string) {
    return this.#post('set-up-app', { sealed: this.#totp?.sealed ?? '', code });
  }
  async addPasskey(answer: Answering) {
    return this.#post('set-up-passkey', { ...(await answered(this, answer)), name: '' });
  }
  later() {
    return this.#post('set-up-later', {});
  }
  newPassword(password: string, code = '') {
    return this.#post('new-password', { owed: this.#query.get('owed') ?? '', password, code });
  }
  cancel() {
    return this.#post('confirm-cancel', {});
  }

  #address() {
    return this.shown.page === 'new-password' ? '/account/new-password' : '/account';
  }

  async #post(form: string, fields: Record<string, string>): Promise<Shown> {
    const { jar, forged } = this;
    const { status, answer } = await postForm({ jar, cookie: this.#cookie, forged }, form, fields);
    this.codes = answer.shown?.values.flatMap(([, value]) => value.split('\n')) ?? [];
    if (this.codes.length > 0) return this.#say('codes', null);
    if (answer.go !== undefined) return this.#load(answer.go);
    // a form of another page or browser is answered without the page
    if (status === 403 || answer.message === undefined) return this.#say('rejected', answer.message ?? null);
    const [fault] = Object.values(answer.faults ?? {});
    return this.#say(this.shown.page, fault ?? answer.message);
  }

  async #load(address: string): Promise<Shown> {
    const [path, query] = address.split('?');
    this.#query = new URLSearchParams(query);
    this.#cookie = this.jar.header;
    this.#passkey = null;
    this.#totp = null;
    if (path === '/account/new-password') {
      const view = await viewOwedPassword(this.#query.get('owed') ?? '', this.#cookie);
      return this.#say(view ? 'new-password' : 'message', null);
    }
    const visitor = await readConsoleVisitor(this.#cookie, null);
    if (visitor?.kind === 'person') {
      if (path !== '/account/again') return this.#say('signed-in', null);
      this.#passkey = await askPasskeyAgain(visitor);
      return this.#say('again', null);
    }
    if (visitor?.owes === 'confirm') {
      this.#passkey = (await viewSecondStep(visitor)).passkey;
      return this.#say('second-step', null);
    }
    if (visitor && maySetUpNow(visitor, now())) {
      const { totp, passkey } = await viewNewFactor(visitor);
      this.#totp = totp;
      this.#passkey = passkey;
      return this.#say('set-up', null);
    }
    this.#passkey = await askConsolePasskey(METHOD, this.#cookie);
    return this.#say('sign-in', null);
  }

  #say(page: Page, alert: string | null): Shown {
    this.shown = { page, alert };
    return this.shown;
  }
}

export const SIGN_IN_DOORS: readonly SignInDoor[] = [
  {
    name: 'hosted pages',
    kind: 'sign-in',
    tab: (jar = new CookieJar()) => new HostedTab(jar),
    requireFactor: async (graceDays = 0) => {
      loadWith(setUpWithin(graceDays));
      await sql(`update apis set second_factor = 'required' where id = 'orders'`);
      await currentSnapshot();
    },
  },
  {
    name: 'console',
    kind: 'console',
    tab: (jar = new CookieJar()) => new ConsoleTab(jar),
    requireFactor: async (graceDays = 0) => {
      loadWith({ CONSOLE_SECOND_FACTOR: 'required', ...setUpWithin(graceDays) });
    },
  },
];
