// Costly steps that anonymous callers can trigger. Each test triggers the step, then repeats the request after the
// limit was used up or the result was cached. The repetition must skip the step, which proves that limits are counted
// before it.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { finishRegistration } from '#lib/accounts/registration.ts';
import { applyConfiguration } from '#lib/config/apply.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { signInToConsole } from '#lib/management/console-sign-in.ts';
import { resetPassword } from '#lib/management/mail-links.ts';
import { handleManagementApi } from '#lib/management-api/management-api.ts';
import { logoAddress } from '#lib/oauth/client-logo.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { keysOf } from '#lib/tokens/client-assertion.ts';
import { BY_ANYBODY } from '#testing/data/costly-steps.ts';
import { resetToken, sql } from '#testing/data/registry.ts';
import { browserWith } from '#testing/in-process/console-session.ts';
import { ask, givenFixtures } from '#testing/in-process/in-process.ts';
import { replaceOwed } from '#testing/in-process/owed-password.ts';
import { newAddress, provedHandle, registration } from '#testing/in-process/registering.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

/** The number of times that each step ran. */
const taken = vi.hoisted(() => {
  const counts = { argon2: 0, call: 0, document: 0, page: 0 };
  const { createRequire } = process.getBuiltinModule('node:module');
  // loads the module in the same way as app/_html/html-page.ts
  const server = createRequire(`${process.cwd()}/package.json`)('react-dom/server');
  const render = server.renderToStaticMarkup;
  server.renderToStaticMarkup = (...given: unknown[]) => {
    counts.page += 1;
    return render(...given);
  };
  return counts;
});

vi.mock('#lib/kit/password-hash.ts', async (original) => {
  const kit = await original<typeof import('#lib/kit/password-hash.ts')>();
  const counted =
    <Given extends unknown[], Result>(work: (...given: Given) => Result) =>
    (...given: Given) => {
      taken.argon2 += 1;
      return work(...given);
    };
  const { hashPassword, verifyPassword, verifyNobody } = kit;
  return {
    ...kit,
    hashPassword: counted(hashPassword),
    verifyPassword: counted(verifyPassword),
    verifyNobody: counted(verifyNobody),
  };
});
vi.mock('#lib/outbound/fetch.ts', async (original) => {
  const outbound = await original<typeof import('#lib/outbound/fetch.ts')>();
  const { OutboundFailed } = await import('#lib/outbound/failed.ts');
  const outboundFetch = () => async () => {
    taken.call += 1;
    throw new OutboundFailed('unreachable');
  };
  return { ...outbound, outboundFetch };
});
vi.mock('#lib/openapi/document.ts', async (original) => {
  const openapi = await original<typeof import('#lib/openapi/document.ts')>();
  const openApiDocument = (...given: Parameters<typeof openapi.openApiDocument>) => {
    taken.document += 1;
    return openapi.openApiDocument(...given);
  };
  return { ...openapi, openApiDocument };
});

const FORMER = {
  ...{ issuer: 'https://old.example', auth_method: 'pw', until: '2999-12-31', refresh: 'ask' },
  ...{ layout: 'same', token_endpoint: 'https://old.internal/token' },
};
const FROM = { ip: '192.0.2.1', requestId: 'r' };
const KEPT = {
  ...{ client_id: 'kept', confidential: true, redirect_uris: ['https://kept.example/cb'] },
  client_secret_hash: '$2y$05$EuI1GnJmE2mL3KEt3gD2Ze7mLfkNTJaZeQFkoNBIxZNX6pMrNYYi6',
};
/** If set, replaces the usual password in the request to each endpoint. */
let typedInstead: string | null = null;
const typed = (usual: string) => typedInstead ?? usual;
const wrong = () => ({ username: 'alice@example.com', password: typed('not the password') });
const authorize = (method: string, asked: Record<string, string>) => {
  const query = new URLSearchParams({
    response_type: 'code',
    redirect_uri: 'https://tru.example/cb',
    ...asked,
  });
  return ask(`/auth/${method}/api/orders/authorize?${query}`, { address: FROM.ip });
};
const page = async (route: { GET: (request: Request, context: never) => Promise<Response> | Response }) =>
  route.GET(new Request('http://localhost:3000/'), { params: Promise.resolve({}) } as never);

const finish = async (kind: string) => {
  const handle = await provedHandle(kind);
  const given = { handle, name: '', password: typed('correct horse battery'), ...FROM };
  return finishRegistration({ ...given, ...(kind === 'invited' && { invited: true }) });
};
const reset = async () => {
  const email = newAddress();
  await sql("insert into people (email, password_hash) values ($1, 'x')", [email]);
  const token = await resetToken(email);
  return resetPassword({ token, password: typed('correct horse battery'), ...FROM }).catch(() => null);
};

/**
 * A costly step in a file. `by` names its limit. `limited`: a limit in rows of the database. `governed`: a limit by
 * counters in the process. `cooling`: the step runs once per interval. `kept`: the step runs once, and its result is
 * cached.
 */
type Place = {
  step: keyof typeof taken;
  by: 'limited' | 'governed' | 'cooling' | 'kept';
  cause: () => Promise<unknown>;
  /** the place sets a new password, which has at most 200 characters */
  isNew?: true;
};
const PLACES: Record<string, Place | Place[]> = {
  'lib/sign-in/steps.ts': [
    {
      ...{ step: 'argon2', by: 'limited' },
      cause: async () => {
        const visitor = new Visitor();
        return visitor.post(await visitor.start(), wrong());
      },
    },
    {
      ...{ step: 'argon2', by: 'limited' },
      cause: () => signInToConsole({ ...browserWith(), authMethodId: 'pw', ...wrong() }),
    },
    {
      ...{ step: 'argon2', by: 'limited', isNew: true },
      cause: () => replaceOwed(newAddress(), FROM, typed('correct horse battery')),
    },
  ],
  'lib/oauth/grants/grant.ts': {
    ...{ step: 'argon2', by: 'limited' },
    cause: () => {
      const client = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
      return ask('/auth/pw/api/orders/token', { form: { ...client, grant_type: 'password', ...wrong() } });
    },
  },
  'lib/oauth/former.ts': {
    ...{ step: 'call', by: 'limited' },
    cause: () =>
      ask('/token', {
        form: { client_id: 'spa', grant_type: 'refresh_token', refresh_token: randomUUID() },
        headers: { host: 'old.example' },
      }),
  },
  'lib/oauth/client-authentication.ts': {
    ...{ step: 'argon2', by: 'limited' },
    cause: () =>
      ask('/auth/pw/api/orders/revoke', {
        form: { client_id: 'kept', client_secret: typed(randomUUID()), token: 'x' },
        address: FROM.ip,
      }),
  },
  'lib/accounts/password-policy.ts': { step: 'argon2', by: 'limited', cause: reset },
  'lib/management/mail-links.ts': { step: 'argon2', by: 'limited', cause: reset },
  'lib/accounts/registration.ts': ['asked', 'invited'].map((kind) => ({
    ...{ step: 'argon2', by: 'limited', cause: () => finish(kind) },
  })),
  'lib/auth-methods/broker-discovery.ts': {
    ...{ step: 'call', by: 'limited', cause: () => authorize('brk', { client_id: 'tru' }) },
  },
  'lib/oauth/client-documents.ts': {
    ...{ step: 'call', by: 'governed' },
    cause: () => authorize('pw', { client_id: 'https://agent.example/client' }),
  },
  'lib/oauth/client-logo.ts': {
    ...{ step: 'call', by: 'governed' },
    cause: () => {
      const of = { clientId: 'https://agent.example/client', logoUri: 'https://agent.example/logo.png' };
      return ask(logoAddress(of) ?? '', { address: FROM.ip });
    },
  },
  'lib/tokens/client-assertion.ts': {
    ...{ step: 'call', by: 'cooling' },
    cause: () => keysOf({ jwks: null, jwksUri: 'https://keys.example/jwks' }),
  },
  'lib/reference/openapi.ts': {
    ...{ step: 'document', by: 'kept', cause: async () => page(await import('#app/openapi.json/route.ts')) },
  },
  'lib/management-api/openapi.ts': {
    ...{ step: 'document', by: 'kept' },
    cause: () =>
      handleManagementApi({
        ...{ method: 'GET', path: '/api/v1/openapi.json', query: '', headers: {}, requestId: 'r' },
        ...{ body: async () => Buffer.alloc(0), peerAddress: FROM.ip },
      }),
  },
  'app/_html/html-page.ts': {
    ...{ step: 'page', by: 'kept', cause: async () => page(await import('#app/documentation/route.tsx')) },
  },
};

type Books = { counted: Map<string, { calls: number }> };
const books = processWide<Books>('client-document-calls');

/** Uses up every limit of the place, until `end` is called. */
const USED_UP: Record<Place['by'], { begin: () => unknown; end: () => unknown }> = {
  limited: {
    begin: () => sql('update attempts set count = 1000000, failed = 1000000'),
    end: () => sql('delete from attempts'),
  },
  governed: {
    begin: () => {
      for (const one of books.value?.counted.values() ?? []) one.calls = 1_000_000;
    },
    end: () => books.value?.counted.clear(),
  },
  cooling: { begin: () => {}, end: () => shiftClock(31_000) },
  kept: { begin: () => {}, end: () => {} },
};

beforeAll(async () => {
  await givenFixtures();
  await sql("update apis set agents = 'ask', former_issuers = $1::jsonb where id = 'orders'", [
    JSON.stringify([FORMER]),
  ]);
  await registration('open');
  await applyConfiguration(JSON.stringify({ clients: [KEPT] }), { env: {} });
});
beforeEach(async () => {
  await sql('delete from attempts');
  await currentSnapshot();
});
afterAll(() => shiftClock(0));

/** Returns how often the request runs the costly step. */
async function steps({ step, cause }: Place): Promise<number> {
  taken[step] = 0;
  await cause();
  return taken[step];
}

test('the table of this test covers every costly step that anonymous callers can trigger', () => {
  const byName = (a: string, b: string) => (a < b ? -1 : 1);
  expect(Object.keys(PLACES).toSorted(byName)).toEqual(BY_ANYBODY.toSorted(byName));
});

describe('each limit counts an attempt before the costly step runs', () => {
  const all = Object.entries(PLACES).flatMap(([file, places]) =>
    [places].flat().map((place) => ({ file, place })),
  );
  test.each(all)(
    '$file: the repeated step $place.step does not run, because of its limit or cache: $place.by',
    async ({ file, place }) => {
      expect(await steps(place), `${file} is caused`).toBeGreaterThan(0);
      const { begin, end } = USED_UP[place.by];
      await begin();
      expect(await steps(place), `${file} is refused, or kept`).toBe(0);
      await end();
      if (place.by !== 'kept') expect(await steps(place), `${file} is caused again`).toBeGreaterThan(0);
    },
  );
});

describe('a typed password over 1,024 bytes is rejected before it is counted or hashed', () => {
  const doors = Object.entries(PLACES).flatMap(([file, places]) =>
    [places].flat().flatMap((place) => (place.step === 'argon2' ? [{ file, place }] : [])),
  );
  /** Files in which one limit for wrong secrets applies to all clients, and is counted first. */
  const COUNTED = ['lib/oauth/client-authentication.ts'];
  /** The other places set a new password, which has at most 200 characters. */
  const ADMITS_LONGEST = ['lib/sign-in/steps.ts', 'lib/oauth/grants/grant.ts', ...COUNTED];

  test.each(doors)('$file rejects a password over 1,024 bytes', async ({ file, place }) => {
    try {
      typedInstead = 'x'.repeat(1_025);
      expect(await steps(place)).toBe(0);
      const [row] = await sql<{ counted: number }>(
        "select count(*)::int as counted from attempts where key ~ '^[0-9](account|device|link|client):'",
      );
      if (!COUNTED.includes(file)) expect(row?.counted).toBe(0);
      if (place.isNew || !ADMITS_LONGEST.includes(file)) return;
      typedInstead = 'y'.repeat(1_024);
      expect(await steps(place)).toBe(1);
    } finally {
      typedInstead = null;
    }
  });
});
