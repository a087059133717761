// The rule about texts that people read, tested with every text of every definition.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { api } from '#lib/catalogue/apis/definition.ts';
import { checkedClient, checkedNewClient, client, newClient } from '#lib/catalogue/clients/definition.ts';
import { authMethod, authMethodFaults } from '#lib/catalogue/methods/definition.ts';
import { METHOD_KINDS } from '#lib/catalogue/methods/kinds.ts';
import { person } from '#lib/catalogue/people/definition.ts';
import { profileChoices } from '#lib/catalogue/people/profile.ts';
import { subscription, subscriptionTerms } from '#lib/catalogue/subscriptions/definition.ts';
import { requiredClaim } from './claims.ts';

/** Secrets, which are never displayed and can contain any character. */
const SECRETS = ['authMethod.secret', 'person.password'];
/** Texts that are validated by rules about several fields, because one field alone does not show the fault. */
const TOGETHER = [
  'client.redirectUris[]',
  'client.allowedOrigins[]',
  'client.postLogoutRedirectUris[]',
  'newClient.redirectUris[]',
  'newClient.allowedOrigins[]',
  'newClient.postLogoutRedirectUris[]',
  'external.claims{}',
  'broker.claims{}',
  'ldap.claims{}',
];
const DECEIVING = [
  '\u202e',
  '\u2066',
  '\u061c',
  '\u200f',
  '\u200b',
  '\u00ad',
  '\u115f',
  '\u3164',
  '\u2800',
  '\u{e0041}',
];

type Leaf = { path: string; schema: z.core.$ZodType };

/** Finds each string in a schema, with the outermost schema that wraps only this string. */
function texts(schema: z.core.$ZodType, path: string, outer: z.core.$ZodType = schema): Leaf[] {
  if (schema instanceof z.ZodString) return [{ path, schema: outer }];
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) =>
      texts(field as z.core.$ZodType, `${path}.${name}`),
    );
  if (schema instanceof z.ZodArray) return texts(schema.element, `${path}[]`);
  if (schema instanceof z.ZodRecord) return texts(schema.valueType, `${path}{}`);
  if (schema instanceof z.ZodUnion)
    return schema.options.flatMap((one) =>
      texts(one as z.core.$ZodType, path, hasOnlyTexts(schema) ? outer : (one as z.core.$ZodType)),
    );
  if (schema instanceof z.ZodPipe)
    return schema.in instanceof z.ZodTransform
      ? texts(schema.out, path, outer)
      : texts(schema.in, path, schema.in instanceof z.ZodObject ? schema.in : outer);
  if (
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodNullable
  )
    return texts(schema.unwrap(), path, outer);
  return [];
}
const hasOnlyTexts = (schema: z.ZodUnion) =>
  schema.options.every((one) => !(one instanceof z.ZodRecord || one instanceof z.ZodObject));

const DEFINITIONS = {
  ...{
    api,
    client,
    newClient,
    subscription,
    subscriptionTerms,
    person,
    authMethod,
    requiredClaim,
    profileChoices,
  },
  ...Object.fromEntries(METHOD_KINDS.map(({ type, config }) => [type, config])),
};
const LEAVES = Object.entries(DEFINITIONS).flatMap(([name, schema]) => texts(schema, name));

describe('every field that users read rejects deceiving characters', () => {
  const asked = LEAVES.filter(({ path }) => !SECRETS.includes(path) && !TOGETHER.includes(path));

  it('the checked fields include names, descriptions, messages and addresses', () => {
    const found = asked.map(({ path }) => path);
    for (const path of [
      'api.name',
      'api.name{}',
      'api.description',
      'api.scopes[].description{}',
      'api.tosUri',
    ])
      expect(found).toContain(path);
    for (const path of ['client.name{}', 'client.jwks.keys[].kid', 'client.logoUri', 'newClient.ownerEmail'])
      expect(found).toContain(path);
    for (const path of ['subscription.message', 'person.name', 'authMethod.name', 'broker.client_id'])
      expect(found).toContain(path);
    for (const path of [...SECRETS, ...TOGETHER]) expect(LEAVES.map((leaf) => leaf.path)).toContain(path);
  });

  // Texts that are valid except for the given character, in the formats that the fields accept.
  const around = (sign: string) => [
    `a${sign}b`,
    `https://a.example/${sign}b`,
    `mailto:a${sign}@b.example`,
    `a${sign}@b.example`,
  ];

  it.each(asked.map(({ path, schema }) => [path, schema] as const))(
    'the field %s accepts no deceiving character',
    (_, schema) => {
      // The address of a logo is percent-encoded.
      for (const sign of [...DECEIVING, '\u0007', '\u2028'])
        for (const text of around(sign))
          expect(JSON.stringify(z.safeParse(schema, text).data) ?? '', JSON.stringify(text)).not.toContain(
            JSON.stringify(sign).slice(1, -1),
          );
    },
  );

  it('the rules for several fields together also reject deceiving characters in client addresses and method claims', () => {
    const good = { clientId: 'c', name: 'C', kind: 'browser', redirectUris: ['https://a.example/'] };
    expect(checkedClient.safeParse(good).success).toBe(true);
    for (const sign of DECEIVING)
      for (const field of ['redirectUris', 'allowedOrigins', 'postLogoutRedirectUris'])
        for (const schema of [checkedClient, checkedNewClient])
          expect(schema.safeParse({ ...good, [field]: [`https://a.example/${sign}`] }).success).toBe(false);
    for (const sign of DECEIVING)
      expect(authMethodFaults({ type: 'external', claims: { groups: `roles${sign}` } })).not.toEqual([]);
  });

  it.each(['api.name', 'api.scopes[].description', 'client.name', 'authMethod.name', 'person.name'])(
    'the field %s must be one line',
    (path) => {
      const { schema } = LEAVES.find((leaf) => leaf.path === path) ?? {};
      expect(z.safeParse(schema as z.core.$ZodType, 'Shop\nYour bank').success).toBe(false);
      expect(z.safeParse(schema as z.core.$ZodType, '👨\u200d👩\u200d👧 می\u200cخواهم').success).toBe(true);
    },
  );

  it.each(['api.description', 'subscription.message'])('the field %s can have several lines', (path) => {
    const { schema } = LEAVES.find((leaf) => leaf.path === path) ?? {};
    expect(z.safeParse(schema as z.core.$ZodType, 'One.\nTwo.').success).toBe(true);
  });
});
