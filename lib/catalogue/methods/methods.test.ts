// Every kind of sign-in method is complete, and code outside its folder never checks its type.
import { Visitor } from 'oxc-parser';
import { describe, expect, it, test } from 'vitest';
import { isTest, type Source, sourceOf, sourcesIn } from '#testing/code/sources.ts';
import { CAPABILITIES, type MethodKind } from './kind.ts';
import { METHOD_KINDS } from './kinds.ts';
import { METHOD_TYPES } from './questions.ts';

/** Other strings that are spelled like a type, with their meaning. */
const OTHER_MEANINGS: Readonly<Record<string, string>> = {
  'lib/management/doctor.ts': 'synchronous_commit of PostgreSQL has the value local',
  'lib/reference/prose.ts': 'a section of the documented endpoints',
};

const inQuotes = new RegExp(`'(?:${METHOD_TYPES.join('|')})'`);
const isType = (text: string) => METHOD_TYPES.some((type) => type === text);

function typesIn(source: Source): string[] {
  const found: string[] = [];
  const fault = (text: string) =>
    found.push(
      `${source.file} names a kind of method (${text}): ask for a capability instead, as in methodCan(method, 'redirects'), or move what only this kind does into its folder in lib/catalogue/methods`,
    );
  new Visitor({
    Literal({ value }) {
      if (typeof value === 'string' && (isType(value) || inQuotes.test(value))) fault(value);
    },
    TemplateElement({ value: { raw } }) {
      if (isType(raw) || inQuotes.test(raw)) fault(raw.trim());
    },
    // an object whose keys are types
    ObjectExpression({ properties }) {
      const keys = properties.flatMap((one) =>
        one.type === 'Property' && one.key.type === 'Identifier' && isType(one.key.name) ? one.key.name : [],
      );
      if (keys.length > 1) fault(keys.join(', '));
    },
  }).visit(source.program);
  return found;
}

describe('the types of sign-in methods in the code', () => {
  const sources = sourcesIn('lib', 'app', 'cli').filter(
    ({ file }) =>
      !isTest(file) && !METHOD_TYPES.some((type) => file.startsWith(`lib/catalogue/methods/${type}/`)),
  );

  it('a type of sign-in method appears only in the folder of its kind, except in the listed files', () => {
    const named = sources.filter(({ file }) => !Object.hasOwn(OTHER_MEANINGS, file)).flatMap(typesIn);
    expect(named).toEqual([]);
  });

  it('the search for types of sign-in methods finds every possible spelling of a type', () => {
    for (const text of [
      "const is = type === 'local';",
      "type One = 'external' | 'none';",
      "const sql = `m.type = 'broker'`;",
      'const sql = "where type = \'broker\'";',
      "const word = { local: 'a', broker: 'b' };",
      'const page = <Field type="external" />;',
    ])
      expect(typesIn(sourceOf('lib/a.tsx', text)), text).toHaveLength(1);
    expect(typesIn(sourceOf('lib/a.ts', "const s = { local: true, to: '/auth/callback/broker' };"))).toEqual(
      [],
    );
  });

  it('each listed file contains a type name with another meaning', () => {
    for (const file of Object.keys(OTHER_MEANINGS))
      expect(sources.filter((one) => one.file === file).flatMap(typesIn), file).not.toEqual([]);
  });
});

/** The missing parts of a kind, as sentences. */
function faultsOf({ type, capabilities, words, secret, config, verify }: MethodKind): string[] {
  const missing = Object.entries(CAPABILITIES)
    .filter(([name]) => !Object.hasOwn(capabilities, name))
    .map(([name, meaning]) => `${type}: add ${name} to its capabilities, true where ${meaning}`);
  const { asksPassword, redirects, hasAccounts } = capabilities;
  const rules: [boolean, string][] = [
    [/^[a-z][a-z_]*$/.test(type), 'its type must be of small letters and underscores'],
    [Object.values(words).every((text) => text !== ''), 'write its label, note and catalogue'],
    [missing.length > 0 || asksPassword !== redirects, 'let it either ask for a password or redirect'],
    [!hasAccounts || asksPassword, 'accounts of ours are asked for a password'],
    [
      !asksPassword || hasAccounts || verify !== undefined,
      'add verify: it asks for passwords of accounts of another service',
    ],
    [secret?.label !== '', 'write the label of its secret'],
    ['second_factor' in config.shape, 'add second_factor to its config: every method may ask for one'],
  ];
  return [...missing, ...rules.filter(([holds]) => !holds).map(([, advice]) => `${type}: ${advice}`)];
}

test.each(METHOD_KINDS.map((kind) => [kind.type, kind] as const))(
  'the kind of method %s has every required part',
  (_, kind) => {
    expect(faultsOf(kind)).toEqual([]);
  },
);

test('a call of a capability that a kind of method lacks throws an error with the capability’s name and meaning', () => {
  const [kind] = METHOD_KINDS;
  const { redirects: _, ...capabilities } = kind.capabilities;
  expect(faultsOf({ ...kind, capabilities } as MethodKind)).toEqual([
    `${kind.type}: add redirects to its capabilities, true where it redirects people to another service, which redirects them back`,
  ]);
});

test('a kind of method that verifies remote passwords but lacks the function verify throws an error', () => {
  const kind = METHOD_KINDS.find(({ verify }) => verify !== undefined);
  expect(faultsOf({ ...kind, verify: undefined } as unknown as MethodKind)).toEqual([
    expect.stringContaining('add verify'),
  ]);
});
