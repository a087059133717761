// User in a browser, in this process: cookies, forms, and page contents.
import { TOTP } from 'otpauth';
import type { Answer } from '#lib/http/message.ts';
import { now, shiftClock } from '#lib/kit/clock.ts';
import { viewConsent } from '#lib/oauth/pages/consent.ts';
import { viewDevice } from '#lib/oauth/pages/device.ts';
import { viewRegister } from '#lib/oauth/pages/register.ts';
import { viewConfirm, viewNewPassword, viewSetUp } from '#lib/oauth/pages/second-step.ts';
import { viewSignIn } from '#lib/oauth/pages/sign-in.ts';
import { settings } from '#lib/settings/settings.ts';
import { CookieJar } from '../net/cookie-jar.ts';
import { ask, locationOf } from './in-process.ts';

/** Current location: Gatehouse page, or client. */
export type Place = {
  page: string;
  sealed: string;
  with: string | undefined;
  client: URLSearchParams;
  /** redirect URI of the client */
  address?: string;
};

const VIEWS = {
  login: viewSignIn,
  confirm: viewConfirm,
  'set-up': viewSetUp,
  'new-password': viewNewPassword,
  consent: viewConsent,
  device: viewDevice,
  register: viewRegister,
};
type PageName = keyof typeof VIEWS;

/** Parameters that only mail links contain. */
const NO_MAIL = { link: undefined, invitation: undefined, again: undefined };

export class Visitor {
  readonly jar: CookieJar;

  constructor(jar = new CookieJar()) {
    this.jar = jar;
  }

  async send(target: string, form?: Record<string, string>, origin = settings().authUrl): Promise<Answer> {
    const headers = { cookie: this.jar.header, origin, 'user-agent': 'Visitor' };
    const answer = await ask(target.replace(settings().authUrl, ''), { ...(form && { form }), headers });
    this.jar.keep([answer.headers['set-cookie'] ?? []].flat());
    return answer;
  }

  /** Follows redirects and automatic pages to a user page or the client. */
  async onward(answer: Answer): Promise<Place> {
    const refresh = String(answer.headers['refresh'] ?? '').replace('0; url=', '');
    const next = refresh || locationOf(answer);
    if (next === '') throw new Error(`${answer.status} ${answer.body}`);
    const url = new URL(next);
    const page = url.pathname.slice(1);
    if (!next.startsWith(settings().authUrl))
      return { page: 'client', sealed: '', with: undefined, client: url.searchParams, address: next };
    const sealed = url.searchParams.get('interaction') ?? '';
    if (page in VIEWS)
      return { page, sealed, with: url.searchParams.get('with') ?? undefined, client: url.searchParams };
    return this.onward(await this.send(next));
  }

  /** Sends an authorize request of the trusted client `tru`. */
  async start(over: Record<string, string> = {}, path = '/auth/pw/api/orders'): Promise<Place> {
    const query = {
      client_id: 'tru',
      response_type: 'code',
      redirect_uri: 'https://tru.example/cb',
      ...over,
    };
    return this.onward(await this.send(`${path}/authorize?${new URLSearchParams(query)}`));
  }

  /** Returns the contents of the page. */
  view<Name extends PageName>(name: Name, at: Place): ReturnType<(typeof VIEWS)[Name]> {
    if (at.page !== name) throw new Error(`at ${at.page}, not at ${name}`);
    const told = (name: string) => at.client.get(name) ?? undefined;
    const device = { code: told('user_code'), alert: told('alert'), wait: told('wait'), ip: null };
    const interaction = at.sealed || undefined;
    const input = {
      interaction,
      with: at.with,
      ...NO_MAIL,
      ...device,
      done: told('done'),
      wrong: told('wrong'),
      cookie: this.jar.header,
    };
    return VIEWS[name](input) as ReturnType<(typeof VIEWS)[Name]>;
  }

  /** Opens a registration link from a mail. */
  open(link: string): ReturnType<typeof viewRegister> {
    return viewRegister({
      ...NO_MAIL,
      interaction: undefined,
      link,
      done: undefined,
      cookie: this.jar.header,
    });
  }

  /** Sends the form of the page. */
  async post(at: Place, fields: Record<string, string>): Promise<Answer> {
    const view = await this.view(at.page as PageName, at);
    if (view.kind !== 'ready') throw new Error(`${at.page} is ${view.kind}`);
    const { interaction, antiForgery: anti_forgery } = view;
    return this.send(`/${at.page}/submit`, { interaction, anti_forgery, ...fields });
  }

  async submit(at: Place, fields: Record<string, string>): Promise<Place> {
    return this.onward(await this.post(at, fields));
  }

  /** Signs in, starting with the client's request. */
  async signIn(
    who: { username: string; password: string },
    over: Record<string, string> = {},
  ): Promise<Place> {
    return this.submit(await this.start(over), who);
  }
}

/** Returns the code of the current, previous or next step. */
export const totpCode = (secret: string, step = 0): string =>
  new TOTP({ secret }).generate({ timestamp: now().getTime() + step * 30_000 });

/** Moves the clock to 5 s after the start of a 30 s step, so codes remain valid throughout a test. */
export const intoAStep = (): void => shiftClock((35_000 - (Date.now() % 30_000)) % 30_000);
