// A request for each error that several endpoints declare.
import {
  badClient,
  bodyErrors,
  bodyTooLarge,
  broken,
  credentialErrors,
  type DeclaredError,
  methodNotAllowed,
  missingProof,
  prefetched,
  proofErrors,
  unavailable,
  unknownIssuer,
} from '#lib/oauth/errors.ts';
import { settings } from '#lib/settings/settings.ts';
import { proofKey, proofOf } from '../net/dpop.ts';
import { type Ask, anything, post } from './requests.ts';
import { overLimit, send, sql, TRU, withoutDatabase, withoutTables } from './world.ts';

const [unreadable] = bodyErrors as [DeclaredError];
const [twoCredentials, manySecrets] = credentialErrors as [DeclaredError, DeclaredError];
const [badProof, wantsNonce] = proofErrors as [DeclaredError, DeclaredError];
const grant = { ...TRU, grant_type: 'refresh_token', refresh_token: 'x' };
const basic = `Basic ${Buffer.from('tru:tru-secret-of-the-fixtures').toString('base64')}`;

export const sharedRequests: [DeclaredError, Ask[]][] = [
  [
    unreadable,
    [
      (address) => post(address, '{', { headers: { 'content-type': 'application/json' } }),
      (address) => post(address, 'a=b', { headers: { 'content-type': 'text/plain' } }),
      (address) => post(address, { ...TRU }),
      (address) => post(address, 'client_id=tru&client_id=tru'),
    ],
  ],
  [bodyTooLarge, [(address) => post(address, 'x'.repeat(70_000))]],
  [
    twoCredentials,
    [
      (address) => post(address, { ...TRU, grant_type: 'password' }, { headers: { authorization: basic } }),
      (address) =>
        post(address, { client_id: 'conf', grant_type: 'password' }, { headers: { authorization: basic } }),
      (address) => post(address, { ...TRU, client_assertion: 'x.y.z', grant_type: 'password' }),
    ],
  ],
  [badProof, [(address) => post(address, grant, { headers: { dpop: 'x' } })]],
  [
    missingProof,
    [
      async (address) => {
        await sql("update clients set dpop_bound_access_tokens = true where client_id = 'tru'");
        const answer = await post(address, grant);
        await sql("update clients set dpop_bound_access_tokens = false where client_id = 'tru'");
        return answer;
      },
    ],
  ],
  [
    wantsNonce,
    [
      async (address) => {
        const old = { address: `${settings().authUrl}${address.path}`, claims: { iat: 1 } };
        return post(address, grant, { headers: { dpop: await proofOf(await proofKey(), old) } });
      },
    ],
  ],
  [
    manySecrets,
    [
      (address) =>
        overLimit('4secret', 60, () =>
          post(
            address,
            { ...TRU, client_secret: 'wrong', grant_type: 'refresh_token' },
            { ip: '192.0.2.77' },
          ),
        ),
    ],
  ],
  [
    badClient,
    [
      { client_id: 'nobody' },
      { client_id: 'dis', client_secret: 'dis-secret-of-the-fixtures' },
      { client_id: 'tru' },
      { ...TRU, client_secret: 'wrong' },
      { client_id: 'spa', client_secret: 'any' },
      { client_id: 'tru', client_assertion: 'x.y.z' },
    ].map(
      (form): Ask =>
        (address) =>
          post(address, { ...form, grant_type: 'refresh_token', token: 'x' }),
    ),
  ],
  [
    unknownIssuer,
    [
      ({ method, path }) => send(path.replace('/pw/', '/nothing/'), { method }),
      ({ method, path }) => send(path.replace('/orders', '/nothing'), { method }),
    ],
  ],
  [methodNotAllowed, [({ path }) => send(path, { method: 'DELETE' })]],
  [prefetched, [({ path }) => send(path, { headers: { 'sec-purpose': 'prefetch' } })]],
  [unavailable, [(address) => withoutDatabase(() => anything(address))]],
  [broken, [(address) => withoutTables(['directory_version', 'broker_states'], () => anything(address))]],
];
