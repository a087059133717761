// Identity providers and directories of a realm as methods. A directory is written by hand: its password is not ours.
import type { Part } from '../reading/part.ts';
import type { Registry } from '../writing/registry-file.ts';
import { idOfName } from '../writing/values.ts';
import { FirstSignIns } from './first-sign-in.ts';
import { isPresetKind, presetMeant } from './known-presets.ts';

type Entry = Record<string, unknown>;

const OWN = ['internalId', 'updateProfileFirstLoginMode', 'storeToken', 'addReadTokenRoleOnCreate'];
const SIGN_IN_STEPS = ['authenticateByDefault', 'postBrokerLoginFlowAlias'];
const SAME_REGISTRATION =
  'the people of this method stay only with the same registration there, since its ids are by application';

/** The alias of each provider that comes along, and its method. */
export function readBrokers(about: Part, registry: Registry): Map<string, string> {
  const methods = new Map<string, string>();
  const firsts = new FirstSignIns(about);
  for (const broker of about.parts('identityProviders')) {
    const [alias = '', kind = ''] = [broker.text('alias'), broker.text('providerId')];
    const id = idOfName(alias);
    if (broker.flag('enabled') === false) broker.sayOfAll('left out', `${alias} is switched off`);
    else if (id === null || registry.auth_methods.some((method) => method['id'] === id))
      broker.sayOfAll('left out', `${alias} can be no id of a method`);
    else {
      const entry = entryOf(broker, kind, firsts);
      if (entry === null) continue;
      const name = broker.text('displayName') ?? alias;
      registry.auth_methods.push({ id, type: 'broker', name, ...entry });
      methods.set(alias, id);
    }
  }
  for (const mapper of about.parts('identityProviderMappers'))
    mapper.sayOfAll('left out', 'claims of a method come by its claim map');
  return methods;
}

function entryOf(broker: Part, kind: string, firsts: FirstSignIns): Entry | null {
  const config = broker.part('config');
  const isOpenId = kind === 'oidc' || kind === 'keycloak-oidc';
  const [issuer, client, secret] = [
    config.text('issuer'),
    config.text('clientId'),
    config.text('clientSecret'),
  ];
  const isKnown = isPresetKind(kind);
  if ((!isKnown && !isOpenId) || client === undefined) {
    broker.sayOfAll('left out', `${kind} is to be written by hand (docs/brokers.md)`);
    return null;
  }
  broker.ignoreAll(OWN, 'of Keycloak alone');
  broker.leaveOutAll(SIGN_IN_STEPS, 'a sign-in follows the API');
  if (kind === 'facebook' || kind === 'linkedin' || kind === 'apple')
    config.say('changed', 'clientId', SAME_REGISTRATION);
  if (!firsts.agreed(broker)) return null;
  const known = isKnown ? presetMeant(config, kind) : null;
  if (isKnown && known === null) return null;
  const ends = known ?? (issuer === undefined ? endpointsOf(config) : { issuer });
  if (ends === null) {
    broker.sayOfAll('left out', 'it says neither its issuer nor its addresses');
    return null;
  }
  const scopes = config
    .text('defaultScope')
    ?.split(/[\s,]+/)
    .filter((scope) => scope !== '');
  return {
    ...ends,
    ...(scopes && scopes.length > 0 && { scopes: isOpenId ? [...new Set(['openid', ...scopes])] : scopes }),
    client_id: client,
    ...(secret !== undefined && { client_secret: secret }),
    ...(broker.flag('trustEmail') === true && { trust_email: true }),
  };
}

function endpointsOf(config: Part): Entry | null {
  const ends = [config.text('authorizationUrl'), config.text('tokenUrl'), config.text('userInfoUrl')];
  if (ends.some((end) => end === undefined)) return null;
  const [authorization_endpoint, token_endpoint, userinfo_endpoint] = ends;
  return { authorization_endpoint, token_endpoint, userinfo_endpoint, subject_claim: 'sub', scopes: [] };
}

const DIRECTORIES = 'org.keycloak.storage.UserStorageProvider';

/** The id of each directory, and how its method is to be called. */
export function readDirectories(about: Part): Map<string, string> {
  const components = about.part('components');
  const methods = new Map<string, string>();
  for (const kind of components.keys()) {
    if (kind !== DIRECTORIES) {
      const isKey = kind.includes('.keys.');
      components.leaveOut(kind, isKey ? 'private keys are never read' : 'of Keycloak alone');
      continue;
    }
    for (const directory of components.parts(kind)) {
      const [id, name = ''] = [directory.text('id'), directory.text('name')];
      const method = idOfName(name);
      directory.sayOfAll(
        'left out',
        `the directory ${name} is a method to write by hand: call it ${method}, and its people are there`,
      );
      if (id !== undefined && method !== null) methods.set(id, method);
    }
  }
  return methods;
}
