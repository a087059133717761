// Granted scopes if some scopes require a strong sign-in and some a group, separately or together. A required strength
// matters only for scopes that the user may have.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { createGroup, setPersonGroups } from '#lib/catalogue/groups/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { exchangeAs } from '#testing/in-process/delegations.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import {
  ACR,
  authorizeAs,
  claimsOf,
  introspected,
  raise,
  TRU,
  takeFactors,
  tokenFor,
  tokensAs,
} from '#testing/in-process/step-up.ts';

const EDITORS = { groups: ['editors'] };
const STRONG = { required_acr: ACR('mfa') };
type Row = [isIn: boolean, level: 1 | 2, request: string, code: string, refresh: string, password: string];
/** Requirements of scopes, and the scopes granted to each user. `set-up`: the user must first add a factor. */
const TABLE: Record<string, { more: Record<'strong' | 'write', object>; rows: Row[] }> = {
  'one scope each': {
    more: { strong: STRONG, write: EDITORS },
    rows: [
      [true, 1, 'set-up', 'invalid_grant', 'read write', 'read write'],
      [false, 1, 'set-up', 'invalid_grant', 'read', 'read'],
      [true, 2, 'read strong write', 'read strong write', 'read strong write', 'read write'],
      [false, 2, 'read strong', 'read strong', 'read strong', 'read'],
    ],
  },
  'both of one scope': {
    more: { strong: {}, write: { ...EDITORS, ...STRONG } },
    rows: [
      [true, 1, 'set-up', 'invalid_grant', 'read strong', 'read strong'],
      [false, 1, 'read strong', 'read strong', 'read strong', 'read strong'],
      [true, 2, 'read strong write', 'read strong write', 'read strong write', 'read strong'],
      [false, 2, 'read strong', 'read strong', 'read strong', 'read strong'],
    ],
  },
};

const asks = (more: Record<'strong' | 'write', object>) =>
  changeApi(OPERATOR, {
    id: 'orders',
    scopes: [
      { name: 'read', description: 'x' },
      { name: 'strong', description: 'y', ...more.strong },
      { name: 'write', description: 'z', ...more.write },
    ],
  });
const inGroups = (...groups: string[]) => setPersonGroups(OPERATOR, { id: 'alice@example.com', groups });
const ALL = 'read strong write';
const ordered = (scope: unknown) => String(scope).split(' ').toSorted().join(' ');

let cookie: string;
beforeAll(async () => {
  await givenFixtures();
  await createGroup(OPERATOR, { id: 'editors', name: 'Editors' });
});
beforeEach(async () => {
  const { personId, ...browser } = await signInTo('alice@example.com');
  ({ cookie } = browser);
  await takeFactors(personId);
  await sql('truncate attempts');
  await inGroups('editors');
  await asks({ strong: {}, write: {} });
});

/**
 * Returns the scopes of the token response, and checks that the access token and its introspection contain the same
 * scopes.
 */
async function given(answer: Record<string, unknown>): Promise<string> {
  if (answer['error']) return String(answer['error']);
  const token = String(answer['access_token']);
  const scope = ordered(claimsOf(token)['scope']);
  if (answer['scope'] !== undefined) expect(ordered(answer['scope'])).toBe(scope);
  expect(ordered((await introspected(token))['scope'])).toBe(scope);
  return scope;
}
const redeem = (code: string) => tokenFor({ grant_type: 'authorization_code', code });
const renew = (tokens: Record<string, string>, over = {}) =>
  tokenFor({ grant_type: 'refresh_token', refresh_token: tokens['refresh_token'] ?? '', ...over });

describe.each(Object.entries(TABLE))('groups and sign-in requirements: %s', (_, { more, rows }) => {
  test.each(rows)(
    'every request issues only the scopes that group and level permit: user in the group: %s, session level %d',
    async (isIn, level, request, code, refresh, password) => {
      if (level === 2) await raise(cookie, 2);
      const { code: before } = await authorizeAs(cookie, { scope: ALL });
      const tokens = await tokensAs(cookie, { scope: ALL });
      const wide = (await tokensAs(cookie, { scope: ALL }))['access_token'] ?? '';
      await asks(more);
      await inGroups(...(isIn ? ['editors'] : []));

      const now = await authorizeAs(cookie, { scope: ALL });
      const silent = await authorizeAs(cookie, { scope: ALL, prompt: 'none' });
      if (request === 'set-up') expect([now.to, silent.to]).toEqual(['set-up', 'login_required']);
      else for (const went of [now, silent]) expect(await given(await redeem(went.code))).toBe(request);

      expect(await given(await redeem(before))).toBe(code);
      const write = refresh.includes('write');
      expect(await given(await renew(tokens, { scope: 'write' }))).toBe(write ? 'write' : 'invalid_grant');
      const { refresh_token } = await tokensAs(cookie, { scope: 'read' });
      expect(await given(await renew({ refresh_token: refresh_token ?? '' }))).toBe('read');

      const none = { actor_token: '', actor_token_type: '' };
      const exchanged = await exchangeAs(
        { subject: wide, actor: '' },
        { ...TRU, audience: 'orders', ...none },
      );
      expect(await given(exchanged)).toBe(refresh);
      const byPassword = {
        grant_type: 'password',
        username: 'alice@example.com',
        password: 'alice-password-1',
      };
      expect(await given(await tokenFor(byPassword))).toBe(password);
    },
  );

  test.each(rows)(
    'a refresh issues only the scopes that group and level permit: user in the group: %s, session level %d',
    async (isIn, level, _request, _code, refresh) => {
      if (level === 2) await raise(cookie, 2);
      const tokens = await tokensAs(cookie, { scope: ALL });
      const only = await tokensAs(cookie, { scope: 'write' });
      await asks(more);
      await inGroups(...(isIn ? ['editors'] : []));
      const renewed = await renew(tokens);
      expect(await given(renewed)).toBe(refresh);
      expect(await given(await renew(only))).toBe(refresh.includes('write') ? 'write' : 'invalid_grant');
      // the scope is granted again when the user joins the group, if the sign-in is strong enough
      await inGroups('editors');
      await asks({ strong: {}, write: EDITORS });
      expect(await given(await renew(renewed))).toBe(ALL);
    },
  );
});
