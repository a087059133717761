// Changes that a proxy makes to Gatehouse's pages, and what the doctor reports about them.
import http from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { type Listening, listen } from '#testing/net/listen.ts';
import { examine } from './doctor.ts';

let proxy: Listening | undefined;
afterAll(() => loadSettings());

/** The doctor's finding about pages behind a proxy that sets this status and these policies. */
async function foundBehind(policies: string[], status = 200): Promise<string> {
  const asked: string[] = [];
  proxy = await listen(
    http.createServer(({ method, url }, answer) => {
      asked.push(`${method} ${url}`);
      answer.writeHead(
        status,
        policies.flatMap((policy) => ['referrer-policy', policy]),
      );
      answer.end('<p>');
    }),
  );
  try {
    loadSettings({ ...process.env, BASE_URL: proxy.url });
    const found = (await examine()).filter(({ check }) => check === `pages at ${proxy?.url}`);
    expect(asked).toEqual(['GET /logout']);
    return found.map(({ state, detail }) => `${state}: ${detail}`).join('\n');
  } finally {
    await proxy.close();
  }
}

test.each([[['no-referrer']], [['same-origin', 'no-referrer']], [['same-origin, No-Referrer ']]])(
  'Fetch §3.2: doctor warns of a proxy that sets Referrer-Policy to %s',
  async (policies) => {
    expect(await foundBehind(policies)).toMatch(
      /^warning: a proxy sets Referrer-Policy: no-referrer\..*Origin: null,.*\/guides\/deploy-node$/,
    );
  },
);

test.each([[['same-origin']], [['no-referrer', 'same-origin']], [['strict-origin-when-cross-origin']]])(
  'doctor accepts Referrer-Policy %s',
  async (policies) => {
    expect(await foundBehind(policies)).toMatch(/^ok: Referrer-Policy /);
  },
);

test('doctor warns if /logout returns an error or does not respond', async () => {
  expect(await foundBehind(['same-origin'], 502)).toBe('warning: /logout answers 502');
  const found = (await examine()).find(({ check }) => check === `pages at ${proxy?.url}`);
  expect(found).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/^\/logout does not respond: .*ECONNREFUSED/),
  });
});
