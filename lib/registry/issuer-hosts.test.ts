import { expect, it } from 'vitest';
import { api } from '#lib/catalogue/apis/definition.ts';
import { faultsOf } from './definition.ts';
import { issuerHostFault, issuerHostFaults, issuerHostOf } from './issuers.ts';

it.each([
  'https://login-orders.example',
  'https://login.example:8443',
  'https://xn--bcher-kva.example',
  'http://login-orders.localhost:3000',
  'http://127.0.0.1:3000',
])('the issuer host is valid: %s', (origin) => {
  expect(issuerHostFault(origin)).toBeNull();
});

it.each([
  ['http://login-orders.example', 'must be https (or http on this machine, for development)'],
  ['https://login-orders.example/', 'must be written as https://login-orders.example'],
  ['https://LOGIN.example', 'must be written as https://login.example'],
  ['https://login.example:443', 'must be written as https://login.example'],
  ['https://bücher.example', 'must be written as https://xn--bcher-kva.example'],
  ['https://127.1', 'must be written as https://127.0.0.1'],
  ['https://login.example/auth', 'must be an origin, without a path: https://login.example'],
  ['https://login.example?x', 'must be an origin, without a path: https://login.example'],
  ['https://login.example#', 'must be an origin, without a path: https://login.example'],
  ['https://u:p@login.example', 'must not contain a username or password'],
  ['https://login.example.', 'must not end with a dot'],
  ['https://*.example', 'must name one host: letters, digits, hyphens and dots'],
  ['login.example', 'must be an origin such as https://login-orders.example'],
  ['ftp://login.example', 'must be an origin such as https://login-orders.example'],
  ['https://', 'must be an origin such as https://login-orders.example'],
  ['', 'must be an origin such as https://login-orders.example'],
  [`https://${'a.'.repeat(200)}example`, 'must be an origin such as https://login-orders.example'],
])('an invalid issuer host is rejected with the reason: %s', (origin, fault) => {
  expect(issuerHostFault(origin)?.message).toBe(fault);
});

const hosts = (issuerHosts: unknown) =>
  api.safeParse(
    { id: 'orders', name: 'Orders', url: 'https://o.example', issuerHosts },
    { reportInput: true },
  );

it('empty issuer hosts are null in every spelling, and invalid maps are reported with path', () => {
  expect(hosts({}).data?.issuerHosts).toBeNull();
  expect(hosts(undefined).data?.issuerHosts).toBeNull();
  const faults = [{ local: 7 }, { local: 'login.example' }, 'https://login.example', ['x']].map((given) =>
    faultsOf(hosts(given).error as never).map(({ field, message }) => `${field}: ${message}`),
  );
  expect(faults).toEqual([
    ['issuerHosts.local: issuer_hosts.local must be a string'],
    ['issuerHosts.local: issuer_hosts.local must be an origin such as https://login-orders.example'],
    ['issuerHosts: issuer_hosts must be keys and values'],
    ['issuerHosts: issuer_hosts must be keys and values'],
  ]);
});

it('issuer hosts need a method of the API, are unique, and differ from the service host, ignoring scheme', () => {
  const faults = issuerHostFaults(
    {
      authMethods: ['local', 'campus', 'partner'],
      issuerHosts: {
        local: 'https://login.localhost:3000',
        campus: 'http://login.localhost:3000',
        partner: 'https://auth.example',
        gone: 'https://gone.example',
      },
    },
    ['https://gate.example', 'https://auth.example'],
  );
  expect(faults.map(({ method, message }) => ({ method, message }))).toEqual([
    { method: 'campus', message: 'http://login.localhost:3000 is already the host of local' },
    { method: 'partner', message: 'https://auth.example is the address of this service itself' },
    { method: 'gone', message: 'gone is not a sign-in method of this API' },
  ]);
});

it('methods missing from the API, or named like Object properties, have no issuer host', () => {
  const one = { authMethods: ['local', 'constructor'], issuerHosts: { campus: 'https://c.example' } };
  expect(['local', 'constructor', 'campus'].map((method) => issuerHostOf(one, method))).toEqual([
    null,
    null,
    null,
  ]);
});
