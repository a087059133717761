// A new kind of sign-in method needs only a folder and one line in the registry. This test adds the kind in
// testing/brokers/people-file.ts, a list of people in a file, which no other code knows.
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { configFields } from '#app/(console)/_subjects/methods.tsx';
import { createAuthMethod, readAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { METHOD_TYPES } from '#lib/catalogue/methods/questions.ts';
import { applyConfiguration } from '#lib/config/apply.ts';
import { exportConfiguration } from '#lib/config/export.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { FIXTURES } from '#testing/data/fixtures.ts';
import { refusal } from '#testing/data/registry.ts';
import { jsonOf } from '#testing/in-process/in-process.ts';
import { redeemFor } from '#testing/in-process/openid.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

// the setup file has already loaded the registry, without the new kind
vi.hoisted(() => vi.resetModules());
vi.mock(import('#lib/catalogue/methods/kinds.ts'), async (original) => {
  const { METHOD_KINDS } = await original();
  const { peopleFileKind } = await import('#testing/brokers/people-file.ts');
  // the one line that registers the kind
  return { METHOD_KINDS: [...METHOD_KINDS, peopleFileKind] as unknown as typeof METHOD_KINDS };
});
// other test files run in the same process
afterAll(() => vi.doUnmock('#lib/catalogue/methods/kinds.ts'));

const TYPE = 'people_file' as (typeof METHOD_TYPES)[number];
const ISSUER = '/auth/staff/api/orders';
const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'people-file-'));
  file = path.join(folder, 'people.json');
  await writeFile(file, JSON.stringify({ ada: { password: 'engine-1843', name: 'Ada Lovelace' } }));
  const method = `auth_methods:\n  - { id: staff, type: ${TYPE}, name: Staff, path: ${file} }\n`;
  const fixtures = readFileSync(FIXTURES, 'utf8').replaceAll('[pw, ext, brk]', '[pw, ext, brk, staff]');
  await applyConfiguration(fixtures.replace('auth_methods:\n', method), { env: {} });
  await currentSnapshot();
});
afterAll(() => rm(folder, { recursive: true }));

test('an added method type signs in a listed person on the hosted page, and the client receives tokens for that person', async () => {
  const visitor = new Visitor();
  const at = await visitor.start({ scope: 'openid profile read' }, ISSUER);
  expect(await visitor.view('login', at)).toMatchObject({ kind: 'ready', method: { id: 'staff' } });
  const { client } = await visitor.submit(at, { username: 'ada', password: 'engine-1843' });
  const given = jsonOf(await redeemFor(TRU, client.get('code') ?? '', ISSUER));
  expect(decodeJwt(String(given['id_token']))).toMatchObject({ amr: ['pwd'] });
  expect(given['refresh_token']).toEqual(expect.any(String));
});

test('the page of an added method type rejects wrong passwords and unlisted people', async () => {
  for (const who of [
    { username: 'ada', password: 'engine-1844' },
    { username: 'constructor', password: 'engine-1843' },
  ]) {
    const visitor = new Visitor();
    const at = await visitor.submit(await visitor.start({}, ISSUER), who);
    expect(await visitor.view('login', at)).toMatchObject({
      kind: 'ready',
      alert: 'sign_in.wrong',
    });
  }
});

test('the configuration file, the management API and the form use the fields of the added method type', async () => {
  expect(METHOD_TYPES).toContain(TYPE);
  expect(await exportConfiguration()).toContain(`path: ${file}`);
  expect((await readAuthMethod(OPERATOR, { id: 'staff' })).config).toMatchObject({ path: file });
  expect(JSON.stringify(configFields(TYPE))).toContain('Path of the file');
  const wrong = { id: 'other', name: 'Other', type: TYPE, config: { file } };
  expect((await refusal(createAuthMethod(OPERATOR, wrong)))?.faults.map(({ field }) => field)).toContain(
    'config.path',
  );
});
