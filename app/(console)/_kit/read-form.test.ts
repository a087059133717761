import { expect, it } from 'vitest';
import { api } from '#lib/catalogue/apis/definition.ts';
import { newClient } from '#lib/catalogue/clients/definition.ts';
import { methodKind } from '#lib/catalogue/methods/questions.ts';
import { person } from '#lib/catalogue/people/definition.ts';
import { Fields, readForm } from './posted.ts';

const typed = (text: string) => new Fields([...new URLSearchParams(text)]);

it('the form of an API is parsed according to the field definitions of an API', () => {
  const form = typed(
    'id=orders&name=+Orders+&url=https://orders.example&scopes.name=read&scopes.description=See+them&scopes.name=&scopes.description=&authMethods=local&accessTokenTtlSeconds=60&refreshTokenTtlSeconds=x&requireScope=on',
  );
  expect(readForm(api, form)).toEqual({
    id: 'orders',
    name: 'Orders',
    url: 'https://orders.example',
    scopes: [{ name: 'read', description: 'See them' }],
    authMethods: ['local'],
    tokenClaims: [],
    approvers: [],
    agentHosts: [],
    groups: [],
    groupsClaim: [],
    accessTokenTtlSeconds: 60,
    refreshTokenTtlSeconds: Number.NaN,
    requireApproval: false,
    requireRedirectUri: false,
    pairwiseSubjects: false,
    requireScope: true,
  });
});

it('the form of a scope or role sends the ids of its groups in one text', () => {
  const scopes = 'scopes.name=read&scopes.description=See&scopes.groups=staff,++ops&scopes.name=all';
  const roles = 'roles.name=editor&roles.description=staff&roles.name=editor&roles.description=ops+staff';
  expect(readForm(api, typed(`${scopes}&scopes.description=All&scopes.groups=&${roles}`))).toMatchObject({
    scopes: [
      { name: 'read', description: 'See', groups: ['staff', 'ops'] },
      { name: 'all', description: 'All' },
    ],
    roles: { editor: ['staff', 'ops'] },
  });
  expect(readForm(api, typed('roles.name=&roles.description='))).toMatchObject({ roles: null });
  expect(readForm(api, typed('id=orders'))).not.toHaveProperty('roles');
});

it('a text field that the form lacks is omitted, and an empty text field is kept', () => {
  expect(readForm(newClient, typed('name=Shop'))).not.toHaveProperty('ownerEmail');
  expect(readForm(newClient, typed('name=Shop&ownerEmail='))).toMatchObject({ ownerEmail: '' });
});

it('an empty password counts as none, and spaces in a password are preserved', () => {
  expect(readForm(person, typed('email=a@example.com&password='))).not.toHaveProperty('password');
  expect(readForm(person, typed('password=+secret+'))).toMatchObject({ password: ' secret ' });
});

it('a number field can be empty only if it is optional, and one text field contains all scopes', () => {
  const broker = readForm(
    methodKind('broker').config,
    typed('config.timeout_ms=&config.scopes=a++b'),
    'config.',
  );
  expect(broker).toEqual({
    scopes: ['a', 'b'],
    allow_private_network: false,
    nonce: false,
    pkce: false,
    shared_callback: false,
    trust_email: false,
  });
  const external = readForm(methodKind('external').config, typed('config.timeout_ms='), 'config.');
  expect(external.timeout_ms).toBeNaN();
});
