// A directory built from its method configuration: ordered servers, and search parameters.
import { z } from 'zod';
import type { MethodConfig } from '../kind.ts';

// Placeholder for the typed username in filter and DN.

export const USERNAME = '{username}';

/**
 * Directories ignore invisible characters and doubled spaces, and compare compatibility characters (RFC 4518 §2). A
 * name containing them would bypass guessing limits as another name, so it is rejected.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]|[^\S ]| {2}/u;

/** Normalized search name; null: no account can have this name. */
export function askedName(typed: string): string | null {
  const name = typed.trim().normalize('NFC');
  const isPlain = name.isWellFormed() && !UNSEEN.test(name) && name.normalize('NFKC') === name;
  return isPlain && name !== '' && name.length <= 320 ? name : null;
}

/** RFC 4515 §3. */
export const inFilter = (value: string): string =>
  value.replace(/[*()\\\0]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** RFC 4514 §2.4. */
export const inDn = (value: string): string =>
  value
    .replace(/[,+"\\<>;=]/g, '\\$&')
    .replace(/^[# ]/, '\\$&')
    .replace(/ $/, '\\ ')
    .replaceAll('\u0000', '\\00');

/** Attributes containing the complete username: from the bind name, otherwise from the filter. */
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

/** Comparisons in a filter (RFC 4515 §3); null: invalid filter. */
export function assertionsIn(filter: string): Assertion[] | null {
  const found: Assertion[] = [];
  let at = 0;
  const take = (sign: string): boolean => {
    if (filter[at] !== sign) return false;
    at += 1;
    return true;
  };
  const one = (depth: number): boolean => {
    if (depth > 50 || !take('(')) return false;
    if (take('&') || take('|')) {
      while (filter[at] === '(') if (!one(depth + 1)) return false;
    } else if (take('!')) {
      if (!one(depth + 1)) return false;
    } else {
      const [text, attribute = '', extended = '', operator = '', value = ''] =
        ITEM.exec(filter.slice(at)) ?? [];
      if (text === undefined || (attribute === '' && extended === '')) return false;
      found.push({ attribute: attribute.toLowerCase(), rule: extended + operator, value });
      at += text.length;
    }
    return take(')');
  };
  return one(0) && at === filter.length ? found : null;
}

// Canonical spelling of distinguished names (RFC 4514): no spaces around separators, types in lowercase, and each
// character escaped in one way. Values keep their case.

const TYPE = /^(?:[a-z][a-z0-9-]*|\d+(?:\.\d+)+)$/i;
const HEX = /^[0-9a-f]{2}/i;
const ESCAPED = /[,+"\\<>;=]/g;

/** Unescaped value; null: invalid. `at`: position after it. */
function readValue(text: string, from: number): { value: string; at: number } | null {
  const bytes: number[] = [];
  // trailing spaces belong to no value, unless they are escaped
  let kept = 0;
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
      kept = bytes.length;
      continue;
    }
    const one = String.fromCodePoint(text.codePointAt(at) ?? 0);
    bytes.push(...Buffer.from(one));
    at += one.length;
    if (one !== ' ') kept = bytes.length;
  }
  return { value: Buffer.from(bytes.slice(0, kept)).toString('utf8'), at };
}

/** `joined`: belongs to the previous pair's RDN. */
type Pair = { type: string; value: string; joined: boolean };

/** Unescaped type and value pairs of a DN; null: invalid. */
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

/** Canonical spelling of a DN; null: invalid. */
function canonicalDn(text: string): string | null {
  const written = pairsIn(text)?.map(
    ({ type, value, joined }, at) =>
      `${at === 0 ? '' : joined ? '+' : ','}${type}=${value.replaceAll(ESCAPED, '\\$&')}`,
  );
  return written?.join('') ?? null;
}

/** True if the DN equals the base or is below it. Directories compare both case-insensitively. */
export function isWithin(dn: string, base: string): boolean {
  const [own, above] = [canonicalDn(dn)?.toLowerCase(), canonicalDn(base)?.toLowerCase()];
  return own !== undefined && above !== undefined && (own === above || own.endsWith(`,${above}`));
}

/** Comparison key of a text: canonical DN spelling, or the text itself. */
export const comparedName = (text: string): string => (text.includes('=') && canonicalDn(text)) || text;

export const SERVER_KINDS = ['active-directory', 'openldap', 'other'] as const;
type ServerKind = (typeof SERVER_KINDS)[number];
export const GROUP_SOURCES = ['memberOf', 'search', 'token_groups'] as const;

/** Defaults of each server kind. */
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
  /** `baseDn` is empty if memberOf returns groups from anywhere */
  groups: (Omit<z.output<typeof groups>, 'from' | 'base_dn'> & { from: GroupSource; baseDn: string }) | null;
  changeUrl: string | null;
  /** Active Directory or a compatible server */
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

/** Settings that determine user identities, in canonical spelling, including defaults. */
export function peopleIn({ server_kind, subject_attribute, base_dn }: MethodConfig): readonly string[] {
  const kind = kindOf(server_kind);
  const subject = String(subject_attribute ?? DEFAULTS[kind].subject);
  // a directory compares both without case
  return [kind, subject.toLowerCase(), comparedName(String(base_dn ?? '')).toLowerCase()];
}

/** A filter comparing the username with several attributes finds a user by several names. */
export function hasSeveralNames({ server_kind, filter, bind_as }: MethodConfig): boolean {
  if (typeof bind_as === 'string' && bind_as.includes('=')) return false;
  const asked = typeof filter === 'string' ? filter : DEFAULTS[kindOf(server_kind)].filter;
  return (assertionsIn(asked) ?? []).filter(({ value }) => value.includes(USERNAME)).length > 1;
}

/** Seconds between rechecks of a method's users outside sign-ins; null: never. */
export const recheckSecondsOf = (config: MethodConfig): number | null =>
  stored.parse(config).recheck_seconds ?? null;

/** Group source of a stored or submitted configuration. */
export function groupSourceOf({ server_kind, groups: given }: MethodConfig): GroupSource {
  const from = typeof given === 'object' && given !== null && 'from' in given ? given.from : undefined;
  return GROUP_SOURCES.find((one) => one === from) ?? DEFAULTS[kindOf(server_kind)].groups;
}

/** `ldap://host`, `ldaps://host:port`; null: it is no such address. */
export function addressOf(url: string): Server | null {
  const [, scheme = '', host = '', port] =
    /^(ldaps?):\/\/(\[[0-9a-fA-F:.]+\]|[^\s/:?#@[\]]+)(?::(\d{1,5}))?\/?$/i.exec(url) ?? [];
  const secure = scheme.toLowerCase() === 'ldaps';
  // the URL parser converts every spelling of a host to one form
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
