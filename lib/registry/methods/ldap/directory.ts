// A directory as its method describes it: its servers in their order, and what is asked of them.
import { z } from 'zod';
import type { MethodConfig } from '../kind.ts';
import { comparedName } from './distinguished-name.ts';
import { assertionsIn, USERNAME } from './names.ts';

export const SERVER_KINDS = ['active-directory', 'openldap', 'other'] as const;
type ServerKind = (typeof SERVER_KINDS)[number];
export const GROUP_SOURCES = ['memberOf', 'search', 'token_groups'] as const;

/** What a method means that does not say it. */
const DEFAULTS: Readonly<Record<ServerKind, { filter: string; subject: string; groups: GroupSource }>> = {
  'active-directory': {
    filter: `(&(objectCategory=person)(|(sAMAccountName=${USERNAME})(userPrincipalName=${USERNAME})))`,
    subject: 'objectGUID',
    groups: 'token_groups',
  },
  openldap: { filter: `(uid=${USERNAME})`, subject: 'entryUUID', groups: 'memberOf' },
  other: { filter: `(uid=${USERNAME})`, subject: 'entryUUID', groups: 'memberOf' },
};
type GroupSource = (typeof GROUP_SOURCES)[number];

const groups = z.object({
  from: z.enum(GROUP_SOURCES).optional(),
  base_dn: z.string().optional(),
  filter: z.string().optional(),
  name_attribute: z.string().default('cn'),
  keep: z.array(z.string()).optional(),
});
const stored = z.object({
  urls: z.array(z.string()),
  start_tls: z.boolean().default(false),
  ca: z.string().optional(),
  server_kind: z.enum(SERVER_KINDS).default('other'),
  bind_dn: z.string().optional(),
  base_dn: z.string().optional(),
  filter: z.string().optional(),
  bind_as: z.string().optional(),
  reject_filter: z.string().optional(),
  subject_attribute: z.string().optional(),
  timeout_ms: z.number().default(3000),
  claims: z.record(z.string(), z.string()).default({}),
  groups: groups.optional(),
  password_change_url: z.string().optional(),
  recheck_seconds: z.number().optional(),
  allow_private_network: z.boolean().default(false),
});

export type Server = { url: string; host: string; port: number; secure: boolean };

export type Directory = {
  methodId: string;
  servers: Server[];
  startTls: boolean;
  ca: string | null;
  allowPrivateNetwork: boolean;
  timeoutMs: number;
  /** who searches; null: anybody may */
  searcher: { dn: string; password: string | null } | null;
  baseDn: string;
  filter: string;
  bindAs: string | null;
  rejectFilter: string | null;
  subjectAttribute: string;
  claims: Readonly<Record<string, string>>;
  /** its `baseDn` is empty where memberOf gives groups from anywhere */
  groups: (Omit<z.output<typeof groups>, 'from' | 'base_dn'> & { from: GroupSource; baseDn: string }) | null;
  changeUrl: string | null;
  /** Active Directory, or what behaves as it */
  isActive: boolean;
};

export function directoryOf(method: { id: string; config: MethodConfig; secret: string | null }): Directory {
  const config = stored.parse(method.config);
  const usual = DEFAULTS[config.server_kind];
  const baseDn = config.base_dn ?? '';
  const from = groupSourceOf(method.config);
  return {
    methodId: method.id,
    servers: config.urls.map(serverOf),
    startTls: config.start_tls,
    ca: config.ca ?? null,
    allowPrivateNetwork: config.allow_private_network,
    timeoutMs: Math.min(config.timeout_ms, 5000),
    searcher: config.bind_dn === undefined ? null : { dn: config.bind_dn, password: method.secret },
    baseDn,
    filter: config.filter ?? usual.filter,
    bindAs: config.bind_as ?? null,
    rejectFilter: config.reject_filter ?? null,
    subjectAttribute: config.subject_attribute ?? usual.subject,
    claims: config.claims,
    groups: config.groups
      ? {
          ...config.groups,
          from,
          baseDn: config.groups.base_dn ?? (from === 'memberOf' ? '' : baseDn),
        }
      : null,
    changeUrl: config.password_change_url ?? null,
    isActive: config.server_kind === 'active-directory',
  };
}

const kindOf = (given: unknown): ServerKind => SERVER_KINDS.find((one) => one === given) ?? 'other';

/** What decides who the people of a configuration are, each in one spelling: defaults are as if they were written. */
export function peopleIn({ server_kind, subject_attribute, base_dn }: MethodConfig): readonly string[] {
  const kind = kindOf(server_kind);
  const subject = String(subject_attribute ?? DEFAULTS[kind].subject);
  // a directory compares both without case
  return [kind, subject.toLowerCase(), comparedName(String(base_dn ?? '')).toLowerCase()];
}

/** A filter that compares a name with several attributes finds one person by the values of each. */
export function hasSeveralNames({ server_kind, filter, bind_as }: MethodConfig): boolean {
  if (typeof bind_as === 'string' && bind_as.includes('=')) return false;
  const asked = typeof filter === 'string' ? filter : DEFAULTS[kindOf(server_kind)].filter;
  return (assertionsIn(asked) ?? []).filter(({ value }) => value.includes(USERNAME)).length > 1;
}

/** How often the people of a method are asked about beside their sign-ins; null: never. */
export const recheckSecondsOf = (config: MethodConfig): number | null =>
  stored.parse(config).recheck_seconds ?? null;

/** Where the groups of a stored or given configuration come from. */
export function groupSourceOf({ server_kind, groups: given }: MethodConfig): GroupSource {
  const from = typeof given === 'object' && given !== null && 'from' in given ? given.from : undefined;
  return GROUP_SOURCES.find((one) => one === from) ?? DEFAULTS[kindOf(server_kind)].groups;
}

/** `ldap://host`, `ldaps://host:port`; null: it is no such address. */
export function addressOf(url: string): Server | null {
  const [, scheme = '', host = '', port] =
    /^(ldaps?):\/\/(\[[0-9a-fA-F:.]+\]|[^\s/:?#@[\]]+)(?::(\d{1,5}))?\/?$/i.exec(url) ?? [];
  const secure = scheme.toLowerCase() === 'ldaps';
  // the URL parser writes each spelling of an address in one way
  if (host === '' || !URL.canParse(`https://${host}`) || Number(port ?? 1) > 65_535) return null;
  const { hostname } = new URL(`https://${host}`);
  const usual = secure ? 636 : 389;
  return { url, host: hostname.replace(/^\[|\]$/g, ''), port: Number(port ?? usual), secure };
}

function serverOf(url: string): Server {
  const server = addressOf(url);
  if (!server) throw new Error('an address of a directory makes no sense');
  return server;
}
