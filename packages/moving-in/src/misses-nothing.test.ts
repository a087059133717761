// Wherever a source has an additional key, the report contains its path or the path of its parent.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { PEOPLE, REALM } from '../../../testing/moving-in/keycloak.ts';
import { AUTH0, AUTH0_HASH, FIREBASE, HASH_CONFIG } from '../../../testing/moving-in/lists.ts';
import { KEYS, KONG, WICKED } from '../../../testing/moving-in/wicked.ts';
import { convert, type ImportSource } from './import-files.ts';

type Place = (string | number)[];
/** An import that the test runs. `root`: path of the document in the report. */
type Example = {
  source: ImportSource;
  document: unknown;
  root: string;
  files: (document: unknown) => [string, string][];
};

const WITH_KONG = { ...WICKED, ...KONG };
const EXAMPLES: Example[] = [
  {
    source: 'jsonl',
    root: 'lines[1]',
    document: {
      ...{ email: 'ada@example.com', name: 'Ada', roles: [], password: { hash: `$2b$12$${'a'.repeat(53)}` } },
      ...{ identities: [{ auth_method: 'a', subject: 'b' }], totp: { secret: 'JBSWY3DPEHPK3PXP' } },
      ...{ consents: [{ client_id: 'c', api: 'a', scopes: ['s'] }], claims: { size: { shoe: 38 } } },
    },
    files: (document) => [['people.jsonl', JSON.stringify(document)]],
  },
  {
    source: 'csv',
    root: 'lines[2]',
    document: { email: 'ada@example.com', Shoe: '38' },
    files: (document) => [['people.csv', csvOf(document as Record<string, unknown>)]],
  },
  {
    source: 'keycloak',
    root: '',
    document: { ...REALM, users: PEOPLE.users },
    files: (document) => [['shop.json', JSON.stringify(document)]],
  },
  {
    source: 'firebase',
    root: '',
    document: FIREBASE,
    files: (document) => [
      ['people.json', JSON.stringify(document)],
      ['hash.txt', HASH_CONFIG],
    ],
  },
  {
    source: 'auth0',
    root: 'lines[1]',
    document: AUTH0,
    files: (document) => [
      ['people.json', JSON.stringify(document)],
      ['hashes.json', JSON.stringify(AUTH0_HASH)],
    ],
  },
  ...Object.entries({
    'static/apis/apis.json': '',
    'static/groups/groups.json': '',
    'static/globals.json': 'globals',
    'static/auth-servers/default.json': 'auth-servers.default',
    'static/env/default.json': 'env.default',
    'static/apis/petstore-oauth/config.json': 'api-config.petstore-oauth',
    'dynamic/applications/shop.json': 'applications[0]',
    'dynamic/subscriptions/shop.json': 'subscriptions[0]',
    'dynamic/grants/1.json': 'grants[0]',
    'kong/oauth2_credentials.jsonl': 'oauth2_credentials[0]',
    'kong/oauth2_tokens.jsonl': 'oauth2_tokens[0]',
  } as const).map(
    ([name, root]): Example => ({
      source: 'wicked',
      root,
      document: WITH_KONG[name as keyof typeof WITH_KONG],
      files: (document) =>
        Object.entries({ ...WITH_KONG, [name]: document }).map(([file, value]) => [
          file,
          JSON.stringify(value),
        ]),
    }),
  ),
];

it.each(EXAMPLES)(
  'every unknown key is imported or reported: $source $root',
  async ({ source, document, root, files }) => {
    const places = objectsIn(document);
    const name = fc.stringMatching(/^[a-z]{3,8}(?:[ .[\]"-][a-z0-9]{1,4})?$/).map((text) => `zz${text}`);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        name,
        fc.constantFrom(1, 'x', { a: 1 }),
        async (place, key, value) => {
          const changed = structuredClone(document);
          let inner = changed as Record<string | number, unknown>;
          for (const step of place) inner = inner[step] as Record<string | number, unknown>;
          inner[key] = value;
          const of = files(changed).map(([file, content]) => sourceFile(file, content, 4096));
          const { report } = await convert({ source, files: of, env: KEYS }, async () => {});
          const path = pathText(root, [...place, key]);
          const found = report.rows.some((row) =>
            [row.path, row.first].some((told) => told !== undefined && covers(told, path, row.outcome)),
          );
          expect(found ? [] : [path, ...report.rows.map((row) => `${row.outcome}: ${row.path}`)]).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  },
);

/** Returns a CSV file with titles and one row, in which every field is in quotes. */
function csvOf(document: Record<string, unknown>): string {
  const row = (fields: unknown[]) =>
    fields
      .map((field) => (typeof field === 'string' ? field : JSON.stringify(field)).replaceAll('"', '""'))
      .map((text) => `"${text}"`)
      .join(',');
  return `${row(Object.keys(document))}\n${row(Object.values(document))}\n`;
}

/** True if the report contains the exact path of each value that was imported or changed. */
function covers(told: string, path: string, outcome: string): boolean {
  const [one, all] = [general(told), general(path)];
  const isWithin = all.startsWith(one) && ['.', '['].includes(all[one.length] ?? '');
  return (
    all === one || (isWithin && outcome !== 'carried' && outcome !== 'changed') || one.startsWith(`${all}.`)
  );
}
const general = (path: string) => path.replaceAll(/\[\d+\]/g, '[]');

const pathText = (root: string, place: Place) =>
  place.reduce<string>((path, step) => {
    if (typeof step === 'number') return `${path}[${step}]`;
    if (!/^[\w$:/@-]+( [\w$:/@-]+)*$/.test(step)) return `${path}[${JSON.stringify(step)}]`;
    return path === '' ? step : `${path}.${step}`;
  }, root);

function objectsIn(value: unknown, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [
    ...(Array.isArray(value) ? [] : [place]),
    ...inner.flatMap(([step, one]) => objectsIn(one, [...place, step])),
  ];
}
