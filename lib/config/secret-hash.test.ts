import { expect, test } from 'vitest';
import { readConfiguration } from './file.ts';

const BCRYPT = `$2b$10$${'a'.repeat(53)}`;
const faultsOf = (client: object) => {
  const clients = [
    { client_id: 'c', confidential: true, redirect_uris: ['https://c.example/cb'], ...client },
  ];
  const read = readConfiguration(JSON.stringify({ clients }), {});
  return 'faults' in read ? read.faults.map(({ path, message }) => `${path}: ${message}`) : [];
};

test.each<[object, string?]>([
  [{ client_secret_hash: BCRYPT }],
  [{ client_secret_hash: `{BCRYPT}${BCRYPT}` }],
  [
    { client_secret_hash: BCRYPT.replace('$10$', '$15$') },
    'must be a bcrypt or PBKDF2 hash: bcrypt of cost 15 is too dear: at most 14',
  ],
  [
    { client_secret_hash: BCRYPT.replace('2b', '2x') },
    'must be a bcrypt or PBKDF2 hash: bcrypt of the kind 2x was made by a faulty program, and cannot be checked',
  ],
  [
    { client_secret_hash: '$pbkdf2-sha256$i=9000000$YWFh$YWFhYWFhYWFhYWFhYWFhYQ' },
    'must be a bcrypt or PBKDF2 hash: 9000000 rounds are too dear: at most 2000000',
  ],
  [
    { client_secret_hash: '$pbkdf2-sha256$i=9,l=33$YWFh$YWFhYWFhYWFhYWFhYWFhYQ' },
    'must be a bcrypt or PBKDF2 hash: no kind of hash that is known here, or not a whole one',
  ],
  [
    { client_secret_hash: '{SHA}qUqP5cyxm6YcTAhz05Hph5gvu9M=' },
    'must be a bcrypt or PBKDF2 hash: it is ldap',
  ],
  [
    { client_secret_hash: 'in the clear' },
    'must be a bcrypt or PBKDF2 hash: no kind of hash that is known here, or not a whole one',
  ],
  [
    { client_secret_hash: BCRYPT, client_secret: 'sixteen characters' },
    'cannot be combined with client_secret',
  ],
  [{ client_secret_hash: BCRYPT, client_secret_env: 'UNSET' }, 'cannot be combined with client_secret'],
  [
    { client_secret_hash: BCRYPT, confidential: false, application_type: 'browser' },
    'a public client has no secret: set confidential, or omit this',
  ],
])('client_secret_hash of the client %j: %s', (client, message) => {
  expect(faultsOf(client).filter((one) => one.includes('client_secret_hash'))).toEqual(
    message === undefined ? [] : [`clients[0].client_secret_hash: ${message}`],
  );
});
