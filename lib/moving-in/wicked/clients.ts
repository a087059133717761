// A client for each OAuth subscription of an application: there, each had an id and a secret of its own.
import { isPrivateUse, redirectUriFault } from '#lib/registry/clients/redirect-rules.ts';
import { clientId, secretText } from '#lib/registry/fields/values.ts';
import type { Part } from '../reading/part.ts';
import type { Registry } from '../writing/registry-file.ts';
import type { Apis } from './apis.ts';
import type { WickedFiles } from './wicked-files.ts';

type Entry = Record<string, unknown>;
type ApplicationType = 'web' | 'browser' | 'native';
/** What an application says of all its clients. */
type About = { name: string; type: ApplicationType; uris: string[] };
/** `application api`: the client, and whether a person consents there. */
export type Clients = Map<string, { clientId: string; api: string }>;

export async function readClients(files: WickedFiles, apis: Apis, registry: Registry): Promise<Clients> {
  const abouts = new Map<string, About>();
  for await (const { name, part } of files.of('applications')) {
    abouts.set(part.text('id') ?? name, aboutOf(part, name));
    part.note();
  }
  const clients: Clients = new Map();
  for await (const { part } of files.of('subscriptions')) {
    for (const at of part.keys()) {
      const subscription = part.part(at);
      const [owner = '', api = ''] = [subscription.text('application'), subscription.text('api')];
      const made = clientIn(subscription, abouts.get(owner), apis.get(api)?.entry['id'], files);
      if (made === null) continue;
      const isMachine = apis.get(api)?.machines === true && made.client['confidential'] === true;
      registry.clients.push(made.client);
      registry.subscriptions.push({ ...made.subscription, ...(isMachine && { machine: true }) });
      clients.set(`${owner} ${api}`, {
        clientId: String(made.client['client_id']),
        api: String(made.subscription['api']),
      });
    }
    part.note();
  }
  return clients;
}

function aboutOf(part: Part, id: string): About {
  const kind =
    part.text('clientType') ?? (part.flag('confidential') === true ? 'confidential' : 'public_spa');
  const type = kind === 'confidential' ? 'web' : kind === 'public_native' ? 'native' : 'browser';
  part.flag('confidential');
  part.leaveOutAll(['ownerList', '_links', 'description', 'mainUrl'], 'name an owner in the console');
  const list = part.part('redirectUris');
  const single = part.text('redirectUri');
  const uris = list.keys().flatMap((at) => exact(list, at, type));
  if (single !== undefined && !uris.includes(single)) uris.push(...exact(part, 'redirectUri', type));
  return { name: part.text('name') ?? id, type, uris };
}

function exact(part: Part, key: string, type: ApplicationType): string[] {
  const uri = part.text(key);
  if (uri === undefined) return [];
  const fault = redirectUriFault(uri, type, true);
  if (fault === null) return [uri];
  const isExact = (one: unknown): one is string =>
    typeof one === 'string' && redirectUriFault(one, type, true) === null;
  const chosen = part.decide(key, `${uri} ${fault}: name the exact addresses`, (answer) => {
    const all: unknown[] = Array.isArray(answer) ? answer : [answer];
    const good = all.filter(isExact);
    return good.length > 0 && good.length === all.length ? good : undefined;
  });
  return chosen ?? [];
}

function clientIn(subscription: Part, about: About | undefined, api: unknown, files: WickedFiles) {
  const id = subscription.text('clientId');
  const kind = subscription.text('auth');
  if (kind !== 'oauth2' || typeof api !== 'string') {
    subscription.sayOfAll(
      'left out',
      kind === 'oauth2' ? 'its API does not come along' : `${kind}: not OAuth`,
    );
    return null;
  }
  if (!about || !clientId.safeParse(id).success) {
    subscription.sayOfAll(
      'left out',
      about ? 'it has no client_id, it waits for approval' : 'its application is missing',
    );
    return null;
  }
  subscription.leaveOut('plan', 'plans stay with the gateway');
  subscription.ignoreAll(['id', 'changedBy', 'changedDate', '_links', 'apikey'], 'of wicked alone');
  const scopes = ceilingOf(subscription);
  if (scopes === null) return null;
  const isTrusted = subscription.flag('trusted') === true;
  if (isTrusted) subscription.say('changed', 'trusted', 'it waits for approval here');
  if (subscription.flag('approved') === false)
    subscription.say('changed', 'approved', 'it was not approved yet: see to require_approval');
  const client: Entry = { client_id: id, client_name: about.name, redirect_uris: about.uris };
  const secret = subscription.text('clientSecret');
  if (about.type !== 'web') {
    client['application_type'] = about.type;
    subscription.leaveOut('clientSecret', 'a public client has none');
  } else {
    client['confidential'] = true;
    if (about.uris.some(isPrivateUse)) client['private_use_schemes'] = true;
    if (secret !== undefined) Object.assign(client, secretOf(subscription, secret, files));
  }
  const terms = { ...(scopes.length > 0 && { scopes }), ...(isTrusted && { trusted: true }) };
  return { client, subscription: { client_id: id, api, ...terms } };
}

function secretOf(subscription: Part, secret: string, files: WickedFiles): Entry {
  const plain = files.secret(secret);
  if (plain !== null && secretText.safeParse(plain).success) {
    if (plain !== secret) subscription.say('changed', 'clientSecret', 'decrypted with PORTAL_API_AESKEY');
    return { client_secret: plain };
  }
  subscription.decide(
    'clientSecret',
    'is encrypted, and PORTAL_API_AESKEY is missing or another one',
    () => undefined,
  );
  return {};
}

/** `none` must not become an empty list, which is all of them here. */
function ceilingOf(subscription: Part): string[] | null {
  const mode = subscription.text('allowedScopesMode') ?? 'all';
  const listed = subscription.texts('allowedScopes');
  if (mode === 'all') return [];
  if (mode === 'select' && listed.length > 0) return listed;
  const question = 'it may have no scope, and a subscription that names none has all: name a list';
  return (
    subscription.decide('allowedScopesMode', question, (answer) =>
      Array.isArray(answer) && answer.length > 0 ? answer.map(String) : undefined,
    ) ?? null
  );
}
