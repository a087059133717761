// Pages of the demo application: first the demo accounts, then the received claims.
import { escapeHtml } from '#lib/http/page.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { isolateText, languageChooser, MARK, type Reader } from './page.ts';

type Account = { name: string; password: string };
export type Showcase = {
  /** the address of Gatehouse */
  service: string;
  /** the service has no mail server and shows its mails at /account/mail */
  keepsMail: boolean;
  /** the address of the MCP server that the demo also starts */
  agentAddress: string;
  /** demo accounts with a role in the console */
  staff: (Account & { role: string })[];
  /** sign-in methods with their demo account; without an account, any name works */
  ways: {
    name: Readonly<Record<string, string>>;
    type: string;
    issuer: string;
    account?: Account | undefined;
  }[];
};
/** Data about the user, by source. */
export type Told = Record<'id_token' | 'access_token' | 'userinfo', Record<string, unknown> | null>;

const TOLD = ['id_token', 'access_token', 'userinfo'] as const;
const ROLES = ['developer', 'approver', 'administrator'] as const;
const CONSOLE = { developer: '/developer', approver: '/admin', administrator: '/admin' };

export function startPage(showcase: Showcase, reader: Reader): string {
  const { service, staff, ways } = showcase;
  const { say, words } = reader;
  const { t } = words;
  const signIns = ways.map(({ name, type, account }, at) =>
    card({
      title: isolateText(ownValue(name, words.language) ?? name['en'] ?? ''),
      about: say(type === 'external' || type === 'broker' ? type : 'local'),
      more: account
        ? accountOf(account, type === 'external' ? t('sign_in.username') : t('sign_in.email'), reader)
        : facts([
            [say('name'), say('any_name')],
            [t('sign_in.password'), say('no_password')],
          ]),
      href: `/sign-in/${at}`,
      label: account ? say('sign_in_as', { name: account.name }) : say('sign_in_any'),
    }),
  );
  const people = ROLES.flatMap((role) =>
    staff
      .filter((one) => one.role === role)
      .map((one) =>
        card({
          title: say(role),
          about: say(`${role}_does`),
          more: accountOf(one, t('sign_in.email'), reader),
          href: service + CONSOLE[role],
          label: say(`${role}_go`),
          plain: true,
        }),
      ),
  );
  return frame(
    service,
    reader,
    `<h1>${say('shop')}</h1>
<p class="lead">${say('lead')}</p>
<section><h2>${say('heading')}</h2>
<ul class="audiences demo-cards">${signIns.join('')}</ul></section>
<section><h2>${say('console')}</h2><p class="lead">${say('console_lead')}</p>
<ul class="audiences demo-cards">${people.join('')}</ul></section>
${whereNext(showcase, reader)}`,
  );
}

export function signedInPage(told: Told, showcase: Showcase, reader: Reader): string {
  const { say, words } = reader;
  const person = told.userinfo ?? {};
  const name = String(person['name'] ?? person['email'] ?? person['sub']);
  const sections = TOLD.map((kind) => {
    const claims = told[kind];
    const content = claims
      ? `<dl class="rows">${inOrder(claims)
          .map((claim) => claimRow(claim, reader))
          .join('')}</dl>`
      : `<p>${say('opaque')}</p>`;
    return `<section><h2>${say(kind)}</h2><p class="soft">${say(`${kind}_about`)}</p>${content}</section>`;
  });
  return frame(
    showcase.service,
    reader,
    `<h1>${say('signed_in_as', { name: isolateText(name) })}</h1>
<p class="lead">${say('signed_in_lead')}</p>
<form method="post" class="hero-actions"><button class="button" formaction="/renew">${say('renew')}</button>
<button class="button plain" formaction="/sign-out">${words.t('sign_out.heading')}</button></form>
<div class="demo-told">${sections.join('')}</div>
${whereNext(showcase, reader)}`,
  );
}

function whereNext({ service, keepsMail, agentAddress }: Showcase, { say, words }: Reader): string {
  const link = (path: string, title: string, about: string) =>
    `<li><h3><a href="${escapeHtml(service + path)}">${title}</a></h3><p>${about}</p></li>`;
  const code = (text: string) => `<code dir="ltr">${escapeHtml(text)}</code>`;
  return `<section><h2>${say('more')}</h2><ul class="demo-links">
${link('/documentation/guides/connect-a-client', say('token'), say('token_about'))}
${keepsMail ? link('/account/mail', say('mail'), say('mail_about', { address: code('/account/mail') })) : ''}
${link('/account', words.t('my.heading'), say('account_about'))}
${link('/documentation/guides/mcp-clients', say('agent'), say('agent_about', { address: code(agentAddress) }))}
</ul></section>`;
}

/** Page about a failed sign-in. `text`: plain English text of a protocol error. */
export function failedPage(title: string, text: string | null, service: string, reader: Reader): string {
  const said = text === null ? '' : `<p class="lead" lang="en" dir="ltr">${escapeHtml(text)}</p>`;
  const again = `<p class="hero-actions"><a class="button" href="/">${reader.words.t('frame.try_again')}</a></p>`;
  return frame(service, reader, `<h1>${title}</h1>${said}${again}`);
}

function frame(service: string, reader: Reader, content: string): string {
  const { say, words } = reader;
  const address = escapeHtml(service);
  return `<div class="site">
<a class="skip" href="#content">${words.t('console.content')}</a>
<header class="site-header"><a class="brand" href="/"><span class="tile tile-0 demo-tile" aria-hidden="true">S</span><span>${say('shop')}</span></a>
<nav aria-label="Gatehouse"><a href="${address}/developer">${words.t('console.name')}</a><a href="${address}/documentation">${words.t('console.documentation')}</a></nav></header>
<main id="content" class="site-main wide demo" tabindex="-1">${content}</main>
<footer class="site-footer">${MARK}<span>Gatehouse</span>${languageChooser(reader)}</footer>
</div>`;
}

type Card = { title: string; about: string; more: string; href: string; label: string; plain?: boolean };

function card({ title, about, more, href, label, plain = false }: Card): string {
  return `<li><h3>${title}</h3><p>${about}</p>${more}
<a class="button${plain ? ' plain' : ''}" href="${escapeHtml(href)}">${escapeHtml(label)}</a></li>`;
}

function accountOf({ name, password }: Account, label: string, { words }: Reader): string {
  return facts([
    [label, `<code dir="ltr">${escapeHtml(name)}</code>`],
    [words.t('sign_in.password'), `<code dir="ltr">${escapeHtml(password)}</code>`],
  ]);
}

const facts = (of: [name: string, value: string][]) =>
  `<dl class="demo-account">${of.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')}</dl>`;

/** Order of the claims: claims that all tokens contain come first, so that tokens are easy to compare. */
const ORDER = ['iss', 'sub', 'aud', 'client_id', 'scope', 'iat', 'exp', 'auth_time', 'acr', 'amr'];
const placeOf = ([name]: [string, unknown]) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
const inOrder = (claims: Record<string, unknown>) =>
  Object.entries(claims).sort((one, other) => placeOf(one) - placeOf(other));

const TIMES = ['exp', 'iat', 'auth_time', 'updated_at'];

function claimRow([name, value]: [string, unknown], { claims, words }: Reader): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const time = TIMES.includes(name) ? ` ${timeOf(Number(value), words.language)}` : '';
  return `<div><dt><code>${escapeHtml(name)}</code></dt>
<dd><code><bdi>${escapeHtml(text)}</bdi></code>${time}<span class="soft">${ownValue(claims, name) ?? ''}</span></dd></div>`;
}

const timeOf = (seconds: number, language: string) =>
  isolateText(
    new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' }).format(
      seconds * 1000,
    ),
  );
