// The required strength of sign-ins in the file: how it reaches the database, the snapshot and the export.
import { expect, it } from 'vitest';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';

const apply = (source: string) => applyConfiguration(source, { env: {} });

const FILE = `auth_methods:
  - id: local
    type: local
    name: local
    second_factor: required
apis:
  - id: orders
    name: Orders
    url: https://orders.example
    auth_methods:
      - local
    scopes:
      - name: orders:read
        description: See
      - name: orders:pay
        description: Pay
        required_acr: urn:gatehouse:acr:phishing-resistant
    required_acr: urn:gatehouse:acr:mfa
    second_factor: optional
clients:
  - client_id: shop
    redirect_uris: ["https://shop.example/cb"]
    application_type: browser
    default_acr_values:
      - urn:gatehouse:acr:mfa
      - phr
    require_auth_time: true
`;

it('the file’s sign-in requirements reach the snapshot, and an export can be applied again', async () => {
  await apply(FILE);
  const { methods, apis, clients } = await currentSnapshot();
  expect(methods.get('local')?.config).toEqual({ second_factor: 'required' });
  expect(apis.get('orders')).toMatchObject({
    requiredAcr: 'urn:gatehouse:acr:mfa',
    secondFactor: 'optional',
    scopes: [
      { name: 'orders:read', description: 'See' },
      { name: 'orders:pay', description: 'Pay', required_acr: 'urn:gatehouse:acr:phishing-resistant' },
    ],
  });
  expect(clients.get('shop')).toMatchObject({
    defaultAcrValues: ['urn:gatehouse:acr:mfa', 'phr'],
    requireAuthTime: true,
  });
  const exported = await exportConfiguration();
  for (const line of [
    'second_factor: required',
    'second_factor: optional',
    'required_acr: urn:gatehouse:acr:phishing-resistant',
  ])
    expect(exported).toContain(line);
  expect(await apply(exported)).toEqual([]);
});

it('sign-in requirements that the file no longer contains return to their defaults', async () => {
  await apply(
    FILE.replace(/^.*(?:second_factor|required_acr|require_auth_time): .*\n/gm, '').replace(
      / {4}default_acr_values:\n.*\n.*\n/,
      '',
    ),
  );
  const { methods, apis, clients } = await currentSnapshot();
  expect(methods.get('local')?.config).toEqual({});
  const orders = apis.get('orders');
  expect([orders?.requiredAcr, orders?.secondFactor]).toEqual([null, null]);
  expect(orders?.scopes[1]).toEqual({ name: 'orders:pay', description: 'Pay' });
  expect(clients.get('shop')).toMatchObject({ defaultAcrValues: [], requireAuthTime: false });
});

it.each([
  ['second_factor: required', 'second_factor: always', 'auth_methods[0].second_factor'],
  ['required_acr: urn:gatehouse:acr:mfa', 'required_acr: mfa', 'apis[0].required_acr'],
  [
    '        required_acr: urn:gatehouse:acr:phishing-resistant',
    '        required_acr: ""',
    'apis[0].scopes[1].required_acr',
  ],
  ['second_factor: optional', 'second_factor: true', 'apis[0].second_factor'],
  ['      - phr', '      - gold', 'clients[0].default_acr_values[1]'],
  ['require_auth_time: true', 'require_auth_time: 1', 'clients[0].require_auth_time'],
])('if "%s" is replaced by "%s", apply rejects the file with a path', async (right, wrong, place) => {
  expect(FILE).toContain(right);
  await expect(apply(FILE.replace(right, wrong))).rejects.toThrow(place);
});
