import { expect, test } from 'vitest';
import { z } from 'zod';
import { api } from '#lib/catalogue/apis/definition.ts';
import { newClient } from '#lib/catalogue/clients/definition.ts';
import { authMethod } from '#lib/catalogue/methods/definition.ts';
import { METHOD_KINDS } from '#lib/catalogue/methods/kinds.ts';
import { person } from '#lib/catalogue/people/definition.ts';
import { subscriptionTerms } from '#lib/catalogue/subscriptions/definition.ts';
import { offeredBy } from '#testing/code/offered.ts';
import { formFields, plainName, wire } from './definition.ts';

/** `elsewhere`: fields that other forms edit. */
const FORMS: Record<string, { definition: z.ZodObject; elsewhere: readonly string[] }> = {
  api: { definition: api, elsewhere: ['brand', 'texts', 'groups', 'roles', 'groupsClaim'] },
  newClient: { definition: newClient, elsewhere: ['brand', 'texts'] },
  person: { definition: person, elsewhere: [] },
  // an earlier form already sets the type, on which the label of the secret depends
  authMethod: { definition: authMethod, elsewhere: ['type', 'config', 'secret'] },
  subscriptionTerms: { definition: subscriptionTerms, elsewhere: ['requiredClaim'] },
  ...Object.fromEntries(
    // an earlier form already sets the preset, like the type
    METHOD_KINDS.map(({ type, config }) => [type, { definition: config, elsewhere: ['claims', 'preset'] }]),
  ),
};
const entries = Object.entries(FORMS);

test('the form of each object contains every setting', () => {
  const silent = entries.flatMap(([of, { definition, elsewhere }]) => {
    const asked = [...formFields(definition).map(({ name }) => name), ...elsewhere];
    return Object.keys(definition.shape)
      .filter((name) => !asked.includes(name))
      .map((name) => `${of}.${name} has no words: wrap its schema in field(…, 'Label')`);
  });
  expect(silent).toEqual([]);
});

/** The JSON types that the schema accepts. */
function typesOf(schema: z.core.$ZodType): string[] {
  const types = new Set<string>();
  const walk = (json: z.core.JSONSchema._JSONSchema) => {
    if (typeof json !== 'object') return;
    if (json.type) types.add(String(json.type));
    json.anyOf?.forEach(walk);
  };
  walk(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  return [...types];
}

test('every labelled setting has a form input', () => {
  const TYPED = { text: 'string', number: 'integer', checkbox: 'boolean', choice: 'string' } as const;
  const strange = entries.flatMap(([of, { definition }]) =>
    formFields(definition).flatMap(({ name, kind, as, isText }) => {
      // lists have one text per line, and JSON and texts in several languages have separate parsers
      if (kind === 'list' || kind === 'pairs' || isText || as === 'json' || as === 'words') return [];
      const types = typesOf(definition.shape[name] as z.core.$ZodType);
      return types.includes(TYPED[kind])
        ? []
        : [`${of}.${name} comes as ${types.join(' or ') || 'anything'}: say with \`as\` how it is typed`];
    }),
  );
  expect(strange).toEqual([]);
});

/** All definitions in the registry: objects for input, and rows for results. */
const OBJECTS: [string, z.ZodObject][] = Object.entries(await offeredBy('registry')).flatMap(
  ([name, value]) => (value instanceof z.ZodObject ? [[name, value]] : []),
);
const twice = (names: string[]) => names.filter((name, at) => names.indexOf(name) !== at);

test('field names are unique per object, in the management API and in the configuration file', () => {
  expect(OBJECTS.map(([name]) => name)).toEqual(
    expect.arrayContaining(['apiRow', 'clientRow', 'sessionRow', 'consentRow', 'keyRow', 'invitationRow']),
  );
  const faults = OBJECTS.flatMap(([of, object]) => {
    const names = Object.keys(object.shape);
    // if two fields have the same name, `wire` merges them
    const lost = names.length - Object.keys(wire(object).shape).length;
    const inFile = twice(names.map(plainName));
    return [
      ...(lost > 0 ? [`${of} has a name twice on the wire: rename one of its fields`] : []),
      ...inFile.map((name) => `${of} has ${name} twice in the file: rename one of its fields`),
    ];
  });
  expect(faults).toEqual([]);
});
