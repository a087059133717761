// Applies the imported files to a database, with the steps that an operator takes.
import { expect, it } from 'vitest';
import { applyConfiguration } from '../../../lib/config/apply.ts';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { CHOICES as KEYCLOAK_CHOICES, PEOPLE, REALM } from '../../../testing/moving-in/keycloak.ts';
import { KEYS, WICKED, CHOICES as WICKED_CHOICES } from '../../../testing/moving-in/wicked.ts';
import { convert, type ImportSource } from './import-files.ts';
import { registryText } from './output.ts';

async function textOf(
  source: ImportSource,
  files: Record<string, unknown>,
  choices: Record<string, unknown>,
) {
  const { registry } = await convert(
    {
      source,
      files: Object.entries(files).map(([name, value]) => sourceFile(name, JSON.stringify(value), 4096)),
      choices: new Map(Object.entries(choices)),
      env: { ...KEYS, PORTAL_GOOGLE_SECRET: 'google-secret-0123456789' },
    },
    async () => {},
  );
  return registryText(registry, source);
}

it.each([
  ['jsonl', { 'people.jsonl': { email: 'ada@example.com', groups: ['staff'] } }, {}],
  ['keycloak', { 'realm.json': REALM, 'people.json': PEOPLE }, KEYCLOAK_CHOICES],
  ['keycloak', { 'realm.json': REALM, 'people.json': PEOPLE }, {}],
  ['wicked', WICKED, WICKED_CHOICES],
  ['wicked', WICKED, {}],
] as const)(
  '%s: after the import, a second apply of registry.yaml changes nothing',
  async (source, files, choices) => {
    const text = await textOf(source, files, choices);
    await applyConfiguration(text, { env: {} });
    expect(await applyConfiguration(text, { env: {} })).toEqual([]);
  },
);
