// What a snapshot of the registry is made of, and how its rows are asked for: what all clients share (methods, APIs
// with their combinations, keys), and each client with its secrets' hashes and its subscriptions.
import { log } from '#lib/kit/log.ts';
import type { ClientValues } from '#lib/registry/clients/client.ts';
import type { ApplicationType } from '#lib/registry/clients/redirect-rules.ts';
import type { ClientOrigin } from '#lib/registry/clients/unregistered.ts';
import { METHOD_TYPES, wholeConfig } from '#lib/registry/methods/questions.ts';
import type { ApiValues } from '#lib/registry/objects/api.ts';
import { underProfile } from '#lib/registry/objects/api-tokens.ts';
import type { AuthMethodValues } from '#lib/registry/objects/auth-method.ts';
import { addressesOf, type IssuerAddress } from '#lib/registry/objects/former-issuers.ts';
import { formerIssuerBase } from '#lib/registry/objects/issuer-layouts.ts';
import type { SubscriptionState } from '#lib/registry/objects/subscription-states.ts';
import { type Column, columnValue, displayed } from '../database/sql.ts';
import { API_COLUMNS, API_SCOPES } from './apis.ts';
import { CLIENT_COLUMNS } from './clients.ts';
import type { SnapshotClients } from './snapshot-clients.ts';

export type SnapshotMethod = AuthMethodValues & {
  sealedSecret: string | null;
  /** renewed when the method is handed to another verifier or broker */
  epoch: string;
  /** of groups, on what it says of people at a sign-in; left out: none */
  groupRules?: GroupRuleOfMethod[];
};
/** Who has one of the values of the claim comes into the group. */
export type GroupRuleOfMethod = { group: string; claim: string; values: string[] };
export type SnapshotApi = ApiValues & { introspectionSecretHash: Buffer | null };
export type SnapshotClient = Omit<ClientValues, 'kind'> & {
  confidential: boolean;
  applicationType: ApplicationType;
  disabled: boolean;
  origin: ClientOrigin;
  /** of an agent, those that it may use; empty: all of its kind */
  grantTypes: string[];
  /** ISO 8601: when the document was read that the rest was written from, and when it last named another client */
  documentReadAt: string | null;
  identityChangedAt: string | null;
  /** `keptHash`: what another service made of the secret, of one that was not used here yet */
  secrets: { hash: Buffer; expiresAt: Date | null; keptHash: string | null }[];
  /** one for each API at the most */
  subscriptions: SnapshotSubscription[];
};
export type SnapshotSubscription = {
  apiId: string;
  state: SubscriptionState;
  trusted: boolean;
  /** it may ask for tokens in its own name */
  machine: boolean;
  /** it may get tokens by the device grant */
  device: boolean;
  scopes: string[];
  /** how long what a person allowed lasts; null: as long as for any client */
  maxDays: number | null;
  /** it asks for a claim: not everybody may use it */
  restricted: boolean;
};
export type SnapshotKey = {
  kid: string;
  alg: 'ES256' | 'RS256';
  publicJwk: Record<string, unknown>;
  sealedPrivate: string;
  signsFrom: string;
  retiresAt: string | null;
  retiredAt: string | null;
};
/**
 * Of one version, or newer in what has changed meanwhile: a request that relies on it finds out (docs/decisions/0004).
 */
export type Snapshot = {
  version: string;
  clients: SnapshotClients<SnapshotClient>;
} & Shared;

/** Read together: while none of it changes, every snapshot holds the same ones. */
export type Shared = {
  methods: ReadonlyMap<string, SnapshotMethod>;
  apis: ReadonlyMap<string, SnapshotApi>;
  keys: readonly SnapshotKey[];
  /** of pairwise subject identifiers; null: none was needed yet */
  sealedSubjectSalt: string | null;
  /** whether there may be people whose `sub` is not their id */
  keptSubjects: boolean;
  /** whether there may be people who sign in by a name that is no address */
  usernames: boolean;
  /** another one after each import of people: what a process remembers of them is out of date */
  keptEpoch: number;
  /** the issuers that have more than their path address, by that, letter by letter */
  issuersByAddress: ReadonlyMap<string, AddressedIssuer>;
  /** the same by how a request may name their host; longer paths first */
  issuersByHost: ReadonlyMap<string, readonly AddressedIssuer[]>;
};

/** `path`: of its address, before the paths of its endpoints. */
export type AddressedIssuer = IssuerAddress & { authMethodId: string; apiId: string; path: string };

export type SharedRows = {
  methods: SnapshotMethod[];
  apis: (Omit<SnapshotApi, 'introspectionSecretHash'> & { introspectionSecretHash: string | null })[];
  keys: SnapshotKey[];
  sealedSubjectSalt: string | null;
  keptSubjects: boolean | null;
  usernames: boolean | null;
  keptEpoch: number | null;
};

/** SQL: the members of a JSON object. */
const members = (columns: readonly Column[], table: string) =>
  columns.map((one) => `'${one.name}', ${columnValue(one, table)}`).join(', ');

/** SQL: one value, a SharedRows. */
export const SHARED = `json_build_object(
  'methods', (select coalesce(json_agg(json_build_object('id', id, 'type', type, 'name', ${displayed('name')}, 'config', config,
     'sealedSecret', sealed_secret, 'epoch', epoch::text,
     'groupRules', coalesce((select json_agg(json_build_object('group', g.id, 'claim', r -> 'claim', 'values', r -> 'values')
       order by g.id) from groups g, jsonb_array_elements(g.rules) r where r ->> 'auth_method' = auth_methods.id), '[]')) order by position, id), '[]') from auth_methods),
  'apis', (select coalesce(json_agg(json_build_object(
     ${members(API_COLUMNS, 'a')},
     'scopes', ${API_SCOPES},
     'authMethods', (select coalesce(json_agg(c.auth_method_id order by c.position, c.auth_method_id), '[]')
        from combinations c where c.api_id = a.id),
     'introspectionSecretHash', encode(introspection_secret_hash, 'hex'))
     order by position, id), '[]') from apis a),
  'keys', (select coalesce(json_agg(json_build_object('kid', kid, 'alg', alg, 'publicJwk', public_jwk,
     'sealedPrivate', sealed_private, 'signsFrom', signs_from, 'retiresAt', retires_at, 'retiredAt', retired_at)
     order by signs_from), '[]') from signing_keys),
  'sealedSubjectSalt', (select sealed_salt from subject_salt),
  'keptSubjects', (select kept_subjects from subject_salt),
  'usernames', (select usernames from subject_salt),
  'keptEpoch', (select kept_epoch from subject_salt))`;

export type SnapshotClientRow = Omit<SnapshotClient, 'secrets'> & {
  secrets: { hash: string; expiresAt: string | null; keptHash: string | null }[];
};

/** SQL: one value, a SnapshotClientRow, of the client `c`. */
export const CLIENT = `json_build_object(${members(CLIENT_COLUMNS, 'c')}, 'confidential', c.confidential,
  'applicationType', c.application_type, 'disabled', c.disabled_at is not null,
  'origin', c.origin, 'grantTypes', c.grant_types, 'documentReadAt', c.document_read_at,
  'identityChangedAt', c.identity_changed_at,
  'secrets', (select coalesce(json_agg(json_build_object('hash', encode(s.secret_hash, 'hex'),
     'expiresAt', s.expires_at, 'keptHash', s.kept_hash)), '[]') from client_secrets s where s.client_id = c.client_id),
  'subscriptions', (select coalesce(json_agg(json_build_object('apiId', s.api_id, 'state', s.state,
     'trusted', s.trusted, 'machine', s.machine, 'device', s.device, 'scopes', s.scopes, 'maxDays', s.max_days,
     'restricted', s.required_claim is not null)), '[]') from subscriptions s where s.client_id = c.client_id))`;

/** A newer version may have brought one whose kind this process does not know: it signs no one in here. */
function isKnown({ id, type }: SnapshotMethod): boolean {
  const known = METHOD_TYPES.includes(type);
  if (!known) log().warn({ auth_method: id, type }, 'a method of an unknown kind was left out');
  return known;
}

export function readShared(rows: SharedRows): Shared {
  const { methods, apis, keys, sealedSubjectSalt, keptSubjects, usernames, keptEpoch } = rows;
  const addressed = apis
    .flatMap((api) =>
      api.authMethods.flatMap((authMethodId) =>
        addressesOf(api, authMethodId).map((one) => ({
          ...one,
          authMethodId,
          apiId: api.id,
          path: new URL(formerIssuerBase(one.url)).pathname.replace(/^\/$/, ''),
        })),
      ),
    )
    .toSorted((one, other) => other.path.length - one.path.length);
  const issuersByHost = new Map<string, AddressedIssuer[]>();
  for (const one of addressed)
    for (const name of namesOf(one.url)) issuersByHost.set(name, [...(issuersByHost.get(name) ?? []), one]);
  return {
    methods: new Map(
      methods.filter(isKnown).map((method) => [method.id, { ...method, config: wholeConfig(method) }]),
    ),
    apis: new Map(apis.map((api) => [api.id, readApi(api)])),
    keys,
    sealedSubjectSalt,
    keptSubjects: keptSubjects ?? false,
    usernames: usernames ?? false,
    keptEpoch: keptEpoch ?? 0,
    issuersByAddress: new Map(addressed.map((one) => [one.url, one])),
    issuersByHost,
  };
}

/** A client may name the port that its scheme has anyway (RFC 9110 §7.2). */
function namesOf(address: string): string[] {
  const { host, port, protocol } = new URL(address);
  return port === '' ? [host, `${host}:${protocol === 'https:' ? 443 : 80}`] : [host];
}

function readApi(api: SharedRows['apis'][number]): SnapshotApi {
  const hash = api.introspectionSecretHash;
  return { ...underProfile(api), introspectionSecretHash: hash === null ? null : Buffer.from(hash, 'hex') };
}

export function snapshotClient(client: SnapshotClientRow): SnapshotClient {
  const secrets = client.secrets.map(({ hash, expiresAt, keptHash }) => ({
    keptHash,
    hash: Buffer.from(hash, 'hex'),
    expiresAt: expiresAt === null ? null : new Date(expiresAt),
  }));
  return { ...client, secrets };
}
