// A directory, built from the configuration of its method: servers in their order, and parameters of searches.
import { z } from 'zod';
import type { MethodConfig } from '../kind.ts';

// Placeholder for the typed user name in a filter and a DN.

export const USERNAME = '{username}';

/**
 * Directories ignore invisible characters and doubled spaces, and compare compatibility characters (RFC 4518 §2). A
 * name with such characters would be treated as another name by the limits on guessing, so it is rejected.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]|[^\S ]| {2}/u;

/** The name in normalized form, for the search; null: no account can have this name. */
export function askedName(typed: string): string | null {
  const name = typed.trim().normalize('NFC');
  const isPlain = name.isWellFormed() && !UNSEEN.test(name) && name.normalize('NFKC') === name;
  return isPlain && name !== '' && name.length <= 320 ? name : null;
}

/** Escapes a value for a filter (RFC 4515 §3). */
export const inFilter = (value: string): string =>
  value.replace(/[*()\\\0]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** Escapes a value for a DN (RFC 4514 §2.4). */
export const inDn = (value: string): string =>
  value
    .replace(/[,+"\\<>;=]/g, '\\$&')
    .replace(/^[# ]/, '\\$&')
    .replace(/ $/, '\\ ')
    .replaceAll('\u0000', '\\00');

/** Attributes whose value is the typed user name, read from the name for the bind or, without one, from the filter. */
export function nameAttributes({ bindAs, filter }: { bindAs: string | null; filter: string }): string[] {
  const [, bound] = /(?:^|[,+])\s*([\w.-]+)=\{username\}(?:$|[,+])/.exec(bindAs ?? '') ?? [];
  if (bound !== undefined) return [bound.toLowerCase()];
  const compared = (assertionsIn(filter) ?? []).filter(
    ({ rule, value }) => rule === '=' && value === USERNAME,
  );
  return [...new Set(compared.map(({ attribute }) => attribute))];
}

export type Assertion = { attribute: string; rule: string; value: string };

const ITEM = /^([A-Za-z0-9][\w.;-]*)?(:[\w.:-]+)?(=|~=|>=|<=|:=)((?:[^()*\\\0]|\\[0-9a-fA-F]{2}|\*)*)/;

/** The comparisons in a filter (RFC 4515 §3); null: the filter is invalid. */
export function assertionsIn(filter: string): Assertion[] | null {
  const assertions: Assertion[] = [];
  let at = 0;
  const take = (sign: string): boolean => {
    if (filter[at] !== sign) return false;
    at += 1;
    return true;
  };
  const readFilter = (depth: number): boolean => {
    if (depth > 50 || !take('(')) return false;
    if (take('&') || take('|')) {
      while (filter[at] === '(') if (!readFilter(depth + 1)) return false;
    } else if (take('!')) {
      if (!readFilter(depth + 1)) return false;
    } else {
      const [text, attribute = '', extended = '', operator = '', value = ''] =
        ITEM.exec(filter.slice(at)) ?? [];
      if (text === undefined || (attribute === '' && extended === '')) return false;
      assertions.push({ attribute: attribute.toLowerCase(), rule: extended + operator, value });
      at += text.length;
    }
    return take(')');
  };
  return readFilter(0) && at === filter.length ? assertions : null;
}

// One spelling of a distinguished name (RFC 4514): no spaces around separators, types in lower case, and each
// character escaped in one way. Values keep their case.

const TYPE = /^(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)+)$/i;
const HEX = /^[0-9a-f]{2}/i;
const ESCAPED = /[,+"\\<>;=]/g;

/** The value without escapes; null: it is invalid. `at`: position after it. */
function readValue(text: string, from: number): { value: string; at: number } | null {
  const bytes: number[] = [];
  // trailing spaces are not part of a value, unless they are escaped
  let trimmedLength = 0;
  let at = from;
  while (at < text.length && text[at] === ' ') at += 1;
  while (at < text.length && !',+;'.includes(text[at] ?? '')) {
    const next = text.slice(at + 1);
    if (text[at] === '\\') {
      const hex = HEX.exec(next)?.[0];
      if (hex === undefined && next === '') return null;
      const escaped = hex === undefined ? String.fromCodePoint(next.codePointAt(0) ?? 0) : hex;
      bytes.push(...(hex === undefined ? Buffer.from(escaped) : [Number.parseInt(hex, 16)]));
      at += 1 + escaped.length;
      trimmedLength = bytes.length;
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    bytes.push(...Buffer.from(character));
    at += character.length;
    if (character !== ' ') trimmedLength = bytes.length;
  }
  return { value: Buffer.from(bytes.slice(0, trimmedLength)).toString('utf8'), at };
}

/** `joined`: the pair belongs to the same RDN as the pair before it. */
type Pair = { type: string; value: string; joined: boolean };

/** The pairs of type and value in a DN, without escapes; null: the DN is invalid. */
export function pairsIn(text: string): Pair[] | null {
  const pairs: Pair[] = [];
  let at = 0;
  let joined = false;
  while (true) {
    const equals = text.indexOf('=', at);
    const type = equals < 0 ? '' : text.slice(at, equals).trim();
    if (!TYPE.test(type)) return null;
    const read = readValue(text, equals + 1);
    if (read === null) return null;
    pairs.push({ type: type.toLowerCase(), value: read.value, joined });
    if (read.at >= text.length) return pairs;
    joined = text[read.at] === '+';
    at = read.at + 1;
  }
}

/** The canonical spelling of a DN; null: the DN is invalid. */
function canonicalDn(text: string): string | null {
  const written = pairsIn(text)?.map(
    ({ type, value, joined }, at) =>
      `${at === 0 ? '' : joined ? '+' : ','}${type}=${value.replaceAll(ESCAPED, '\\$&')}`,
  );
  return written?.join('') ?? null;
}

/** True if the DN equals the base or is below it. The comparison ignores case, like directories. */
export function isWithin(dn: string, base: string): boolean {
  const [own, above] = [canonicalDn(dn)?.toLowerCase(), canonicalDn(base)?.toLowerCase()];
  return own !== undefined && above !== undefined && (own === above || own.endsWith(`,${above}`));
}

/** The form of a text for comparison: the canonical spelling of a DN, or the text itself. */
export const comparedName = (text: string): string => (text.includes('=') && canonicalDn(text)) || text;

export const SERVER_KINDS = ['active-directory', 'openldap', 'other'] as const;
type ServerKind = (typeof SERVER_KINDS)[number];
export const GROUP_SOURCES = ['memberOf', 'search', 'token_groups'] as const;

/** Defaults for each kind of server. */
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
  /** the search account; null: searches are anonymous */
  searcher: { dn: string; password: string | null } | null;
  baseDn: string;
  filter: string;
  bindAs: string | null;
  rejectFilter: string | null;
  subjectAttribute: string;
  claims: Readonly<Record<string, string>>;
  /** `baseDn` is empty if memberOf can return groups from anywhere */
  groups: (Omit<z.output<typeof groups>, 'from' | 'base_dn'> & { from: GroupSource; baseDn: string }) | null;
  changeUrl: string | null;
  /** true: Active Directory or a compatible server */
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

const kindOf = (value: unknown): ServerKind => SERVER_KINDS.find((kind) => kind === value) ?? 'other';

/** The settings that determine the identity of users, in canonical spelling and with defaults. */
export function peopleIn({ server_kind, subject_attribute, base_dn }: MethodConfig): readonly string[] {
  const kind = kindOf(server_kind);
  const subject = String(subject_attribute ?? DEFAULTS[kind].subject);
  // lower case, because a directory compares both values without case
  return [kind, subject.toLowerCase(), comparedName(String(base_dn ?? '')).toLowerCase()];
}

/** True if the filter compares the user name with several attributes, so that a user has several names. */
export function hasSeveralNames({ server_kind, filter, bind_as }: MethodConfig): boolean {
  if (typeof bind_as === 'string' && bind_as.includes('=')) return false;
  const filterText = typeof filter === 'string' ? filter : DEFAULTS[kindOf(server_kind)].filter;
  return (assertionsIn(filterText) ?? []).filter(({ value }) => value.includes(USERNAME)).length > 1;
}

/** Seconds between checks of whether a method's users still exist; null: no checks. */
export const recheckSecondsOf = (config: MethodConfig): number | null =>
  stored.parse(config).recheck_seconds ?? null;

/** The source of groups in a configuration that is stored or was sent. */
export function groupSourceOf({ server_kind, groups: given }: MethodConfig): GroupSource {
  const from = typeof given === 'object' && given !== null && 'from' in given ? given.from : undefined;
  return GROUP_SOURCES.find((source) => source === from) ?? DEFAULTS[kindOf(server_kind)].groups;
}

/** Parses `ldap://host` or `ldaps://host:port`; null: the text is not such an address. */
export function addressOf(url: string): Server | null {
  const [, scheme = '', host = '', port] =
    /^(ldaps?):\/\/(\[[0-9a-fA-F:.]+\]|[^\s/:?#@[\]]+)(?::(\d{1,5}))?\/?$/i.exec(url) ?? [];
  const secure = scheme.toLowerCase() === 'ldaps';
  // the URL parser converts all spellings of a host to one form
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
