// A client of Keycloak as a client here. Redirect addresses with * are never carried: the exact ones are chosen.
import { isPrivateUse, originFault, redirectUriFault } from '#lib/registry/clients/redirect-rules.ts';
import { clientId, secretText } from '#lib/registry/fields/values.ts';
import type { Part } from '../reading/part.ts';

type Entry = Record<string, unknown>;
type ApplicationType = 'web' | 'browser' | 'native';

const LEFT_OUT = {
  'of Keycloak alone': [
    ...[
      'id',
      'surrogateAuthRequired',
      'alwaysDisplayInConsole',
      'notBefore',
      'frontchannelLogout',
      'nodeReRegistrationTimeout',
    ],
    ...[
      'protocol',
      'access',
      'authorizationServicesEnabled',
      'authorizationSettings',
      'registeredNodes',
      'type',
    ],
  ],
  'every client asks for the scopes that it needs': ['fullScopeAllowed'],
  'the implicit grant is none here': ['implicitFlowEnabled'],
  'the password grant needs a trusted subscription, which is for you to decide': [
    'directAccessGrantsEnabled',
  ],
  'people are asked for consent; a trusted subscription asks nobody': ['consentRequired'],
  'a sign-in follows the API': ['authenticationFlowBindingOverrides', 'defaultRoles'],
  'is not shown here': ['description', 'adminUrl'],
};

/** Null: it does not come along. */
export function keycloakClient(client: Part, apiIds: () => unknown[]): Entry | null {
  for (const [reason, keys] of Object.entries(LEFT_OUT)) client.leaveOutAll(keys, reason);
  const id = idOf(client, apiIds);
  if (id === null) return null;
  const isPublic = client.flag('publicClient') === true;
  const uris = client.texts('redirectUris');
  const type = !isPublic ? 'web' : uris.some((uri) => !/^https?:|^\/|^\*$/i.test(uri)) ? 'native' : 'browser';
  const name = client.text('name');
  const made: Entry = { client_id: id, client_name: name && !/^\$\{/.test(name) ? name : id };
  if (isPublic) made['application_type'] = type;
  else made['confidential'] = true;
  if (isPublic)
    client.say('changed', 'publicClient', `is taken for a ${type} client, by its redirect addresses`);
  if (client.flag('enabled') === false) made['disabled'] = true;
  const hasCode = client.flag('standardFlowEnabled') !== false;
  const addresses = client.part('redirectUris');
  made['redirect_uris'] = hasCode ? addressesOf(addresses, client.text('rootUrl'), type) : [];
  if (!hasCode) {
    client.say(
      'changed',
      'standardFlowEnabled',
      'people did not sign in by it: it has no redirect addresses',
    );
    client.leaveOutAll(['redirectUris', 'rootUrl'], 'standardFlowEnabled is false');
  }
  readAuthentication(client, made, isPublic);
  readOrigins(client, made, type);
  readAttributes(client.part('attributes'), made, type);
  client.leaveOut('baseUrl', 'is not shown here');
  const all = ['redirect_uris', 'post_logout_redirect_uris'].flatMap((key) => (made[key] as string[]) ?? []);
  if (!isPublic && all.some(isPrivateUse)) made['private_use_schemes'] = true;
  return made;
}

function idOf(client: Part, apiIds: () => unknown[]): string | null {
  const id = client.text('clientId');
  const isFree = (given: unknown): given is string =>
    clientId.safeParse(given).success && !apiIds().includes(given);
  if (isFree(id)) return id;
  return (
    client.decide('clientId', `${id} can be no client_id here: name another`, (answer) =>
      isFree(answer) ? answer : undefined,
    ) ?? null
  );
}

function addressesOf(list: Part, root: string | undefined, type: ApplicationType): string[] {
  const found = list.keys().flatMap((at) => {
    const given = list.text(at) ?? '';
    const whole = given.startsWith('/') && root ? `${root.replace(/\/$/, '')}${given}` : given;
    const fault = redirectUriFault(whole, type, true);
    if (fault === null && whole !== given) list.say('changed', at, `is ${whole}`);
    if (fault === null) return [whole];
    return (
      list.decide(at, `${given} ${fault}: name the exact addresses`, (answer) => exactUris(answer, type)) ??
      []
    );
  });
  return [...new Set(found)];
}

/** One address, or a list of them. */
function exactUris(answer: unknown, type: ApplicationType): string[] | undefined {
  const all: unknown[] = Array.isArray(answer) ? answer : [answer];
  const texts = all.filter(
    (one): one is string => typeof one === 'string' && redirectUriFault(one, type, true) === null,
  );
  return texts.length === all.length && texts.length > 0 ? texts : undefined;
}

function readAuthentication(client: Part, made: Entry, isPublic: boolean): void {
  const by = client.text('clientAuthenticatorType') ?? 'client-secret';
  const secret = client.text('secret');
  const attributes = client.part('attributes');
  const keys = attributes.text('jwks.url');
  if (isPublic) client.leaveOutAll(['secret', 'clientAuthenticatorType'], 'a public client has none');
  else if (by === 'client-jwt' && keys !== undefined) {
    made['token_endpoint_auth_method'] = 'private_key_jwt';
    made['jwks_uri'] = keys;
    client.leaveOut('secret', 'it has keys');
  } else if (by !== 'client-secret') {
    client.leaveOut('clientAuthenticatorType', `${by}: give it a secret, or its keys`);
    client.leaveOut('secret', `it used ${by}`);
  } else if (secret !== undefined) {
    if (secretText.safeParse(secret).success) made['client_secret'] = secret;
    else client.leaveOut('secret', 'can be no secret here: make a new one');
  }
}

function readOrigins(client: Part, made: Entry, type: ApplicationType): void {
  const list = client.part('webOrigins');
  const origins = list.keys().flatMap((at) => {
    const origin = list.text(at) ?? '';
    if (origin === '+') list.leaveOut(at, 'the origins of the redirect addresses are allowed anyway');
    else if (type !== 'browser') list.leaveOut(at, 'only a client in the browser has origins');
    else if (originFault(origin) === null) return [origin];
    else list.leaveOut(at, `${origin} ${originFault(origin)}`);
    return [];
  });
  if (origins.length > 0) made['allowed_origins'] = origins;
}

function readAttributes(attributes: Part, made: Entry, type: ApplicationType): void {
  const afterwards = attributes.text('post.logout.redirect.uris')?.split('##') ?? [];
  const uris = afterwards.flatMap((uri) => (uri === '+' ? (made['redirect_uris'] as string[]) : [uri]));
  const exact = uris.filter((uri) => uri !== '-' && redirectUriFault(uri, type, true) === null);
  if (exact.length < uris.length)
    attributes.say('changed', 'post.logout.redirect.uris', 'only exact addresses come along');
  if (exact.length > 0) made['post_logout_redirect_uris'] = [...new Set(exact)];
  const logout = attributes.text('backchannel.logout.url');
  if (logout !== undefined && URL.canParse(logout) && /^https:/i.test(logout))
    made['backchannel_logout_uri'] = logout;
  else attributes.leaveOut('backchannel.logout.url', 'must be https');
  for (const [key, theirs] of [
    ['logo_uri', 'logoUri'],
    ['tos_uri', 'tosUri'],
    ['policy_uri', 'policyUri'],
  ] as const) {
    const address = attributes.text(theirs);
    if (address !== undefined && /^https?:\/\/\S+$/.test(address) && URL.canParse(address))
      made[key] = address;
    else attributes.leaveOut(theirs, 'is no address');
  }
  if (attributes.text('require.pushed.authorization.requests') === 'true')
    made['require_pushed_authorization_requests'] = true;
}
