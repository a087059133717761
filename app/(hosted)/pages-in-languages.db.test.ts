// Hosted pages in other languages: Latin words on Arabic and Japanese pages must be names, otherwise they are
// untranslated text. Pages in other languages must contain no English sentence.
import { beforeAll, expect, test } from 'vitest';
import { invitePeople } from '#lib/catalogue/people/invitations.ts';
import { createPerson } from '#lib/catalogue/people/operations.ts';
import { CATALOGUE } from '#lib/language/messages/catalogue.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { LANGUAGES, type Language } from '#lib/settings/languages.ts';
import { mailTo, sql } from '#testing/data/registry.ts';
import { givenDevices, newDevice, upToDecision } from '#testing/in-process/devices.ts';
import { newAddress, registration } from '#testing/in-process/registering.ts';
import { type Place, Visitor } from '#testing/in-process/visitor.ts';

type Route = { GET: (request: Request, context: { params: Promise<object> }) => Promise<Response> };

const ROUTES: Record<string, () => Promise<Route>> = {
  login: () => import('./login/route.tsx'),
  register: () => import('./register/route.tsx'),
  'new-password': () => import('./new-password/route.tsx'),
  consent: () => import('./consent/route.tsx'),
  device: () => import('./device/route.tsx'),
  logout: () => import('./logout/route.tsx'),
};

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };

/** Names and examples that are the same in every language. */
const NAMES =
  /Gatehouse|Tru|Orders|Password|ada@example\.com|[\w.-]+@example\.com|QR|PIN|\bID\b|prompt=none/g;

async function pageAt(name: string, query: string, visitor: Visitor): Promise<string> {
  const { GET } = await (ROUTES[name] as () => Promise<Route>)();
  const headers = { cookie: visitor.jar.header ?? '' };
  const answer = await GET(new Request(`http://localhost:3000/${name}?${query}`, { headers }), {
    params: Promise.resolve({}),
  });
  return answer.text();
}

const at = ({ page, sealed }: Place, visitor: Visitor, more = '') =>
  pageAt(page, `interaction=${sealed}${more}`, visitor);

/** The visible text, and attributes that users can read. */
function wordsOn(html: string): string {
  const body = html
    .replace(/[\s\S]*<title>/, '<title>')
    .replace(/<details class="languages">[\s\S]*?<\/details>/g, '')
    .replace(/<bdi[^>]*>[\s\S]*?<\/bdi>|<code[^>]*>[\s\S]*?<\/code>|<svg[\s\S]*?<\/svg>/g, ' ');
  const attributes = [
    ...body.matchAll(
      /(?:aria-label|title|placeholder|data-nothing-used|data-exists-there|data-new-password)="([^"]*)"/g,
    ),
  ];
  const told = attributes.map(([, value = '']) => value.replaceAll(/&quot;\w+&quot;:/g, ' ')).join('\n');
  return `${body.replaceAll(/<[^>]*>/g, '\n')}\n${told}`
    .replaceAll(/&\w+;|&#\w+;/g, ' ')
    .replaceAll(NAMES, ' ');
}

/**
 * Shows the page on which a user must replace the password. The page has a field for the code of an authenticator
 * app.
 */
async function givenOwedPassword(asked: Record<string, string>, pages: Map<string, string>) {
  const [email, password] = [newAddress(), 'correct horse battery'];
  const { id } = await createPerson(OPERATOR, { email, name: 'Ada', password });
  await sql('update people set must_change_password = true where id = $1', [id]);
  const visitor = new Visitor();
  const place = await visitor.signIn({ username: email, password }, asked);
  pages.set('new password', await at(place, visitor));
  pages.set('new password, same', await at(await visitor.submit(place, { password }), visitor));
  await sql(`update people set factor_level = 3 where id = $1`, [id]);
  pages.set('new password, passkeys alone', await at(place, visitor));
}

/** Returns the HTML of every page from registration to sign-in, by name. */
async function everyPage(language: Language): Promise<Map<string, string>> {
  const pages = new Map<string, string>();
  const email = `${language.toLowerCase()}-${Date.now()}@example.com`;
  const visitor = new Visitor();
  const asked = { ui_locales: language, scope: 'openid read' };
  const login = await visitor.start(asked);
  pages.set('login', await at(login, visitor));
  pages.set(
    'login, wrong',
    await at(await visitor.submit(login, { username: email, password: 'x' }), visitor),
  );
  const first = await visitor.start({ ...asked, prompt: 'create' });
  pages.set('address', await at(first, visitor));
  pages.set('address, wrong', await at(await visitor.submit(first, { email: 'nobody' }), visitor));
  const second = await visitor.submit(first, { email });
  pages.set('code', await at(second, visitor));
  pages.set('code, wrong', await at(await visitor.submit(second, { code: '1' }), visitor));
  const resent = await visitor.submit(second, { again: '1' });
  pages.set('code, sent again', await at(resent, visitor));
  const [{ text } = { text: '' }] = await mailTo(email);
  const [, link = ''] = /register\?link=([\w-]+)/.exec(text) ?? [];
  pages.set('link', await pageAt('register', `link=${link}`, visitor));
  pages.set('link, elsewhere', await pageAt('register', `link=${link}&language=${language}`, new Visitor()));
  const code = (/\b(\d{3}) (\d{3})\b/.exec(text)?.slice(1) ?? []).join('');
  const third = await visitor.submit(resent, { code });
  pages.set('password', await at(third, visitor));
  for (const [what, password] of Object.entries({
    short: 'x',
    known: 'password1',
    'too easy': 'aaaaaaaaaa',
    'own words': email,
    long: 'long enough '.repeat(30),
  }))
    pages.set(`password, ${what}`, await at(await visitor.submit(third, { password }), visitor));
  for (const done of ['taken', 'gone']) pages.set(done, await at(third, visitor, `&done=${done}`));
  await givenOwedPassword(asked, pages);
  const client = { client_id: 'conf', redirect_uri: 'https://conf.example/cb' };
  await visitor.submit(third, { name: 'نورا', password: 'correct horse battery' });
  const consent = await visitor.start({ ...asked, ...client });
  expect(consent.page).toBe('consent');
  pages.set('consent', await at(consent, visitor));
  const chosen = `&language=${language}`;
  const device = await newDevice({ ...TRU, scope: 'openid read' }, { address: '192.0.2.1' });
  const filled = `user_code=${device.user_code}${chosen}`;
  for (const [what, query] of Object.entries({
    code: chosen,
    'code of a link': filled,
    'code, unknown': `alert=unknown${chosen}`,
    allowed: `done=allowed${chosen}`,
    denied: `done=denied${chosen}`,
    gone: `done=gone${chosen}`,
  }))
    pages.set(`device, ${what}`, await pageAt('device', query, visitor));
  const who = { username: email, password: 'correct horse battery' };
  const { place } = await upToDecision(device, visitor, who);
  pages.set('device, decision', await at(place, visitor, chosen));
  await invitePeople(OPERATOR, { emails: [`guest-${email}`] });
  const [invited] = await mailTo(`guest-${email}`);
  const [, invitation = ''] = /invitation=([\w-]+)/.exec(invited?.text ?? '') ?? [];
  for (const [what, query] of Object.entries({
    invited: `invitation=${invitation}`,
    'invitation gone': 'invitation=none',
    'account ready': 'done=ready',
    incomplete: '',
  }))
    pages.set(what, await pageAt('register', `${query}&language=${language}`, new Visitor()));
  pages.set('logout', await pageAt('logout', `language=${language}`, new Visitor()));
  return pages;
}

beforeAll(async () => {
  await givenDevices();
  await registration('open');
});

test.each(LANGUAGES)(
  '%s: every page from registration request to account is translated',
  async (language) => {
    await sql('delete from attempts');
    const pages = await everyPage(language);
    const english = Object.values(CATALOGUE.en)
      .flatMap((group) => Object.values(group))
      .flatMap((text: string) => (text.includes(', plural,') ? [] : text.split(/\{\w+\}/)))
      .map((piece) => piece.trim())
      .filter((piece) => piece.split(' ').length > 2);
    for (const [what, html] of pages) {
      expect(html, what).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
      const shown = wordsOn(html);
      expect(shown.trim().length, what).toBeGreaterThan(20);
      if (language !== 'en')
        expect(
          english.filter((piece) => shown.includes(piece)),
          what,
        ).toEqual([]);
      if (['ar', 'ja'].includes(language)) expect(shown.match(/[A-Za-z]{2,}/g), what).toBeNull();
    }
  },
);

test('known users see their profile language, and ui_locales and an explicit choice take precedence', async () => {
  const visitor = new Visitor();
  await visitor.signIn({ username: 'alice@example.com', password: 'alice-password-1' });
  await sql(`update people set locale = 'pl-PL' where email = 'alice@example.com'`);
  const client = { client_id: 'conf', redirect_uri: 'https://conf.example/cb', scope: 'read' };
  const languageAt = async (over: Record<string, string>, more = '') =>
    /<html lang="([^"]+)"/.exec(await at(await visitor.start({ ...client, ...over }), visitor, more))?.[1];
  expect(await languageAt({})).toBe('pl');
  expect(await languageAt({ ui_locales: 'it' })).toBe('it');
  expect(await languageAt({}, '&language=tr')).toBe('tr');
});

test('the check of translated pages finds an English word', () => {
  expect(wordsOn('<title>x</title><p>كلمة <b>word</b></p>').match(/[A-Za-z]{2,}/g)).toEqual(['word']);
});
