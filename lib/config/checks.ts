// Rules that concern several fields or objects. They read the raw document, which may have any shape, so that their
// faults are reported together with those of schema.ts.

import { ownWordFault } from '#lib/accounts/password-policy.ts';
import {
  BUILT_IN_API,
  type Decidable,
  decidesFor,
  namedGroups,
  profileExcludes,
} from '#lib/catalogue/apis/definition.ts';
import { addressFaults, authenticationFaults, kindOf } from '#lib/catalogue/clients/definition.ts';
import { authMethodFaults } from '#lib/catalogue/methods/definition.ts';
import { METHOD_KINDS } from '#lib/catalogue/methods/kinds.ts';
import {
  type ClaimFault,
  claimFault,
  METHOD_TYPES,
  methodCan,
  requiredClaimFaultAt,
} from '#lib/catalogue/methods/questions.ts';
import { deviceFault, machineFault, trustFault } from '#lib/catalogue/subscriptions/definition.ts';
import { canonicalEmail } from '#lib/kit/text.ts';
import { wordsOf } from '#lib/language/words.ts';
import { claimFaultAt } from '#lib/management/consequences.ts';
import { MANAGEMENT_SCOPES } from '#lib/management/policy.ts';
import { plainName } from '#lib/registry/definition.ts';
import {
  answeredAt,
  formerIssuerBase,
  hostOf,
  ISSUER_LAYOUTS,
  type IssuerLayout,
  issuerHostFaults,
} from '#lib/registry/issuers.ts';
import { keyOrSecretText, passwordText, secretText } from '#lib/registry/values.ts';

export type PathPart = string | number;
export type FileFinding = { path: PathPart[]; message: string };
type Found = (path: PathPart[], message: string) => unknown;
export type Environment = Record<string, string | undefined>;
export type Raw = Record<string, unknown>;

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
function email(value: unknown): string | undefined {
  return typeof value === 'string' ? canonicalEmail(value.trim()) : undefined;
}
const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Creates a function that returns the items of a list for which `is` is true, each with its index. */
const itemsOf =
  <Kind>(is: (item: unknown) => item is Kind) =>
  (value: unknown): [number, Kind][] =>
    Array.isArray(value) ? [...value.entries()].filter((entry): entry is [number, Kind] => is(entry[1])) : [];
const strings = itemsOf((item): item is string => typeof item === 'string');
const objects = itemsOf(isObject);

// References to groups: the file must define the group, and the method in a rule must provide claims.

function checkGroups(document: Raw, report: Found): void {
  const groupIds = new Set(objects(document.groups).map(([, group]) => group.id));
  const methods = new Map(objects(document.auth_methods).map(([, method]) => [method.id, method]));
  for (const [index, group] of objects(document.groups)) {
    for (const [place, rule] of objects(group.from)) {
      const method = methods.get(rule.auth_method);
      const fault = ruleFault(method, String(rule.auth_method));
      if (typeof rule.auth_method === 'string' && fault !== null)
        report(['groups', index, 'from', place, 'auth_method'], fault);
      else if (method)
        findWeakRule(method, rule, (path, message) =>
          report(['groups', index, 'from', place, ...path], message),
        );
    }
  }
  for (const [index, api] of objects(document.apis)) {
    for (const { path, id } of namedGroups(askedIn(api))) {
      if (!groupIds.has(id)) report(['apis', index, ...path], `the group ${id} is not in this file`);
    }
  }
  for (const [index, person] of objects(document.users)) {
    for (const [place, id] of strings(person.groups)) {
      if (!groupIds.has(id)) report(['users', index, 'groups', place], `the group ${id} is not in this file`);
    }
  }
}

function ruleFault(method: Raw | undefined, id: string): string | null {
  if (!method) return `the authentication method ${id} is not in this file`;
  const isOurs = typeof method.type === 'string' && methodCan({ type: method.type }, 'hasAccounts');
  return isOurs ? `${id} provides no data about people: use users[].groups` : null;
}

const texts = (value: unknown): string[] => strings(value).map(([, one]) => one);

/** Groups to which an API of the file refers. The API can have any shape, because validation runs later. */
const askedIn = (api: Raw) => ({
  groups: texts(api.groups),
  groupsClaim: [],
  scopes: Array.isArray(api.scopes)
    ? api.scopes.map((scope: unknown) => ({ name: '', groups: isObject(scope) ? texts(scope.groups) : [] }))
    : [],
  roles: isObject(api.roles)
    ? Object.fromEntries(Object.entries(api.roles).map(([role, ids]) => [role, texts(ids)]))
    : null,
});

/** Rejects a rule on a claim whose value users can influence. */
function findWeakRule(method: Raw, { claim, values }: Raw, report: Found): void {
  const methodConfig = methodIn(method);
  const rule = { claim: text(claim) ?? '', values: texts(values) };
  const fault = methodConfig && claimFault(methodConfig, rule);
  if (fault) tell(fault, String(method.id), { claim: ['claim'], values: ['values'] }, report);
}

/** Checks that the methods of the API can prove `required_claim` of a subscription. */
function findWeakClaim(methods: readonly Raw[], required: unknown, report: Found): void {
  if (!isObject(required)) return;
  const claim = { name: text(required.name) ?? '', values: texts(required.values) };
  for (const method of methods) {
    const methodConfig = methodIn(method);
    const fault = methodConfig && requiredClaimFaultAt(methodConfig, claim);
    const at = (key: string) => ['required_claim', key];
    if (!fault) continue;
    tell(fault, String(method.id), { claim: at('name'), values: at('values') }, report);
    return;
  }
}

function tell(
  fault: ClaimFault,
  method: string,
  path: { claim: PathPart[]; values: PathPart[] },
  report: Found,
): void {
  const { message } = claimFaultAt(method, fault, { claim: '', values: '' });
  report(fault.kind === 'personal' ? path.claim : [...path.values, fault.at], message);
}

function methodIn({ type, ...config }: Raw) {
  const methodType = METHOD_TYPES.find((name) => name === type);
  return methodType && { type: methodType, config };
}

// Further addresses of issuers, across all APIs in the file: separate hosts and former issuers.

/** Separate hosts of this API's issuers. */
const hostsOf = ({ issuer_hosts: hosts }: Raw): string[] =>
  isObject(hosts)
    ? Object.values(hosts).flatMap((origin) => (typeof origin === 'string' ? [hostOf(origin)] : []))
    : [];

const layoutOf = ({ layout }: Raw): IssuerLayout =>
  ISSUER_LAYOUTS.find((issuerLayout) => issuerLayout === layout) ?? 'same';

function checkIssuerAddresses(document: Raw, report: Found): void {
  const holders = new Map<string, number>();
  /** keyed by every address at which Gatehouse answers for the issuer */
  const formers = new Map<string, { index: number; issuer: string }>();
  for (const [index, api] of objects(document.apis)) {
    const at: Found = (path, message) => report(['apis', index, ...path], message);
    const listed = strings(api.auth_methods);
    const hosts = isObject(api.issuer_hosts) ? Object.entries(api.issuer_hosts) : [];
    const origins = hosts.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const apiFields = { authMethods: listed.map(([, id]) => id), issuerHosts: Object.fromEntries(origins) };
    for (const { method, message } of issuerHostFaults(apiFields, [])) at(['issuer_hosts', method], message);
    for (const [method, origin] of origins) {
      const before = holders.get(hostOf(origin));
      holders.set(hostOf(origin), before ?? index);
      if (before !== undefined && before !== index)
        at(['issuer_hosts', method], `the same host as in apis[${before}]`);
    }
    for (const [place, one] of objects(api.former_issuers)) {
      const issuer = text(one.issuer) ?? '';
      const addresses = answeredAt({ issuer, layout: layoutOf(one) });
      const shared = addresses.find((address) => (formers.get(address)?.index ?? index) !== index);
      const other = formers.get(shared ?? '');
      if (other && formerIssuerBase(other.issuer) === formerIssuerBase(issuer))
        at(['former_issuers', place, 'issuer'], `the same issuer as in apis[${other.index}]`);
      else if (other)
        at(
          ['former_issuers', place, 'issuer'],
          `${other.issuer} of apis[${other.index}] also uses the address ${shared}`,
        );
      for (const address of addresses) if (!formers.has(address)) formers.set(address, { index, issuer });
      const host = URL.parse(issuer)?.host ?? '';
      const holder = objects(document.apis).find(
        ([nth, one]) => nth !== index && hostsOf(one).includes(host),
      );
      if (holder)
        at(['former_issuers', place, 'issuer'], `must not be at a host of an issuer of apis[${holder[0]}]`);
    }
  }
}

// Secrets in the file, set directly as `x` or through a variable that `x_env` names: allowed characters and minimum
// lengths.

type SecretField = {
  section: string;
  key: string;
  value: typeof secretText;
  leastLength: number | 'password';
  /** key that contains the secret, within the item */
  within?: string;
};

/** `leastLength`: a shorter secret causes a warning. 0: another service chose the secret. */
export const SECRET_FIELDS: readonly SecretField[] = [
  ...[...new Set(METHOD_KINDS.flatMap(({ secret }) => (secret && !secret.within ? secret.key : [])))].map(
    (key) => ({
      section: 'auth_methods',
      key,
      value: secretText,
      leastLength: 0,
    }),
  ),
  ...METHOD_KINDS.flatMap(({ secret }) =>
    secret?.signing
      ? [
          {
            section: 'auth_methods',
            key: secret.signing.key,
            within: secret.signing.in,
            value: keyOrSecretText,
            leastLength: 0,
          },
        ]
      : [],
  ),
  ...METHOD_KINDS.flatMap(({ secret }) =>
    secret?.within
      ? [
          {
            section: 'auth_methods',
            key: secret.key,
            within: secret.within,
            value: secretText,
            leastLength: 0,
          },
        ]
      : [],
  ),
  { section: 'apis', key: 'introspection_secret', value: secretText, leastLength: 16 },
  { section: 'clients', key: 'client_secret', value: secretText, leastLength: 16 },
  { section: 'users', key: 'password', value: passwordText, leastLength: 'password' },
];

type Given = { path: (string | number)[]; key: string; item: Raw; field: SecretField };

/** Finds every secret in the file, set directly or through a variable. */
function secretsIn(document: Raw): Given[] {
  return SECRET_FIELDS.flatMap((field) =>
    objects(document[field.section]).flatMap(([index, whole]) => {
      const { within } = field;
      const item = within === undefined ? whole : whole[within];
      if (!isObject(item)) return [];
      const path = [field.section, index, ...(within === undefined ? [] : [within])];
      return [field.key, `${field.key}_env`]
        .filter((key) => key in item)
        .map((key): Given => ({ path: [...path, key], key, item, field }));
    }),
  );
}

const isVariable = ({ key, field }: Given) => key !== field.key;

function secretOf(secretEntry: Given, env: Environment): string | undefined {
  const written = text(secretEntry.item[secretEntry.key]);
  return isVariable(secretEntry) && written ? env[written] : written;
}

/** Checks the secrets in the file. `host`: the host name of the service, if it is known. */
function checkSecrets(
  document: Raw,
  { env, host }: { env: Environment; host: string | null },
  report: Found,
): void {
  for (const secretEntry of secretsIn(document)) {
    const { path, item, field } = secretEntry;
    if (isVariable(secretEntry)) {
      const message =
        field.key in item ? `cannot be combined with ${field.key}` : variableFault(secretEntry, env);
      if (message !== null) report(path, message);
    }
    const password = secretOf(secretEntry, env);
    if (field.section !== 'users' || !password) continue;
    const owner = { email: text(item.email) ?? null, name: text(item.name) ?? '', host };
    const wrong = ownWordFault(password, owner);
    if (wrong !== null) report(path, wordsOf('en').told(wrong));
  }
}

/** Checks the value of a variable with the rule in schema.ts, without repeating the value. */
function variableFault(secretEntry: Given, env: Environment): string | null {
  const name = text(secretEntry.item[secretEntry.key]);
  if (!name) return null;
  if (!env[name]) return `the environment variable ${name} is not set`;
  const parseResult = secretEntry.field.value.safeParse(env[name]);
  return parseResult.success
    ? null
    : `the environment variable ${name} ${parseResult.error.issues[0]?.message}`;
}

/**
 * Finds secrets that are easy to guess. They are accepted with a warning. `leastPassword`: minimum length in
 * characters.
 */
export function shortSecrets(document: unknown, env: Environment, leastPassword: number): FileFinding[] {
  if (!isObject(document)) return [];
  return secretsIn(document).flatMap((secretEntry) => {
    const { leastLength } = secretEntry.field;
    const least = leastLength === 'password' ? leastPassword : leastLength;
    const value = secretOf(secretEntry, env);
    if (value === undefined || [...value].length >= least) return [];
    return [{ path: secretEntry.path, message: `is shorter than ${least} characters` }];
  });
}

/** Applies all rules of this module. `host`: the host name of the service, if it is known. */
export function crossCheck(document: unknown, env: Environment, host: string | null): FileFinding[] {
  if (!isObject(document)) return [];
  const findings: FileFinding[] = [];
  const addFinding: Found = (path, message) => findings.push({ path, message });
  checkSecrets(document, { env, host }, addFinding);
  checkDuplicates(document, addFinding);
  checkMethods(document, addFinding);
  checkGroups(document, addFinding);
  checkApis(document, addFinding);
  checkIssuerAddresses(document, addFinding);
  checkClients(document, addFinding);
  checkSubscriptions(document, addFinding);
  return findings;
}

/** Calls `again` for each value that already occurred earlier in the list. */
function findRepeats(
  values: [number, string | undefined][],
  again: (at: number, value: string, first: number) => void,
): void {
  const seen = new Map<string, number>();
  for (const [at, value] of values) {
    if (value === undefined) continue;
    const first = seen.get(value);
    if (first === undefined) seen.set(value, at);
    else again(at, value, first);
  }
}

function checkDuplicates(document: Raw, report: Found): void {
  const once = (section: string, key: string, value: (item: Raw) => string | undefined) =>
    findRepeats(
      objects(document[section]).map(([at, item]) => [at, value(item)]),
      (at, _, first) => report([section, at, key], `the same as in ${section}[${first}]`),
    );
  once('auth_methods', 'id', (item) => text(item.id));
  once('groups', 'id', (item) => text(item.id));
  once('apis', 'id', (item) => text(item.id));
  once('apis', 'url', (item) => text(item.url));
  once('clients', 'client_id', (item) => text(item.client_id));
  once('users', 'email', (item) => email(item.email));
  once('subscriptions', 'api', (item) => {
    const [client, api] = [text(item.client_id), text(item.api)];
    return client && api ? `${client} ${api}` : undefined;
  });
}

function checkMethods(document: Raw, report: Found): void {
  for (const [index, method] of objects(document.auth_methods)) {
    for (const { path, message } of authMethodFaults(method))
      report(['auth_methods', index, ...path], message);
  }
}

function checkApis(document: Raw, report: Found): void {
  const methods = new Set(objects(document.auth_methods).map(([, method]) => method.id));
  for (const [index, api] of objects(document.apis)) {
    const at: Found = (path, message) => report(['apis', index, ...path], message);
    if (api.id === BUILT_IN_API) at(['id'], `must not be ${BUILT_IN_API}: this API is built in`);
    const listed = strings(api.auth_methods);
    for (const [place, id] of listed) {
      if (!methods.has(id))
        at(['auth_methods', place], `the authentication method ${id} is not in this file`);
    }
    findRepeats(
      listed.filter(([, id]) => methods.has(id)),
      (place, id) => at(['auth_methods', place], `${id} is listed twice`),
    );
    const names = objects(api.scopes).map(([place, scope]): [number, string | undefined] => [
      place,
      text(scope.name),
    ]);
    const scopeNames = new Set(names.map(([, name]) => name));
    for (const [place, rule] of objects(api.auto_approve)) {
      for (const [nth, name] of strings(rule.scopes)) {
        if (!scopeNames.has(name))
          at(['auto_approve', place, 'scopes', nth], `this API has no scope ${name}`);
      }
    }
    findRepeats(names, (place, name) => at(['scopes', place, 'name'], `${name} is listed twice`));
  }
}

function checkClients(document: Raw, report: Found): void {
  const apis = new Set(objects(document.apis).map(([, api]) => api.id));
  for (const [index, client] of objects(document.clients)) {
    const at: Found = (path, message) => report(['clients', index, ...path], message);
    const confidential = client.confidential === true;
    const type = client.application_type;
    if (apis.has(client.client_id) || client.client_id === BUILT_IN_API)
      at(['client_id'], 'must not be the id of an API');
    if (confidential && (type === 'browser' || type === 'native')) {
      at(['application_type'], `a ${type} client is public: omit confidential or application_type`);
    }
    if (!confidential && type === undefined)
      at(['application_type'], 'is missing: set it to browser or native for a public client');
    if (!confidential && type === 'web')
      at(['application_type'], 'must be browser or native if confidential is not true');
    const by = text(client.token_endpoint_auth_method) || null;
    for (const key of ['client_secret', 'client_secret_env', 'client_secret_hash']) {
      if (!confidential && key in client)
        at([key], 'a public client has no secret: set confidential, or omit this');
      else if (by === 'private_key_jwt' && key in client)
        at([key], 'a client with private_key_jwt has no secret: omit this');
    }
    if ('client_secret_hash' in client && ('client_secret' in client || 'client_secret_env' in client))
      at(['client_secret_hash'], 'cannot be combined with client_secret');
    const kind = kindOf({ confidential, applicationType: text(type) ?? '' });
    const texts = (value: unknown) => (Array.isArray(value) ? value.map((item) => text(item) ?? '') : []);
    const redirectUris = texts(client.redirect_uris);
    const allowedOrigins = texts(client.allowed_origins);
    const openId = {
      postLogoutRedirectUris: texts(client.post_logout_redirect_uris),
      backchannelLogoutUri: text(client.backchannel_logout_uri) ?? null,
      subjectType: client.subject_type === 'pairwise' ? ('pairwise' as const) : ('public' as const),
      sectorIdentifierUri: text(client.sector_identifier_uri) || null,
      idJagAudiences: texts(client.id_jag_audiences),
    };
    const privateUseSchemes = client.private_use_schemes === true;
    const addresses = { kind, redirectUris, allowedOrigins, privateUseSchemes, logoUri: null, ...openId };
    const authentication = {
      kind,
      tokenEndpointAuthMethod: by,
      jwks: client.jwks ?? null,
      jwksUri: text(client.jwks_uri) || null,
      tokenEndpointAsAudience: client.token_endpoint_as_audience === true,
      refreshTokenRotation: text(client.refresh_token_rotation) ?? '',
    };
    for (const { path, message } of [...addressFaults(addresses), ...authenticationFaults(authentication)])
      at(
        path.map((part) => (typeof part === 'string' ? plainName(part) : part)),
        message,
      );
  }
}

function checkSubscriptions(document: Raw, report: Found): void {
  const clients = new Map(objects(document.clients).map(([, client]) => [client.client_id, client]));
  const apis = new Map<unknown, Raw>(objects(document.apis).map(([, api]) => [api.id, api]));
  apis.set(BUILT_IN_API, { scopes: MANAGEMENT_SCOPES.map((name) => ({ name })) });
  const methods = new Map<unknown, Raw>(
    objects(document.auth_methods).map(([, method]) => [method.id, method]),
  );
  const people = new Map(objects(document.users).map(([, person]) => [email(person.email), person]));
  for (const [index, subscription] of objects(document.subscriptions)) {
    const at: Found = (path, message) => report(['subscriptions', index, ...path], message);
    const clientId = text(subscription.client_id);
    const client = clients.get(clientId);
    if (clientId && !client) at(['client_id'], `the client ${clientId} is not in this file`);
    const apiId = text(subscription.api);
    const api = apis.get(apiId);
    if (apiId && !api) at(['api'], `the API ${apiId} is not in this file`);
    const profile = text(api?.profile) ?? null;
    if (client && profileExcludes({ profile }, text(client.token_endpoint_auth_method) ?? null))
      at(['client_id'], `the API ${apiId} follows FAPI 2.0: it accepts only clients with private_key_jwt`);
    const names = new Set(objects(api?.scopes).map(([, scope]) => scope.name));
    for (const [place, scope] of strings(subscription.scopes)) {
      if (api && !names.has(scope) && !(subscription.device === true && scope === 'offline_access'))
        at(['scopes', place], `the API ${apiId} has no scope ${scope}`);
    }
    const untrusted = apiId && trustFault(apiId, subscription.trusted === true, null);
    if (untrusted) at(['trusted'], untrusted.message);
    const methodsAt = strings(api?.auth_methods).flatMap<Raw>(([, id]) => methods.get(id) ?? []);
    findWeakClaim(methodsAt, subscription.required_claim, at);
    const scopes = strings(subscription.scopes).map(([, scope]) => scope);
    const noDevice = apiId && deviceFault(apiId, subscription.device === true, null);
    if (noDevice) at(['device'], noDevice.message);
    const unbounded = apiId && machineFault(apiId, subscription.machine === true, scopes);
    if (unbounded) at(['scopes'], unbounded.message);
    const approver = email(subscription.approved_by);
    if (approver === undefined) continue;
    const approvers = strings(api?.approvers).map(([, address]) => canonicalEmail(address.trim()));
    const fault = approverFault(approver, people.get(approver), { api: apiId ?? '', approvers });
    if (fault) at(['approved_by'], fault);
  }
}

function approverFault(address: string, person: Raw | undefined, decidable: Decidable): string | null {
  if (!person) return `the user ${address} is not in this file`;
  if (person.disabled === true) return `${address} is disabled`;
  const roles = strings(person.roles).map(([, role]) => role);
  if (decidesFor({ email: address, roles }, decidable)) return null;
  if (decidable.api === BUILT_IN_API)
    return `${address} is not an administrator: only administrators can decide for this API`;
  if (!roles.includes('approver')) return `${address} is neither an administrator nor an approver`;
  return `${address} is not an approver of this API`;
}
