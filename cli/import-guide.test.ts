// Runs each import command in docs/how-to/migrate.md on the example files of the tests, and compares the choices in
// the guide with the choices of the examples.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { CHOICES as KEYCLOAK, PEOPLE, REALM } from '#testing/moving-in/keycloak.ts';
import { AUTH0, AUTH0_HASH, FIREBASE, HASH_CONFIG } from '#testing/moving-in/lists.ts';
import { KONG, KONG_CHOICES, CHOICES as OF_WICKED, WICKED } from '#testing/moving-in/wicked.ts';
import type { Input } from './command.ts';
import { importCommand } from './verbs/configuration.ts';

const guide = readFileSync('docs/how-to/migrate.md', 'utf8');
const commands = [...guide.matchAll(/^(?:PORTAL_CONFIG_KEY=… )?gatehouse import (.+)$/gm)].map(
  ([, line = '']) => line,
);

const under = (folder: string, files: object) =>
  Object.fromEntries(Object.entries(files).map(([name, value]) => [path.join(folder, name), value]));
const EXAMPLES: Record<string, { files: Record<string, unknown>; choices: object; people: number }> = {
  keycloak: {
    files: under('export', { 'shop-realm.json': REALM, 'shop-users-0.json': PEOPLE }),
    choices: KEYCLOAK,
    people: 2,
  },
  wicked: {
    files: under('wicked-config', { ...WICKED, ...KONG }),
    choices: { ...OF_WICKED, ...KONG_CHOICES },
    people: 1,
  },
  auth0: {
    files: { 'people.json': AUTH0, 'hashes.json': AUTH0_HASH },
    choices: { 'providers.github': 'github' },
    people: 1,
  },
  firebase: {
    files: { 'people.json': FIREBASE, 'hash-config.txt': HASH_CONFIG },
    choices: { 'providers.google.com': 'google' },
    people: 2,
  },
  csv: {
    files: { 'people.csv': 'Email,Email verified,Shoe\na@example.com,yes,38\n' },
    choices: { 'columns.Shoe': 'leave out' },
    people: 1,
  },
  jsonl: { files: { 'people.jsonl': { email: 'a@example.com' } }, choices: {}, people: 1 },
};

it('docs/how-to/migrate.md: the page has an import command for each source, and its choices equal the tested example', () => {
  expect([...new Set(commands.map((line) => line.split(' ')[0]))].sort()).toEqual(
    Object.keys(EXAMPLES).sort(),
  );
  const [choices = ''] = [...guide.matchAll(/```yaml\n([\s\S]+?)```/g)].map(([, text]) => text);
  expect(parse(choices)).toEqual(KEYCLOAK);
});

it.each(commands)(
  'docs/how-to/migrate.md: this command imports the users of the example: gatehouse import %s',
  async (line) => {
    const [source = '', ...words] = line.split(' ');
    const { files, choices, people } = EXAMPLES[source] ?? { files: {}, choices: {}, people: 0 };
    const folder = mkdtempSync(path.join(tmpdir(), 'guide-'));
    const inside = (name: string) => path.join(folder, name);
    for (const [name, value] of Object.entries(files)) {
      mkdirSync(path.dirname(inside(name)), { recursive: true });
      writeFileSync(inside(name), typeof value === 'string' ? value : JSON.stringify(value));
    }
    writeFileSync(inside('choices.yaml'), JSON.stringify(choices));
    vi.stubEnv('PORTAL_CONFIG_KEY', 'config-key');
    const option = (name: string) => {
      const at = words.indexOf(`--${name}`);
      return at < 0 ? undefined : inside(words[at + 1] ?? '');
    };
    const named = words.slice(
      0,
      words.findIndex((word) => word.startsWith('--')),
    );
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const input = { args: [source, ...named.map(inside)], text: option } as Partial<Input> as Input;
    const status = await importCommand.run(input);
    printed.mockRestore();
    const report: unknown = JSON.parse(readFileSync(inside('moved/report.json'), 'utf8'));
    const tokens = source === 'wicked' ? 1 : 0;
    const told = { source, people, tokens, counts: { decide: 0 } };
    expect({ status, report }).toMatchObject({ status: 0, report: told });
    expect(existsSync(inside('moved/tokens.jsonl'))).toBe(tokens > 0);
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  },
);
