// Methods of wicked's authorization servers, with the same subjects where they are ours.
import type { Part } from '../reading/part.ts';
import type { Registry } from '../writing/registry-file.ts';
import { idOfName } from '../writing/values.ts';
import type { WickedFiles } from './wicked-files.ts';

type Entry = Record<string, unknown>;
/** `path`: of its server, such as /auth. */
type Method = { id: string; groupField: string | null; path: string | null };
/** By `server:method`, as an API names it. */
export type Methods = Map<string, Method>;

/** Those of this name, as a person's customId has it: one of each server. */
export const methodsCalled = (methods: Methods, name: string): Method[] =>
  [...methods].flatMap(([key, method]) => (key.slice(key.indexOf(':') + 1) === name ? [method] : []));

const OF_OAUTH = [
  'errorLink',
  'errorLinkDescription',
  'doesNotSupportPrompt',
  'forwardState',
  'firstNameField',
  'lastNameField',
];

export async function readMethods(files: WickedFiles, registry: Registry): Promise<Methods> {
  const methods: Methods = new Map();
  for await (const { name: server, part } of files.of('auth-servers')) {
    const uri = part.part('config').part('api').part('uris').text('0');
    const path = uri === undefined ? null : uri.replace(/\/$/, '');
    part.ignoreAll(['id', 'name', 'desc', 'config'], 'of its gateway alone');
    for (const method of part.parts('authMethods')) {
      const name = method.text('name') ?? '';
      const made = methodOf(method, name, server, registry);
      if (made === null) continue;
      registry.auth_methods.push(made.entry);
      methods.set(`${server}:${name}`, {
        ...{ id: String(made.entry['id']), groupField: made.groupField },
        path,
      });
    }
    part.note();
  }
  return methods;
}

function methodOf(method: Part, name: string, server: string, registry: Registry) {
  const taken = registry.auth_methods.map((one) => one['id']);
  const id = [name, `${server}-${name}`].map(idOfName).find((one) => one !== null && !taken.includes(one));
  const type = method.text('type') ?? name;
  if (method.flag('enabled') === false) method.sayOfAll('left out', `${name} is switched off`);
  else if (id == null) method.sayOfAll('left out', `${name} can be no id of a method`);
  else {
    const config = method.part('config');
    const settings = settingsOf(method, config, type);
    if (settings !== null) {
      method.leaveOutAll(['friendlyLong', 'protected'], 'is not shown here');
      if (settings['type'] === 'broker')
        method.say('changed', 'name', `register /auth/callback/${id} there before the move`);
      return {
        entry: { id, name: method.text('friendlyShort') ?? name, ...settings },
        groupField: config.text('groupField') ?? null,
      };
    }
  }
  return null;
}

/** Null: it does not come along. */
function settingsOf(method: Part, config: Part, type: string): Entry | null {
  if (type === 'local') {
    config.leaveOutAll(['disableSignup', 'trustUsers'], 'set registration of the method');
    return { type: 'local' };
  }
  if (type === 'external') {
    const verify = config.text('validateUserPassUrl');
    config.leaveOutAll(
      ['allowRefreshUrl', 'forgotPasswordUrl', 'usernamePrompt', 'passwordPrompt'],
      'is not asked for here',
    );
    if (verify !== undefined && /^https:\/\//.test(verify)) return { type: 'external', verify_url: verify };
    const chosen = config.decide('validateUserPassUrl', 'must be an https address', (answer) =>
      typeof answer === 'string' && /^https:\/\/\S+$/.test(answer) ? answer : undefined,
    );
    return chosen == null ? null : { type: 'external', verify_url: chosen };
  }
  const isX = type === 'twitter';
  const [client, secret] = isX ? registeredAtX(config) : [config.text('clientId'), secretOf(config)];
  const isOpen = isX && (client === undefined || secret === undefined);
  const own = isOpen ? undefined : client === undefined ? null : endsOf(config, type);
  if (own === null) {
    method.sayOfAll('left out', `${type} is to be written by hand (docs/brokers.md)`);
    return null;
  }
  return own === undefined
    ? null
    : {
        type: 'broker',
        ...own,
        client_id: client,
        ...(secret !== undefined && { client_secret: secret }),
        ...(config.flag('trustUsers') === true && { trust_email: true }),
      };
}

/** wicked spoke OAuth 1.0a there, whose keys are of no use here. The ids of people are the same. */
function registeredAtX(config: Part): (string | undefined)[] {
  return Object.entries({ consumerKey: 'client id', consumerSecret: 'client secret' }).map(([key, what]) => {
    const question = `X needs a new registration, for OAuth 2.0: name its ${what}`;
    const read = (answer: unknown) => (typeof answer === 'string' && answer !== '' ? answer : undefined);
    return config.decide(key, question, read) ?? undefined;
  });
}

/** A variable without a value is no secret. */
function secretOf(config: Part): string | undefined {
  const secret = config.text('clientSecret');
  if (secret === undefined || !/^\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})$/.test(secret)) return secret;
  const question = `no file in env has ${secret}, nor the environment, of which only PORTAL_ is read: name it`;
  return (
    config.decide('clientSecret', question, (answer) =>
      typeof answer === 'string' && answer !== '' ? answer : undefined,
    ) ?? undefined
  );
}

/** Undefined: it is still to be decided. Null: this kind is not known here. */
function endsOf(config: Part, type: string): Entry | null | undefined {
  if (type === 'google' || type === 'github' || type === 'facebook') return { preset: type };
  if (type === 'twitter') return { preset: 'x' };
  if (type !== 'oauth2' && type !== 'adfs') return null;
  config.leaveOutAll(OF_OAUTH, 'is not asked for here');
  config.leaveOutAll(['certificate', 'publicCert', 'resource'], 'tokens of the provider are not read here');
  const subject = config.text('customIdField') ?? 'upn';
  const ends = config.part('endpoints');
  const scopes = ends.text('authorizeScope')?.split(/[\s,]+/) ?? [];
  const [authorize, token, profile] = ['authorizeEndpoint', 'tokenEndpoint', 'profileEndpoint'].map((key) =>
    ends.text(key),
  );
  if (type === 'oauth2' && config.flag('retrieveProfile') === true && authorize && token && profile)
    return {
      authorization_endpoint: authorize,
      token_endpoint: token,
      userinfo_endpoint: profile,
      subject_claim: subject,
      scopes,
    };
  const server = type === 'adfs' ? adfsServerOf([authorize, token]) : null;
  if (server !== null) {
    config.say('changed', 'endpoints', 'AD FS of Windows Server 2016 or later is asked by OpenID Connect');
    ends.leaveOut('authorizeScope', 'the preset asks for openid, email and profile');
    return { preset: 'adfs', base_url: server, subject_claim: subject };
  }
  const issuer = config.decide(
    'retrieveProfile',
    'its profile was read from the access token, which is not done here: name its OpenID Connect issuer',
    (answer) => (typeof answer === 'string' && /^https:\/\/\S+$/.test(answer) ? answer : undefined),
  );
  return issuer == null ? undefined : { issuer, subject_claim: subject };
}

/** The origin of the server that these are addresses of. Null: they are those of no AD FS, or of several. */
function adfsServerOf(addresses: readonly (string | undefined)[]): string | null {
  const origins = addresses.map((address) =>
    address !== undefined && /^https:\/\/[^/]+\/adfs\//.test(address)
      ? URL.parse(address)?.origin
      : undefined,
  );
  const [origin = null, ...others] = [...new Set(origins)];
  return others.length === 0 ? origin : null;
}
