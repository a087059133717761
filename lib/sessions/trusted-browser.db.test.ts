// Trusted browsers of a user: sign-ins recognize them, they expire, and they can be removed.
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { environment } from '#lib/settings/environment.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { forgetTrustedBrowsers, listTrustedBrowsers } from '#lib/store/factors.ts';
import { database } from '#lib/store/prisma.ts';
import { sql } from '#testing/data/registry.ts';
import { withClient } from '#testing/data/sql.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { giveFactor } from '#testing/in-process/step-up.ts';
import { raiseSession, readSessionHash } from './sign-in.ts';

const TOTP = { kind: 'totp', level: 2, amr: ['otp'] } as const;
const context = () => ({ ip: null, userAgent: 'Firefox on a desk', requestId: randomUUID() });

beforeAll(givenFixtures);
beforeEach(async () => {
  await sql('delete from trusted_browsers');
  for (const { id } of await sql<{ id: string }>('select id from people')) await giveFactor(id);
});

/** Returns the Cookie header of a browser that this person trusts. */
async function givenTrustedBrowser(
  email: string,
  browser?: string,
): Promise<{ personId: string; cookie: string }> {
  const { personId, cookie } = await signInTo(email, browser);
  const cookieHeader = [browser, cookie].filter(Boolean).join('; ');
  const raised = await raiseSession({
    cookieHeader,
    authMethodId: 'pw',
    personId,
    proof: TOTP,
    trust: true,
    ...context(),
  });
  const trusted = raised?.cookies[1];
  if (!trusted) throw new Error('not trusted');
  return { personId, cookie: trusted.split(';')[0] ?? '' };
}

const trustedAt = async (cookieHeader: string) => {
  const hash = await readSessionHash(cookieHeader, 'pw');
  const [row] = await sql<{ trusted_browser: string | null; acr_level: number }>(
    'select trusted_browser, acr_level from sessions where id_hash = $1',
    [hash],
  );
  return row;
};

test('later sign-ins by its user recognize a trusted browser at level 1, and sign-ins by a different user ignore it', async () => {
  const { personId, cookie } = await givenTrustedBrowser('alice@example.com');
  const [trusted] = await listTrustedBrowsers(database(), personId);
  expect(trusted).toMatchObject({ authMethodId: 'pw', userAgent: 'Firefox on a desk' });
  const days = ((trusted?.expiresAt.getTime() ?? 0) - (trusted?.createdAt.getTime() ?? 0)) / 86_400_000;
  expect(Math.round(days)).toBe(30);
  const own = await signInTo('alice@example.com', cookie);
  expect(await trustedAt(own.cookie)).toEqual({ trusted_browser: trusted?.id, acr_level: 1 });
  const other = await signInTo('bob@example.com', cookie);
  expect(await trustedAt(other.cookie)).toEqual({ trusted_browser: null, acr_level: 1 });
  // A token is invalid if the row and the cookie belong to different users.
  await sql('update trusted_browsers set person_id = $1', [other.personId]);
  const again = await signInTo('alice@example.com', cookie);
  expect(await trustedAt(again.cookie)).toMatchObject({ trusted_browser: null });
});

test('two users can trust one browser, and repeated trust replaces the user’s row', async () => {
  const alice = await givenTrustedBrowser('alice@example.com');
  const bob = await givenTrustedBrowser('bob@example.com', alice.cookie);
  const again = await givenTrustedBrowser('alice@example.com', bob.cookie);
  expect(await listTrustedBrowsers(database(), alice.personId)).toHaveLength(1);
  for (const email of ['alice@example.com', 'bob@example.com']) {
    const { cookie } = await signInTo(email, again.cookie);
    expect((await trustedAt(cookie))?.trusted_browser, email).not.toBeNull();
  }
});

test('the database row of a trusted browser contains no token', async () => {
  const { cookie } = await givenTrustedBrowser('alice@example.com');
  expect(cookie).toMatch(/^gatehouse-trusted=v1\./);
  const [row] = await sql<{ token_hash: Buffer }>('select token_hash from trusted_browsers');
  expect(row?.token_hash).toHaveLength(32);
});

test('a browser whose trust is expired or deleted is ignored, and TRUSTED_BROWSER_DAYS=0 ignores every trusted browser', async () => {
  const { personId, cookie } = await givenTrustedBrowser('alice@example.com');
  const before = settings();
  loadSettings({
    ...environment(),
    DATABASE_URL: before.databaseUrl,
    GATEHOUSE_SECRET: before.secrets.join(','),
    TRUSTED_BROWSER_DAYS: '0',
  });
  try {
    const none = await signInTo('alice@example.com', cookie);
    expect(await trustedAt(none.cookie)).toMatchObject({ trusted_browser: null });
    const input = { cookieHeader: none.cookie, authMethodId: 'pw', personId, proof: TOTP, trust: true };
    expect((await raiseSession({ ...input, ...context() }))?.cookies).toHaveLength(1);
  } finally {
    loadSettings({
      ...environment(),
      DATABASE_URL: before.databaseUrl,
      GATEHOUSE_SECRET: before.secrets.join(','),
    });
  }
  await sql("update trusted_browsers set expires_at = now() - interval '1 second'");
  const late = await signInTo('alice@example.com', cookie);
  expect(await trustedAt(late.cookie)).toMatchObject({ trusted_browser: null });
  expect(await listTrustedBrowsers(database(), personId)).toEqual([]);
  await deleteExpired();
  expect(await sql('select 1 from trusted_browsers')).toEqual([]);
});

test('users remove single or all trusted browsers, never a browser of another user', async () => {
  const { personId } = await givenTrustedBrowser('alice@example.com');
  await givenTrustedBrowser('alice@example.com');
  const { personId: bob } = await givenTrustedBrowser('bob@example.com');
  const [first] = await listTrustedBrowsers(database(), personId);
  expect(await forgetTrustedBrowsers(database(), bob, first?.id ?? '')).toBe(0);
  expect(await forgetTrustedBrowsers(database(), personId, first?.id ?? '')).toBe(1);
  expect(await forgetTrustedBrowsers(database(), personId, 'all')).toBe(1);
  expect(await listTrustedBrowsers(database(), bob)).toHaveLength(1);
});

test('a new password removes every trusted browser, whoever sets it', async () => {
  const { personId } = await givenTrustedBrowser('alice@example.com');
  await sql('update people set password_changed_at = now() where id = $1', [personId]);
  expect(await listTrustedBrowsers(database(), personId)).toEqual([]);
});

test('a browser that becomes trusted while all trusted browsers are removed does not remain trusted', async () => {
  const endings = {
    'a new password': 'update people set password_changed_at = now(), epoch = next_epoch() where id = $1',
    'the loss of the last factor': 'delete from totp_secrets where person_id = $1',
  };
  for (const [what, ending] of Object.entries(endings)) {
    const { personId, cookie } = await signInTo('alice@example.com');
    const input = { cookieHeader: cookie, authMethodId: 'pw', personId, proof: TOTP, trust: true };
    await withClient(settings().databaseUrl, async (other) => {
      await other.query('begin');
      await other.query(ending, [personId]);
      const raising = raiseSession({ ...input, ...context() });
      await setTimeout(150);
      await other.query('commit');
      await raising;
    });
    await giveFactor(personId);
    expect(await listTrustedBrowsers(database(), personId), what).toEqual([]);
  }
});

test('a user has at most 20 trusted browsers, even with concurrent requests, and the one that was not used for the longest time is removed', async () => {
  const { personId } = await givenTrustedBrowser('alice@example.com');
  const [first] = await listTrustedBrowsers(database(), personId);
  await Promise.all(Array.from({ length: 24 }, () => givenTrustedBrowser('alice@example.com')));
  const left = await listTrustedBrowsers(database(), personId);
  expect(left).toHaveLength(20);
  expect(left.map(({ id }) => id)).not.toContain(first?.id);
});
