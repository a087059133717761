// APIs of wicked with OAuth, and its groups.
import { apiScopeName } from '#lib/registry/objects/api.ts';
import type { Part } from '../reading/part.ts';
import type { Registry } from '../writing/registry-file.ts';
import { idOfName } from '../writing/values.ts';
import { type Methods, methodsCalled } from './methods.ts';
import type { WickedFiles } from './wicked-files.ts';

type Entry = Record<string, unknown>;
type Role = 'administrator' | 'approver';
/** By wicked's id: our group, and the role of the console that it gave. */
export type Groups = Map<string, { id: string; role: Role | null }>;
export type Apis = Map<string, { entry: Entry; machines: boolean }>;

const RESERVED = ['administrator', 'approver', 'developer'];

export async function readGroups(files: WickedFiles, methods: Methods, registry: Registry): Promise<Groups> {
  const groups: Groups = new Map();
  const part = await files.one('groups');
  for (const group of part.parts('groups')) {
    const name = group.text('id') ?? '';
    const plain = idOfName(name) ?? 'group';
    const id = RESERVED.includes(plain) ? `${plain}-group` : plain;
    if (id !== name) group.say('changed', 'id', `is the group ${id}`);
    const values = group.texts('alt_ids');
    const from = [...new Set(methods.values())].flatMap(({ id: auth_method, groupField }) =>
      groupField !== null && values.length > 0 ? [{ auth_method, claim: groupField, values }] : [],
    );
    registry.groups.push({ id, name: group.text('name') ?? id, ...(from.length > 0 && { from }) });
    const [isAdmin, isApprover] = [group.flag('adminGroup'), group.flag('approverGroup')];
    groups.set(name, { id, role: isAdmin ? 'administrator' : isApprover ? 'approver' : null });
  }
  part.note();
  return groups;
}

export async function readApis(
  files: WickedFiles,
  methods: Methods,
  groups: Groups,
  registry: Registry,
): Promise<Apis> {
  const globals = await files.one('globals');
  globals.leaveOut('initialUsers', 'accounts of the first start, whose passwords are in the clear');
  const network = globals.part('network');
  const origin = `${network.text('schema') ?? 'https'}://${network.text('apiHost') ?? ''}`;
  globals.note();
  const addresses = new Map<string, string>();
  for await (const { name, part } of files.of('api-config')) {
    const api = part.part('api');
    const uri = api.part('uris').text('0');
    const address = `${origin}${uri ?? ''}`;
    if (uri !== undefined && isAddress(address)) addresses.set(name, address);
    api.ignoreAll(
      [
        'upstream_url',
        'name',
        'strip_uri',
        'preserve_host',
        'id',
        'host',
        'https_only',
        'http_if_terminated',
      ],
      'of its gateway alone',
    );
    part.leaveOut('plugins', 'plug-ins of Kong stay with the gateway');
    part.note();
  }
  const apis: Apis = new Map();
  const part = await files.one('apis');
  for (const api of part.parts('apis')) {
    const made = apiOf(api, addresses, methods, groups);
    if (made === null) continue;
    registry.apis.push(made.entry);
    apis.set(api.text('id') ?? '', made);
  }
  part.leaveOut('_links', 'of its own API');
  part.note();
  return apis;
}

function apiOf(api: Part, addresses: ReadonlyMap<string, string>, methods: Methods, groups: Groups) {
  const [name = '', kind = 'none'] = [api.text('id'), api.text('auth')];
  const id = idOfName(name);
  if (!kind.startsWith('oauth2') || id === null) {
    api.sayOfAll(
      'left out',
      id === null ? `${name} can be no id of an API` : `${kind}: an API without OAuth`,
    );
    return null;
  }
  const url =
    addresses.get(name) ??
    api.decide('id', `${name}: its address (https), the aud of its tokens`, (answer) =>
      isAddress(answer) ? answer : undefined,
    );
  if (url == null) return null;
  const settings = api.part('settings');
  const entry: Entry = {
    id,
    name: api.text('name') ?? name,
    url,
    auth_methods: methodsOf(api, methods),
    scopes: scopesOf(settings),
  };
  const about = api.text('desc');
  if (about !== undefined) entry['description'] = about.slice(0, 2000);
  for (const [ours, theirs] of [
    ['access_token_ttl', 'token_expiration'],
    ['refresh_token_ttl', 'refresh_token_ttl'],
  ] as const) {
    const seconds = settings.number(theirs);
    if (seconds !== undefined && Number.isInteger(seconds) && seconds > 0) entry[ours] = seconds;
  }
  if (settings.flag('mandatory_scope') === true) entry['require_scope'] = true;
  const group = api.text('requiredGroup');
  if (group !== undefined) entry['groups'] = [groups.get(group)?.id ?? idOfName(group) ?? group];
  settings.leaveOut('enable_implicit_grant', 'the implicit grant is none here');
  settings.leaveOut('enable_password_grant', 'the password grant needs a trusted subscription');
  settings.ignoreAll(
    ['enable_authorization_code', 'accept_http_if_terminated', 'internal', 'tags', 'plans'],
    'of wicked alone',
  );
  api.leaveOutAll(['tags', 'bundle', 'hide_credentials', 'deprecated', 'partner'], 'is not shown here');
  api.leaveOut('plans', 'plans and their plug-ins of Kong stay with the gateway');
  api.leaveOut('registrationPool', 'what people register with stays there');
  api.leaveOutAll(
    ['passthroughUsers', 'passthroughScopeUrl'],
    'another service does not decide about scopes here',
  );
  return { entry, machines: settings.flag('enable_client_credentials') === true };
}

function methodsOf(api: Part, methods: Methods): string[] {
  const list = api.part('authMethods');
  const found = list.keys().flatMap((at) => {
    const named = list.text(at) ?? '';
    const [method, another] = methodsCalled(methods, named.replace(/^.*:/, ''));
    const meant = methods.get(named) ?? (another ? undefined : method);
    if (meant) return [meant.id];
    list.leaveOut(at, `${named} is no method here`);
    return [];
  });
  return [...new Set(found)];
}

function scopesOf(settings: Part): Entry[] {
  const scopes = settings.part('scopes');
  return scopes.keys().flatMap((name) => {
    const description = scopes.part(name).text('description') ?? name;
    if (apiScopeName.safeParse(name).success)
      return [{ name, description: description.replaceAll(/\s+/g, ' ') }];
    scopes.leaveOut(name, 'is no scope here');
    return [];
  });
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\/[^\s#@$/][^\s#@$]*$/i.test(value) && URL.canParse(value);
}
