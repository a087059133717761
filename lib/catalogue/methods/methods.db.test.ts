// Sign-in methods: their secrets, callback addresses, methods that cannot be changed, and private addresses.

import { generateKeyPairSync } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { inEnglish } from '#lib/language/words.ts';
import {
  events,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import {
  changeAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  previewAuthMethodChange,
  readAuthMethod,
} from './operations.ts';

let admin: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  admin = await givenPerson('admin', 'administrator');
});

const BROKER = { issuer: 'https://login.example', client_id: 'x', allow_private_network: false };

it('the secret of a method is sealed and never returned, and a changed issuer deletes the method’s identities', async () => {
  const config = { issuer: 'https://login.example', client_id: 'gatehouse' };
  const input = { id: 'partner', type: 'broker', name: 'Partner', config, secret: 'very-secret' } as const;
  await createAuthMethod(admin, input);
  const method = await readAuthMethod(admin, { id: 'partner' });
  expect(method).toMatchObject({ hasSecret: true, config: { ...config, allow_private_network: false } });
  expect(JSON.stringify([method, await events('auth_method.created')])).not.toContain('very-secret');
  await sql(
    `insert into external_identities (auth_method_id, subject, person_id) values ('partner', 's', $1)`,
    [admin.id],
  );
  const change = { id: 'partner', config: { ...config, issuer: 'https://other.example' } };
  expect((await previewAuthMethodChange(admin, change)).warnings).toHaveLength(1);
  await changeAuthMethod(admin, { ...change, version: method.version });
  expect(await sql('select 1 from external_identities')).toEqual([]);
  const broken = { ...input, id: 'broken', config: { issuer: 'http://login.example', client_id: '' } };
  expect((await refusal(createAuthMethod(admin, broken)))?.faults.map((fault) => fault.field)).toContain(
    'config.client_id',
  );
});

it('switching signed_secret on or off requires a new secret, because a signing key is never sent', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const plain = { issuer: 'https://appleid.apple.com', client_id: 'x' };
  const signing = {
    preset: 'apple',
    client_id: 'x',
    signed_secret: { team_id: 'ABCDE12345', key_id: 'FGHIJ67890' },
  };
  const made = await createAuthMethod(admin, {
    ...{ id: 'apple', type: 'broker', name: 'A', config: signing, secret: pem },
  });
  const fields = async (work: Promise<unknown>) => (await refusal(work))?.faults.map(({ field }) => field);
  const { version } = made;
  expect(await fields(changeAuthMethod(admin, { id: 'apple', config: plain, secret: pem, version }))).toEqual(
    ['config.signed_secret'],
  );
  const sent = await changeAuthMethod(admin, { id: 'apple', config: plain, version });
  expect(sent.hasSecret).toBe(false);
  const [changed] = await events('auth_method.changed');
  expect(changed).toMatchObject({ details: { changed: expect.arrayContaining(['secret']) } });
  const typed = { id: 'apple', version: sent.version, config: plain, secret: 'a secret' };
  const again = await changeAuthMethod(admin, typed);
  expect(again.hasSecret).toBe(true);
  const back = { id: 'apple', version: again.version, config: signing };
  expect(await fields(changeAuthMethod(admin, back))).toContain('config.signed_secret');
  expect((await changeAuthMethod(admin, { ...back, secret: pem })).hasSecret).toBe(true);
});

it('a preview warns that a subject attribute of a directory can be reassigned later', async () => {
  const config = { urls: ['ldaps://dc1.corp.example'], base_dn: 'dc=corp', subject_attribute: 'ipaUniqueID' };
  await createAuthMethod(admin, { id: 'staff', type: 'ldap', name: 'Staff', config });
  const asked = async (subject_attribute: string) => {
    const { warnings } = await previewAuthMethodChange(admin, {
      id: 'staff',
      config: { ...config, subject_attribute },
    });
    return warnings.map(inEnglish);
  };
  const another = expect.stringContaining('another provider responds');
  expect(await asked('nsUniqueId')).toEqual([another]);
  expect(await asked('Mail')).toEqual([
    another,
    expect.stringContaining('Mail can be assigned to another person later'),
  ]);
  expect(await asked('ipaUniqueID')).toEqual([]);
});

it('the last local method cannot be deleted, because administrators need it', async () => {
  expect((await refusal(deleteAuthMethod(admin, { id: 'local' })))?.kind).toBe('conflict');
  await createAuthMethod(admin, { id: 'second', type: 'local', name: 'Second' });
  await deleteAuthMethod(admin, { id: 'local' });
});

it('docs/how-to/brokers.md: a broker method shows its callback address, and a change without shared_callback keeps it', async () => {
  const made = await createAuthMethod(admin, { id: 'partner', type: 'broker', name: 'P', config: BROKER });
  expect(made.callback).toBe('http://localhost:3000/auth/callback/partner');
  expect((await readAuthMethod(admin, { id: 'local' })).callback).toBeNull();
  const shared = { id: 'partner', config: { ...BROKER, shared_callback: true } };
  expect((await previewAuthMethodChange(admin, shared)).warnings.map(inEnglish)).toEqual([
    expect.stringContaining('/auth/callback/broker'),
  ]);
  const { version } = await changeAuthMethod(admin, { ...shared, version: made.version });
  const silent = await changeAuthMethod(admin, {
    id: 'partner',
    config: { ...BROKER, client_id: 'y' },
    version,
  });
  expect(silent.config).toMatchObject({ client_id: 'y', shared_callback: true });
  const own = { id: 'partner', config: { ...BROKER, client_id: 'y', shared_callback: false } };
  const after = await changeAuthMethod(admin, { ...own, version: silent.version });
  expect(after.config).not.toHaveProperty('shared_callback');
});

it('SR-01: console and management API reject private addresses of methods, as apply does', async () => {
  for (const issuer of ['https://169.254.169.254', 'https://0x0a000001', 'https://[fd00::1]']) {
    const broker = { id: 'inside', type: 'broker', name: 'I', config: { ...BROKER, issuer } } as const;
    expect((await refusal(createAuthMethod(admin, broker)))?.faults.map((fault) => fault.field)).toEqual([
      'config.issuer',
    ]);
    const allowed = { ...broker.config, allow_private_network: true };
    await createAuthMethod(admin, { ...broker, config: allowed });
    await deleteAuthMethod(admin, { id: 'inside' });
  }
});
