// Audit events of endings that are no operation of lib/management: by a protocol request, a sign-in, or a trigger. The
// operations are in testing/allowed/allowed.ts and lib/management/no-secrets.db.test.ts.
import { globSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listSigningKeys, retireSigningKey, rotateSigningKeys } from '#lib/management/keys.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { endAllSessions } from '#lib/sessions/sign-in.ts';
import { sourcesOf, textOf } from '#testing/code/sources.ts';
import { givenFamilyRow } from '#testing/data/families.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  openIdCode,
  openIdTokens,
  redeemFor,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';

let client: TrustedClient;
let alice: { personId: string; cookie: string };

beforeAll(async () => {
  await givenFixtures();
  [client] = (await givenTrustedClients(['ender'])) as [TrustedClient];
  await sql("update subscriptions set machine = true where client_id = 'ender'");
});
beforeEach(async () => {
  await sql('truncate sessions, token_families, codes, audit_events cascade');
  alice = await signInTo('alice@example.com');
});

const tokens = (scope = 'read') => openIdTokens(client, { ...alice, scope });
const token = (form: Record<string, string>) => ask(`${OPENID_PATH}/token`, { form: { ...client, ...form } });
const revoke = (value: unknown) =>
  ask(`${OPENID_PATH}/revoke`, { form: { ...client, token: String(value) } });

/** Adds two generations of families that were exchanged for the tokens of the client's family. */
async function exchangeTwice(): Promise<void> {
  const [family] = await sql<{ id: string }>('select id from token_families');
  let parent = family?.id;
  for (let generation = 0; generation < 2; generation += 1) {
    const child = { personId: alice.personId, clientId: 'ender', apiId: 'orders', authMethodId: 'pw' };
    const id = await givenFamilyRow(sql, { ...child, basis: 'exchange' });
    await sql('update token_families set parent_id = $2 where id = $1', [id, parent]);
    parent = id;
  }
}

type Ending = {
  /** file that ends tokens or sign-ins */
  by: string;
  end: () => Promise<unknown>;
  /** events with their reasons */
  events: [event: string, reason?: string][];
};

const ENDINGS: Record<string, Ending> = {
  'a refresh token is used twice': {
    by: 'lib/store/hot/refresh-tokens.ts',
    end: async () => {
      const { refresh_token = '' } = await tokens();
      await token({ grant_type: 'refresh_token', refresh_token });
      await sql("update refresh_tokens set used_at = used_at - interval '40 minutes'");
      await token({ grant_type: 'refresh_token', refresh_token });
    },
    events: [['token.reused', 'refresh token reused']],
  },
  'a code is used twice': {
    by: 'lib/store/hot/codes.ts',
    end: async () => {
      const code = await openIdCode(client, { ...alice, scope: 'read' });
      await redeemFor(client, code);
      await redeemFor(client, code);
    },
    events: [['code.reused']],
  },
  'the client revokes a refresh token': {
    by: 'lib/store/hot/access-tokens.ts',
    end: async () => revoke((await tokens())['refresh_token']),
    events: [['token.revoked']],
  },
  'the client revokes an access token': {
    by: 'lib/store/hot/access-tokens.ts',
    end: async () => revoke((await tokens())['access_token']),
    events: [['token.revoked']],
  },
  'the client revokes a token of client_credentials': {
    by: 'lib/store/hot/access-tokens.ts',
    end: async () => revoke(jsonOf(await token({ grant_type: 'client_credentials' }))['access_token']),
    events: [['token.revoked']],
  },
  'a family with exchanged families is revoked': {
    by: 'prisma/functions/revoke_exchanged_families.sql',
    end: async () => {
      const { refresh_token } = await tokens();
      await exchangeTwice();
      await revoke(refresh_token);
    },
    events: [['token.revoked'], ['token.revoked', 'subject revoked'], ['token.revoked', 'subject revoked']],
  },
  'the user adds the first second factor': {
    by: 'prisma/functions/factors_changed.sql',
    end: async () => {
      const family = { personId: alice.personId, clientId: 'ender', apiId: 'orders', authMethodId: 'pw' };
      await givenFamilyRow(sql, { ...family, basis: 'password' });
      await sql("insert into totp_secrets (person_id, sealed_secret, last_step) values ($1, 'x', 0)", [
        alice.personId,
      ]);
      await sql('delete from totp_secrets');
    },
    events: [['token.revoked', 'second factor added']],
  },
  'the user signs out': {
    by: 'lib/store/hot/sessions.ts',
    end: () => endAllSessions(alice.cookie, { requestId: 'test', ip: null }),
    events: [['session.ended', 'signed out']],
  },
  'another user signs in in the same browser': {
    by: 'lib/store/hot/sessions.ts',
    end: () => signInTo('bob@example.com', alice.cookie),
    events: [['session.ended', 'replaced by another sign-in']],
  },
  'a sign-in with openid tokens ends': {
    by: 'prisma/functions/sign_in_ended.sql',
    end: async () => {
      await tokens('openid read');
      await signInTo('bob@example.com', alice.cookie);
    },
    events: [
      ['session.ended', 'replaced by another sign-in'],
      ['token.revoked', 'signed out'],
    ],
  },
  'a signing key is retired': {
    by: 'lib/store/keys.ts',
    end: async () => {
      await rotateSigningKeys(OPERATOR);
      const [key] = await listSigningKeys(OPERATOR);
      await retireSigningKey(OPERATOR, { kid: key?.kid ?? '' });
    },
    events: [['key.retired']],
  },
};

/** Events about beginnings, which these endings also write. */
const BEGINNINGS = /^(?:sign_in\.succeeded|code\.issued|token\.(?:issued|refreshed)|key\.created)$/;

describe('an ending that is no operation writes its audit event', () => {
  test.each(Object.entries(ENDINGS))('%s', async (_, { end, events }) => {
    await end();
    const rows = await sql<{ event: string; reason: string | null }>(
      "select event, details ->> 'reason' as reason from audit_events order by event, reason nulls first",
    );
    expect(rows.filter(({ event }) => !BEGINNINGS.test(event))).toEqual(
      events.map(([event, reason = null]) => ({ event, reason })),
    );
  });
});

test('a second sign-in of one user in one browser writes no event of an ended session', async () => {
  await signInTo('alice@example.com', alice.cookie);
  expect(await sql("select from audit_events where event = 'session.ended'")).toEqual([]);
});

/** Files whose endings belong to an operation, which writes the event. */
const OF_OPERATIONS = ['lib/catalogue/methods/rows.ts', 'lib/store/endings.ts', 'lib/store/session-list.ts'];

test('every file that ends tokens or sign-ins has a row, or belongs to operations', () => {
  const triggers = globSync('prisma/functions/*.sql', { cwd: path.resolve(import.meta.dirname, '../..') });
  const functions = sourcesOf('store');
  const files = [...functions, ...triggers.map((file) => ({ file, text: textOf(file) }))];
  const ending = files.filter(({ text }) =>
    /"?\b(?:revoked|ended|retired)_at"? = (?:now\(\)|NEW)/.test(text),
  );
  const listed = [...OF_OPERATIONS, ...Object.values(ENDINGS).map(({ by }) => by)];
  expect(ending.map(({ file }) => file).toSorted()).toEqual([...new Set(listed)].toSorted());
});

test('the event of a replaced sign-in names the new user as its actor, and none if the user signs in again', async () => {
  const actors = () => sql("select person_id, actor from audit_events where event = 'session.ended'");
  await sql('update people set epoch = epoch + 1 where id = $1', [alice.personId]);
  const again = await signInTo('alice@example.com', alice.cookie);
  expect(await actors()).toEqual([{ person_id: alice.personId, actor: null }]);
  await sql('truncate audit_events');
  const bob = await signInTo('bob@example.com', again.cookie);
  expect(await actors()).toEqual([{ person_id: alice.personId, actor: bob.personId }]);
});
