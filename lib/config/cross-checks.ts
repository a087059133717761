// Rules that concern several fields or several objects. They read the raw document, field by field and without
// trusting its shape, so that they report even where schema.ts has something to say too.
import { type Decidable, decidesFor, MANAGEMENT_SCOPES, ownWordFault } from '#lib/management/index.ts';
import {
  addressFaults,
  authMethodFaults,
  BUILT_IN_API,
  kindOf,
  plainName,
  trustFault,
} from '#lib/registry/index.ts';

export type PathPart = string | number;
export type FileFinding = { path: PathPart[]; message: string };
export type Environment = Record<string, string | undefined>;
type Raw = Record<string, unknown>;

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const email = (value: unknown) => text(value)?.trim().toLowerCase();
const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const strings = (value: unknown): [number, string][] =>
  Array.isArray(value)
    ? value.flatMap((item, index) => (typeof item === 'string' ? [[index, item] as [number, string]] : []))
    : [];
const objects = (value: unknown): [number, Raw][] =>
  Array.isArray(value)
    ? value.flatMap((item, index) => (isObject(item) ? [[index, item] as [number, Raw]] : []))
    : [];

const SECRETS: Record<string, string[]> = {
  auth_methods: ['verify_token', 'client_secret'],
  apis: ['introspection_secret'],
  clients: ['client_secret'],
  users: ['password'],
};

/** `host`: of this service, where it is known. */
export function crossCheck(document: unknown, env: Environment, host: string | null): FileFinding[] {
  if (!isObject(document)) return [];
  return [
    ...checkSecrets(document, env),
    ...checkDuplicates(document),
    ...checkMethods(document),
    ...checkApis(document),
    ...checkClients(document),
    ...checkSubscriptions(document),
    ...checkPasswords(document, env, host),
  ];
}

function checkSecrets(document: Raw, env: Environment): FileFinding[] {
  const found: FileFinding[] = [];
  for (const [section, keys] of Object.entries(SECRETS)) {
    for (const [index, item] of objects(document[section])) {
      for (const key of keys) {
        const name = text(item[`${key}_env`]);
        const path = [section, index, `${key}_env`];
        if (key in item && `${key}_env` in item)
          found.push({ path, message: `must not stand beside ${key}` });
        else if (name && !env[name])
          found.push({ path, message: `the environment variable ${name} is not set` });
      }
    }
  }
  return found;
}

function checkDuplicates(document: Raw): FileFinding[] {
  const found: FileFinding[] = [];
  const once = (section: string, key: string, value: (item: Raw) => string | undefined) => {
    const seen = new Map<string, number>();
    for (const [index, item] of objects(document[section])) {
      const id = value(item);
      if (id === undefined) continue;
      const first = seen.get(id);
      const path = [section, index, key];
      if (first !== undefined) found.push({ path, message: `the same as in ${section}[${first}]` });
      else seen.set(id, index);
    }
  };
  once('auth_methods', 'id', (item) => text(item.id));
  once('apis', 'id', (item) => text(item.id));
  once('apis', 'url', (item) => text(item.url));
  once('clients', 'client_id', (item) => text(item.client_id));
  once('users', 'email', (item) => email(item.email));
  once('subscriptions', 'api', (item) => {
    const [client, api] = [text(item.client_id), text(item.api)];
    return client && api ? `${client} ${api}` : undefined;
  });
  return found;
}

function checkMethods(document: Raw): FileFinding[] {
  return objects(document.auth_methods).flatMap(([index, method]) =>
    authMethodFaults(method).map(({ path, message }) => ({
      path: ['auth_methods', index, ...path],
      message,
    })),
  );
}

function checkApis(document: Raw): FileFinding[] {
  const found: FileFinding[] = [];
  const methods = new Set(objects(document.auth_methods).map(([, method]) => method.id));
  for (const [index, api] of objects(document.apis)) {
    if (api.id === BUILT_IN_API)
      found.push({
        path: ['apis', index, 'id'],
        message: `must not be ${BUILT_IN_API}: that API is built in`,
      });
    const seen = new Set<string>();
    for (const [at, id] of strings(api.auth_methods)) {
      const path = ['apis', index, 'auth_methods', at];
      if (!methods.has(id))
        found.push({ path, message: `there is no authentication method ${id} in this file` });
      else if (seen.has(id)) found.push({ path, message: `${id} stands here twice` });
      seen.add(id);
    }
    const names = new Set<string>();
    for (const [at, scope] of objects(api.scopes)) {
      const name = text(scope.name);
      if (name === undefined) continue;
      if (names.has(name))
        found.push({ path: ['apis', index, 'scopes', at, 'name'], message: `${name} stands here twice` });
      names.add(name);
    }
  }
  return found;
}

function checkClients(document: Raw): FileFinding[] {
  const found: FileFinding[] = [];
  const apis = new Set(objects(document.apis).map(([, api]) => api.id));
  for (const [index, client] of objects(document.clients)) {
    const at = (path: PathPart[], message: string) =>
      found.push({ path: ['clients', index, ...path], message });
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
    for (const key of ['client_secret', 'client_secret_env']) {
      if (!confidential && key in client)
        at([key], 'a public client has no secret: set confidential, or leave this out');
    }
    const kind = kindOf({ confidential, applicationType: String(type) });
    const texts = (value: unknown) => (Array.isArray(value) ? value.map((item) => text(item) ?? '') : []);
    const redirectUris = texts(client.redirect_uris);
    const allowedOrigins = texts(client.allowed_origins);
    for (const { path, message } of addressFaults({ kind, redirectUris, allowedOrigins, logoUri: null }))
      at(
        path.map((part) => (typeof part === 'string' ? plainName(part) : part)),
        message,
      );
  }
  return found;
}

function checkSubscriptions(document: Raw): FileFinding[] {
  const found: FileFinding[] = [];
  const clients = new Set(objects(document.clients).map(([, client]) => client.client_id));
  const apis = new Map<unknown, Raw>(objects(document.apis).map(([, api]) => [api.id, api]));
  apis.set(BUILT_IN_API, { scopes: MANAGEMENT_SCOPES.map((name) => ({ name })) });
  const people = new Map(objects(document.users).map(([, person]) => [email(person.email), person]));
  for (const [index, subscription] of objects(document.subscriptions)) {
    const at = (path: PathPart[], message: string) =>
      found.push({ path: ['subscriptions', index, ...path], message });
    const clientId = text(subscription.client_id);
    if (clientId && !clients.has(clientId)) at(['client_id'], `there is no client ${clientId} in this file`);
    const apiId = text(subscription.api);
    const api = apis.get(apiId);
    if (apiId && !api) at(['api'], `there is no API ${apiId} in this file`);
    const names = new Set(objects(api?.scopes).map(([, scope]) => scope.name));
    for (const [place, scope] of strings(subscription.scopes)) {
      if (api && !names.has(scope)) at(['scopes', place], `the API ${apiId} has no scope ${scope}`);
    }
    const untrusted = apiId && trustFault(apiId, subscription.trusted === true);
    if (untrusted) at(['trusted'], untrusted);
    const approver = email(subscription.approved_by);
    if (approver === undefined) continue;
    const person = people.get(approver);
    const roles = strings(person?.roles).map(([, role]) => role);
    const approvers = strings(api?.approvers).map(([, address]) => address.trim().toLowerCase());
    const fault = approverFault(approver, {
      exists: person !== undefined,
      disabled: person?.disabled === true,
      roles,
      decidable: { api: apiId ?? '', approvers },
    });
    if (fault) at(['approved_by'], fault);
  }
  return found;
}

function approverFault(
  email: string,
  facts: { exists: boolean; disabled: boolean; roles: string[]; decidable: Decidable },
): string | null {
  if (!facts.exists) return `there is no user ${email} in this file`;
  if (facts.disabled) return `${email} is disabled`;
  const { roles, decidable } = facts;
  if (decidesFor({ email, roles }, decidable)) return null;
  if (decidable.api === BUILT_IN_API) return `${email} is no administrator: nobody else decides for this API`;
  if (!roles.includes('approver')) return `${email} is neither administrator nor approver`;
  return `${email} is not among the approvers of this API`;
}

function checkPasswords(document: Raw, env: Environment, host: string | null): FileFinding[] {
  return objects(document.users).flatMap(([index, person]) => {
    const owner = { email: text(person.email) ?? null, name: text(person.name) ?? '', host };
    return ['password', 'password_env'].flatMap((key) => {
      const given = text(person[key]);
      const password = key === 'password' || given === undefined ? given : env[given];
      const message = password ? ownWordFault(password, owner) : null;
      return message === null ? [] : [{ path: ['users', index, key], message }];
    });
  });
}
