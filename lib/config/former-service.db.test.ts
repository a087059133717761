// `former` of a local method in the configuration file: how it is written, exported without its token, and treated
// after its last day.
import { beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { openFromRow } from '#lib/store/sealed.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';

beforeEach(() => sql('truncate auth_methods, apis, people cascade'));

const URL = 'https://old.example/verify';
const fileOf = (former: string) => `auth_methods:\n  - { id: local, type: local${former} }\n`;
const WITH = fileOf(`, former: { verify_url: "${URL}", until: 2099-03-31, verify_token_env: OLD_TOKEN }`);
const applied = async (source: string) => {
  const warnings: string[] = [];
  const env = { OLD_TOKEN: 'the old token' };
  const changes = await applyConfiguration(source, { env, onWarning: (line) => warnings.push(line) });
  return { changes: changes.map(({ id }) => id), warnings };
};
const stored = async () => {
  const { config, sealedSecret } = (await currentSnapshot()).methods.get('local') ?? {};
  return { config, token: sealedSecret && openFromRow('auth_methods', 'local', sealedSecret) };
};
const epoch = async () => (await sql("select epoch from auth_methods where id = 'local'"))[0]?.['epoch'];

it('apply seals the token of the former service, a second apply changes nothing, and exports omit the token', async () => {
  expect(await applied(WITH)).toEqual({ changes: ['local'], warnings: [] });
  expect(await applied(WITH)).toEqual({ changes: [], warnings: [] });
  const former = { verify_url: URL, until: '2099-03-31' };
  expect(await stored()).toEqual({ config: { former }, token: 'the old token' });
  const exported = await exportConfiguration();
  expect(exported).not.toContain('the old token');
  const { auth_methods } = parse(exported) as { auth_methods: { former?: object }[] };
  expect(auth_methods[0]?.former).toMatchObject(former);
  expect(await applied(exported)).toMatchObject({ changes: [] });
  expect((await stored()).token).toBe('the old token');
});

it('a changed address of the former service ends no sessions, and removing the service deletes its token', async () => {
  await applied(WITH);
  const before = await epoch();
  await applied(WITH.replace(URL, 'https://other.example/verify'));
  expect(await epoch()).toBe(before);
  expect(await applied(fileOf(''))).toMatchObject({ changes: ['local'] });
  expect(await stored()).toEqual({ config: {}, token: null });
  expect(await epoch()).toBe(before);
});

it('apply warns after the last day of the former service, and rejects an unreachable address', async () => {
  const past = await applied(WITH.replace('2099-03-31', '2026-01-31'));
  expect(past.warnings).toEqual([
    expect.stringMatching(/^auth_methods\[0\]\.former: .*last day was 2026-01-31.* \(line 2\)$/),
  ]);
  for (const [wrong, why] of [
    ['verify_url: "http://old.example", until: 2099-01-01', 'https'],
    ['verify_url: "https://10.0.0.1/v", until: 2099-01-01', 'private'],
    ['verify_url: "https://old.example/v", until: soon', 'date'],
    ['verify_url: "https://old.example/v"', 'until'],
    ['until: 2099-01-01', 'verify_url'],
    ['verify_url: "https://old.example/v", until: 2099-01-01, verify_token_env: NO_SUCH', 'NO_SUCH'],
    ['verify_url: "https://old.example/v", until: 2099-01-01, x: 1', 'x'],
  ])
    await expect(applied(fileOf(`, former: { ${wrong} }`))).rejects.toThrow(why);
  await expect(applied(fileOf(', verify_token: x'))).rejects.toThrow('verify_token');
});
