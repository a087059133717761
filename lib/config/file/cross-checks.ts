// Rules that concern several fields or several objects. They read the document as it came, of any shape, so that their
// faults are told together with those of schema.ts.
import { canonicalEmail } from '#lib/kit/text/email-address.ts';
import { MANAGEMENT_SCOPES } from '#lib/management/core/policy.ts';
import { addressFaults, kindOf } from '#lib/registry/clients/client.ts';
import { authenticationFaults } from '#lib/registry/clients/client-keys.ts';
import { plainName } from '#lib/registry/fields/definition.ts';
import { BUILT_IN_API, type Decidable, decidesFor } from '#lib/registry/objects/api.ts';
import { profileExcludes } from '#lib/registry/objects/api-tokens.ts';
import { authMethodFaults } from '#lib/registry/objects/auth-method.ts';
import { deviceFault, machineFault, trustFault } from '#lib/registry/objects/subscription-states.ts';
import { checkGroups, findWeakClaim } from './group-checks.ts';
import { checkIssuerAddresses } from './issuer-checks.ts';
import {
  type Environment,
  email,
  type FileFinding,
  type Found,
  isObject,
  objects,
  type Raw,
  strings,
  text,
} from './raw.ts';
import { checkSecrets } from './secret-fields.ts';

/** `host`: of this service, where it is known. */
export function crossCheck(document: unknown, env: Environment, host: string | null): FileFinding[] {
  if (!isObject(document)) return [];
  const findings: FileFinding[] = [];
  const found: Found = (path, message) => findings.push({ path, message });
  checkSecrets(document, { env, host }, found);
  checkDuplicates(document, found);
  checkMethods(document, found);
  checkGroups(document, found);
  checkApis(document, found);
  checkIssuerAddresses(document, found);
  checkClients(document, found);
  checkSubscriptions(document, found);
  return findings;
}

/** Calls `again` for each value that was there before. */
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

function checkDuplicates(document: Raw, found: Found): void {
  const once = (section: string, key: string, value: (item: Raw) => string | undefined) =>
    findRepeats(
      objects(document[section]).map(([at, item]) => [at, value(item)]),
      (at, _, first) => found([section, at, key], `the same as in ${section}[${first}]`),
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

function checkMethods(document: Raw, found: Found): void {
  for (const [index, method] of objects(document.auth_methods)) {
    for (const { path, message } of authMethodFaults(method))
      found(['auth_methods', index, ...path], message);
  }
}

function checkApis(document: Raw, found: Found): void {
  const methods = new Set(objects(document.auth_methods).map(([, method]) => method.id));
  for (const [index, api] of objects(document.apis)) {
    const at: Found = (path, message) => found(['apis', index, ...path], message);
    if (api.id === BUILT_IN_API) at(['id'], `must not be ${BUILT_IN_API}: that API is built in`);
    const listed = strings(api.auth_methods);
    for (const [place, id] of listed) {
      if (!methods.has(id))
        at(['auth_methods', place], `there is no authentication method ${id} in this file`);
    }
    findRepeats(
      listed.filter(([, id]) => methods.has(id)),
      (place, id) => at(['auth_methods', place], `${id} stands here twice`),
    );
    const names = objects(api.scopes).map(([place, scope]): [number, string | undefined] => [
      place,
      text(scope.name),
    ]);
    const known = new Set(names.map(([, name]) => name));
    for (const [place, rule] of objects(api.auto_approve)) {
      for (const [nth, name] of strings(rule.scopes)) {
        if (!known.has(name)) at(['auto_approve', place, 'scopes', nth], `this API has no scope ${name}`);
      }
    }
    findRepeats(names, (place, name) => at(['scopes', place, 'name'], `${name} stands here twice`));
  }
}

function checkClients(document: Raw, found: Found): void {
  const apis = new Set(objects(document.apis).map(([, api]) => api.id));
  for (const [index, client] of objects(document.clients)) {
    const at: Found = (path, message) => found(['clients', index, ...path], message);
    const confidential = client.confidential === true;
    const type = client.application_type;
    if (apis.has(client.client_id) || client.client_id === BUILT_IN_API)
      at(['client_id'], 'must not be the id of an API');
    if (confidential && (type === 'browser' || type === 'native')) {
      at(['application_type'], `a ${type} client is public: leave out confidential or application_type`);
    }
    if (!confidential && type === undefined)
      at(['application_type'], 'is missing: a public client is browser or native');
    if (!confidential && type === 'web')
      at(['application_type'], 'must be browser or native where confidential is not true');
    const by = text(client.token_endpoint_auth_method) || null;
    for (const key of ['client_secret', 'client_secret_env', 'client_secret_hash']) {
      if (!confidential && key in client)
        at([key], 'a public client has no secret: set confidential, or leave this out');
      else if (by === 'private_key_jwt' && key in client)
        at([key], 'a client with private_key_jwt has no secret: leave this out');
    }
    if ('client_secret_hash' in client && ('client_secret' in client || 'client_secret_env' in client))
      at(['client_secret_hash'], 'must not be beside client_secret');
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

function checkSubscriptions(document: Raw, found: Found): void {
  const clients = new Map(objects(document.clients).map(([, client]) => [client.client_id, client]));
  const apis = new Map<unknown, Raw>(objects(document.apis).map(([, api]) => [api.id, api]));
  apis.set(BUILT_IN_API, { scopes: MANAGEMENT_SCOPES.map((name) => ({ name })) });
  const methods = new Map<unknown, Raw>(
    objects(document.auth_methods).map(([, method]) => [method.id, method]),
  );
  const people = new Map(objects(document.users).map(([, person]) => [email(person.email), person]));
  for (const [index, subscription] of objects(document.subscriptions)) {
    const at: Found = (path, message) => found(['subscriptions', index, ...path], message);
    const clientId = text(subscription.client_id);
    const client = clients.get(clientId);
    if (clientId && !client) at(['client_id'], `there is no client ${clientId} in this file`);
    const apiId = text(subscription.api);
    const api = apis.get(apiId);
    if (apiId && !api) at(['api'], `there is no API ${apiId} in this file`);
    const profile = text(api?.profile) ?? null;
    if (client && profileExcludes({ profile }, text(client.token_endpoint_auth_method) ?? null))
      at(['client_id'], `the API ${apiId} keeps to FAPI 2.0: it takes only clients with private_key_jwt`);
    const names = new Set(objects(api?.scopes).map(([, scope]) => scope.name));
    for (const [place, scope] of strings(subscription.scopes)) {
      if (api && !names.has(scope) && !(subscription.device === true && scope === 'offline_access'))
        at(['scopes', place], `the API ${apiId} has no scope ${scope}`);
    }
    const untrusted = apiId && trustFault(apiId, subscription.trusted === true);
    if (untrusted) at(['trusted'], untrusted);
    const methodsAt = strings(api?.auth_methods).flatMap<Raw>(([, id]) => methods.get(id) ?? []);
    findWeakClaim(methodsAt, subscription.required_claim, at);
    const scopes = strings(subscription.scopes).map(([, scope]) => scope);
    const noDevice = apiId && deviceFault(apiId, subscription.device === true, null);
    if (noDevice) at(['device'], noDevice);
    const unbounded = apiId && machineFault(apiId, subscription.machine === true, scopes);
    if (unbounded) at(['scopes'], unbounded);
    const approver = email(subscription.approved_by);
    if (approver === undefined) continue;
    const approvers = strings(api?.approvers).map(([, address]) => canonicalEmail(address.trim()));
    const fault = approverFault(approver, people.get(approver), { api: apiId ?? '', approvers });
    if (fault) at(['approved_by'], fault);
  }
}

function approverFault(address: string, person: Raw | undefined, decidable: Decidable): string | null {
  if (!person) return `there is no user ${address} in this file`;
  if (person.disabled === true) return `${address} is disabled`;
  const roles = strings(person.roles).map(([, role]) => role);
  if (decidesFor({ email: address, roles }, decidable)) return null;
  if (decidable.api === BUILT_IN_API)
    return `${address} is no administrator: nobody else decides for this API`;
  if (!roles.includes('approver')) return `${address} is neither administrator nor approver`;
  return `${address} is not among the approvers of this API`;
}
