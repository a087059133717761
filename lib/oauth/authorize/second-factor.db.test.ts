// The SQL condition for issuing a code agrees with `secondFactorStep` for every user and request. A mismatch would
// reject a code without showing a page, or skip a required page.
import { beforeAll, expect, test } from 'vitest';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { type AuthorizedBy, authorize, grantConsent } from '#lib/store/hot/authorize.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { mint } from '#lib/tokens/formats.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { type Asking, secondFactorStep, strengthAsked } from './interaction.ts';

let idHash: Buffer;
let personId: string;

beforeAll(async () => {
  await givenFixtures();
  const signedIn = await signInTo('alice@example.com');
  personId = signedIn.personId;
  idHash = (await readSessionHash(signedIn.cookie, 'pw')) as Buffer;
});

async function code(
  asking: Asking,
  signIn: AuthorizedBy = { kind: 'session', idHash, idleSeconds: 600 },
  trustedDays = 30,
) {
  const { version } = await currentSnapshot();
  const { hash } = mint('code');
  const answer = await authorize({
    version,
    signIn,
    clientId: 'tru',
    apiId: 'orders',
    authMethodId: 'pw',
    issuerHost: null,
    codeChallenge: null,
    restricted: false,
    strength: strengthAsked(asking, trustedDays),
    freshChallenge: false,
    code: {
      hash,
      redirectUri: 'https://tru.example/cb',
      scopes: ['read'],
      scopeAsked: true,
      basis: 'trust',
      consentScopes: ['read'],
      maxAgeSeconds: null,
      openid: null,
      expectedPersonId: null,
    },
    requestId: 'test',
    ip: null,
  });
  return { ...answer, hash };
}

const people = [1, 2, 3].flatMap((level) =>
  [0, 2, 3].flatMap((factorLevel) =>
    (factorLevel === 0 ? ['never told', 'told', 'over', 'offered'] : ['', 'trusted', 'trusted before']).map(
      (state) => ({ level, factorLevel, state }),
    ),
  ),
);

const requests: Asking[] = ([null, 1, 2, 3] as const).flatMap((level) =>
  (['off', 'own', 'optional', 'required'] as const).flatMap((policy) =>
    [
      { here: false, silent: true, postponed: false, graceDays: 0 },
      { here: true, silent: false, postponed: false, graceDays: 10 },
      { here: true, silent: false, postponed: true, graceDays: 10 },
      { here: false, silent: false, postponed: false, graceDays: 10 },
    ].map((how) => ({ ...how, strength: { level, policy } })),
  ),
);

test.each(people)(
  'SQL and code agree whether a sign-in of level $level by a user with factor level $factorLevel can continue, $state',
  async (person) => {
    const { level, factorLevel, state } = person;
    const days = { told: 3, over: 11 }[state] ?? null;
    await sql(
      `update people set factor_level = $2, factor_grace_from = now() - make_interval(days => $3),
       factor_offered_at = case when $4 then now() end where id = $1`,
      [personId, factorLevel, days, state === 'offered'],
    );
    const [browser] = await sql<{ id: string }>(
      `insert into trusted_browsers (token_hash, person_id, auth_method_id, expires_at)
     values (sha256(gen_random_uuid()::text::bytea), $1, 'pw', now() + make_interval(days => $2)) returning id`,
      [personId, state === 'trusted' ? 1 : -1],
    );
    await sql('update sessions set acr_level = $2, trusted_browser = $3 where id_hash = $1', [
      idHash,
      level,
      state.startsWith('trusted') ? browser?.id : null,
    ]);
    // concurrent requests share one statement, so the test sends them together
    const answers = await Promise.all(requests.map(async (asking) => ({ asking, ...(await code(asking)) })));
    const kept = await sql<{ hash: Buffer; acr_level: number | null; amr: string[] | null }>(
      'select code_hash as hash, acr_level, amr from codes',
    );
    for (const { asking, facts, issued, hash } of answers) {
      expect(facts).toMatchObject({ level, factorLevel, trusted: state === 'trusted' });
      const step = facts && secondFactorStep(asking, facts);
      expect(issued, JSON.stringify({ asking, facts, step })).toBe(step === null);
      const says = level > 1 || asking.strength.level !== null;
      const row = kept.find((one) => hash.equals(one.hash));
      if (issued)
        expect(row).toMatchObject(says ? { acr_level: level, amr: ['pwd'] } : { acr_level: null, amr: null });
    }
  },
);

test('consent and a broker sign-in require a session of sufficient authentication level', async () => {
  await sql('update people set factor_level = 2 where id = $1', [personId]);
  await sql('update sessions set acr_level = 1, trusted_browser = null');
  const { version, methods } = await currentSnapshot();
  const at = { version, clientId: 'tru', apiId: 'orders', authMethodId: 'pw', requestId: 'test', ip: null };
  const strength = { level: null, secondFactor: 'own', graceSeconds: 0, trustedDays: 30 } as const;
  const page = { sessionHash: idHash, idleSeconds: 600, label: 'alice@example.com', scopes: ['read'] };
  expect(await grantConsent({ ...at, ...page, strength })).toBe('too-weak');
  expect(await sql('select 1 from consents')).toEqual([]);
  expect(await grantConsent({ ...at, ...page, strength: { ...strength, secondFactor: 'off' } })).toBe(
    'granted',
  );
  const person = {
    personId,
    personEpoch: '0',
    methodEpoch: methods.get('pw')?.epoch ?? '',
    authTime: new Date(),
  };
  const signIn = { kind: 'person', ...person } as const;
  const asking = { silent: true, here: false, postponed: false, graceDays: 0 };
  const given = async (policy: 'off' | 'own', level: 1 | 2 | null) =>
    (await code({ ...asking, strength: { policy, level } }, signIn)).issued;
  expect([await given('off', null), await given('off', 1)]).toEqual([true, true]);
  expect([await given('own', null), await given('off', 2)]).toEqual([false, false]);
});

test.each([
  [0, 0, false],
  [7, 8, false],
  [7, 6, true],
])(
  'TRUSTED_BROWSER_DAYS=%d: a browser trusted %d days ago skips the second step: %s',
  async (days, ago, spares) => {
    await sql('update people set factor_level = 2 where id = $1', [personId]);
    const [browser] = await sql<{ id: string }>(
      `insert into trusted_browsers (token_hash, person_id, auth_method_id, created_at, expires_at)
     values (sha256(gen_random_uuid()::text::bytea), $1, 'pw', now() - make_interval(days => $2), now() + interval '20 days') returning id`,
      [personId, ago],
    );
    await sql('update sessions set acr_level = 1, trusted_browser = $2 where id_hash = $1', [
      idHash,
      browser?.id,
    ]);
    const asking = {
      silent: true,
      here: false,
      postponed: false,
      graceDays: 0,
      strength: { policy: 'own', level: null },
    } as const;
    const { facts, issued } = await code(asking, undefined, days);
    expect([facts?.trusted, issued]).toEqual([spares, spares]);
  },
);
