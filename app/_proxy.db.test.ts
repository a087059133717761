// If the address of a console page contains a credential, the proxy redirects to the address without it. No other
// code reads, stores or logs the credential before that.
import { NextRequest } from 'next/server';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { log, setLogLevel } from '#lib/kit/log.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { mint } from '#lib/tokens/formats.ts';
import { isTest, sourcesIn } from '#testing/code/sources.ts';
import { tableThatHolds } from '#testing/data/at-rest.ts';
import { PASTED } from '#testing/data/pasted.ts';
import { givenEmptyRegistry, givenPerson } from '#testing/data/registry.ts';
import { signIn } from '#testing/in-process/console-session.ts';
import { noSuchPage } from './_doors/refusals.ts';
import { answerVisit } from './_proxy.ts';
import { ADDRESSES } from './(console)/_kit/access.ts';
import { readRefusedPage } from './(console)/_kit/refused-page.ts';

/**
 * Text fields of GET forms (Find, searches, filters of lists and of the audit log), and parameters with ids of page
 * states.
 */
const FIELDS = [
  ...['q', 'search', 'client', 'actor', 'person', 'event', 'api', 'request', 'since', 'until', 'email'],
  ...['draft', 'told', 'result', 'proof', 'owed'],
  ...['scope', 'method', 'grant', 'subject_client', 'subject_api', 'acts', 'whose', 'order', 'createdFrom'],
];

let cookie = '';
beforeAll(async () => {
  loadSettings();
  await givenEmptyRegistry();
  await givenPerson('zoe', 'administrator');
  cookie = await signIn();
});

const PAGES = Object.keys(ADDRESSES).map((pattern) => pattern.replaceAll(/:\w+/g, 'shop'));

async function open(path: string, query: [string, string][], headers: Record<string, string> = {}) {
  const url = `${settings().baseUrl}${path}?${new URLSearchParams(query)}`;
  const response = await answerVisit(new NextRequest(url, { headers }));
  const location = response.headers.get('location');
  return { status: response.status, response, location: location === null ? null : new URL(location, url) };
}

describe('pages that the proxy rejects', () => {
  const rewritten = (response: Response) => response.headers.get('x-middleware-rewrite');

  it.each([
    '/admin/no-such-page',
    '/developer/no-such-page',
    '/account/refused',
    '/admin/clients/none',
    '/admin/people/none',
    '/admin/groups/none/edit',
  ])('%s returns 404, within the console’s frame for an administrator', async (address) => {
    const { status, response } = await open(address, [['lang', 'de']], { cookie, 'x-refused-page': 'false' });
    expect(status).toBe(404);
    expect(rewritten(response)).toContain('/account/refused?lang=de');
    const passed = new Headers({
      'x-refused-page': response.headers.get('x-middleware-request-x-refused-page') ?? '',
    });
    expect(readRefusedPage(passed)).toMatchObject({ path: address });
  });

  it('signed-out visitors of rejected pages see no console frame', async () => {
    const { status, response } = await open('/admin/no-such-page', []);
    expect({ status, frame: rewritten(response) }).toEqual({ status: 404, frame: null });
    expect(await response.text()).not.toContain('href="/account"');
  });
});

it.each(['/%61ccount', '/%61ccount/refused', '/a%64min/keys', '/developer%2Ffind'])(
  'an escaped spelling of a personal page (%s) returns 404, and the request reaches no page behind the proxy',
  async (path) => {
    const { status, response } = await open(path, [], { cookie, 'x-refused-page': '%' });
    expect(status).toBe(404);
    expect(response.headers.get('x-middleware-next')).toBeNull();
  },
);

it('FIELDS contains each text field with noCredential()', () => {
  const guarded = sourcesIn('app/(console)')
    .filter(({ file, text }) => !isTest(file) && text.includes('{...noCredential()}'))
    .flatMap(({ text }) =>
      [...text.matchAll(/<(?:input|TextField)\b[^>]*?\bname="(?<name>\w+)"[^>]*?noCredential\(\)/gs)].map(
        ({ groups }) => groups?.['name'],
      ),
    );
  expect(guarded.length).toBeGreaterThan(3);
  expect(FIELDS).toEqual(expect.arrayContaining(guarded));
});

describe.each(Object.entries(PASTED))('a credential %s', (_, pasted) => {
  const { value } = mint('access');
  const secret = value.slice(4);

  it.each(['a visitor', 'an administrator'])(
    'for a credential in a query, each page redirects %s to an address without it, and neither log nor database contains it',
    async (who) => {
      const lines: unknown[] = [];
      setLogLevel('trace');
      const spies = (['info', 'warn', 'error'] as const).map((level) =>
        vi.spyOn(log(), level).mockImplementation((...line) => lines.push(line)),
      );
      const headers: Record<string, string> = who === 'a visitor' ? {} : { cookie };
      for (const page of PAGES) {
        const query = FIELDS.map((name): [string, string] => [name, pasted(value)]);
        const { status, location, response } = await open(page, [['kind', 'web'], ...query], headers);
        expect(status, page).toBe(303);
        expect(location?.pathname).toBe(page);
        expect([...(location?.searchParams ?? [])]).toEqual([
          ['kind', 'web'],
          ['done', 'credential-refused'],
        ]);
        expect(JSON.stringify([...response.headers]) + (await response.text())).not.toContain(secret);
        expect(response.headers.get('cache-control')).toBe('no-store');
      }
      for (const spy of spies) spy.mockRestore();
      setLogLevel('silent');
      expect(JSON.stringify(lines)).not.toContain(secret);
      expect(await tableThatHolds([secret])).toBeNull();
    },
  );

  it('for a credential in a search, the redirect leads back to the search page', async () => {
    const { location } = await open('/admin/find', [['q', pasted(value)]], { cookie });
    const shown = await open('/admin/find', [...(location?.searchParams ?? [])], { cookie });
    expect(shown.status).toBe(200);
    expect(shown.response.headers.get('x-middleware-next')).toBe('1');
  });

  it('for a credential in a path, the log contains [redacted] instead of the credential', async () => {
    setLogLevel('trace');
    const info = vi.spyOn(log(), 'info').mockImplementation(() => undefined);
    const path = `/${encodeURIComponent(pasted(value))}`;
    const request = { method: 'GET', path, query: '', headers: {}, body: async () => Buffer.alloc(0) };
    expect(noSuchPage({ ...request, peerAddress: undefined, requestId: 'one' }).status).toBe(404);
    await open(`/404${path}`, []);
    await open(`/_next${path}%ff`, []);
    expect(info).toHaveBeenCalled();
    expect(JSON.stringify(info.mock.calls)).not.toContain(secret);
    info.mockRestore();
    setLogLevel('silent');
  });
});
