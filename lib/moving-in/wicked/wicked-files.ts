// Which file of wicked is what. Only the operator's configuration may name variables (`$VAR`, `${VAR}`): what people
// of the portal wrote is taken as it is, or a name of theirs would show them a secret.
import type { Notes } from '../reading/notes.ts';
import { Part } from '../reading/part.ts';
import { SourceFault, type SourceFile, wholeText } from '../reading/source-file.ts';
import { linesOf, valueOfLine } from '../reading/text-lines.ts';
import { isRows, ofRow } from './rows.ts';
import { opened } from './secrets.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Kind =
  | 'globals'
  | 'apis'
  | 'groups'
  | 'auth-servers'
  | 'api-config'
  | 'users'
  | 'applications'
  | 'subscriptions'
  | 'grants'
  | 'registrations'
  | 'oauth2_credentials'
  | 'oauth2_tokens';

/** The data first: an application may be called globals. An API may be called users, too. */
const KINDS: [RegExp, Kind | 'env' | 'no'][] = [
  [
    /(?:^|\/)(?<!(?:^|\/)apis\/)(?:users|applications|subscriptions|grants|registrations)\/(?:.*\/)?_index\.json$/,
    'no',
  ],
  [/(?:^|\/)(?<!(?:^|\/)apis\/)users\/(?:.*\/)?([^/]+)\.json$/, 'users'],
  [/(?:^|\/)(?<!(?:^|\/)apis\/)applications\/(?:.*\/)?([^/]+)\.json$/, 'applications'],
  [/(?:^|\/)(?<!(?:^|\/)apis\/)subscriptions\/(?:.*\/)?([^/]+)\.json$/, 'subscriptions'],
  [/(?:^|\/)(?<!(?:^|\/)apis\/)grants\/(?:.*\/)?([^/]+)\.json$/, 'grants'],
  [/(?:^|\/)(?<!(?:^|\/)apis\/)registrations\/(?:.*\/)?([^/]+)\.json$/, 'registrations'],
  // rows of its database
  [/(?:^|\/)(users)\.jsonl$/, 'users'],
  [/(?:^|\/)(applications)\.jsonl$/, 'applications'],
  [/(?:^|\/)(subscriptions)\.jsonl$/, 'subscriptions'],
  [/(?:^|\/)(grants)\.jsonl$/, 'grants'],
  [/(?:^|\/)(registrations)\.jsonl$/, 'registrations'],
  // of the database of its gateway, Kong
  [/(?:^|\/)(oauth2_credentials)\.jsonl$/, 'oauth2_credentials'],
  [/(?:^|\/)(oauth2_tokens)\.jsonl$/, 'oauth2_tokens'],
  [/(?:^|\/)env\/([^/]+)\.json$/, 'env'],
  [/(?:^|\/)globals\.json$/, 'globals'],
  [/(?:^|\/)apis\/apis\.json$/, 'apis'],
  [/(?:^|\/)apis\/([^/]+)\/config\.json$/, 'api-config'],
  [/(?:^|\/)groups\/groups\.json$/, 'groups'],
  [/(?:^|\/)auth-servers\/([^/]+)\.json$/, 'auth-servers'],
];

/** What the operator writes. */
const STATIC: ReadonlySet<Kind> = new Set(['globals', 'apis', 'groups', 'auth-servers', 'api-config']);

export class WickedFiles {
  readonly #notes: Notes;
  readonly #env: Environment;
  readonly #files: { kind: Kind; name: string; file: SourceFile }[] = [];
  /** the most special first */
  readonly #variables: Part[] = [];
  readonly #tried = new Map<string, string | null>();

  constructor(notes: Notes, env: Environment) {
    this.#notes = notes;
    this.#env = env;
  }

  async sort(files: readonly SourceFile[]): Promise<void> {
    const environments = new Map<string, SourceFile>();
    for (const file of files) {
      const [kind, name] = kindOf(file.name);
      if (kind === 'env') environments.set(name, file);
      else if (kind === 'no') this.#notes.add('left out', file.name, 'is only an index');
      else if (kind === null) this.#notes.add('not looked at', file.name, '');
      else this.#files.push({ kind, name, file });
    }
    await this.#readEnvironments(environments);
  }

  has(kind: Kind): boolean {
    return this.#files.some((one) => one.kind === kind);
  }

  async *of(kind: Kind): AsyncGenerator<{ name: string; part: Part }> {
    let at = 0;
    for (const { name, file } of this.#files.filter((one) => one.kind === kind)) {
      for await (const { name: row, value } of isRows(file)
        ? this.#rows(kind, file)
        : this.#whole(kind, name, file)) {
        yield { name: row, part: new Part(value, this.#path(kind, name, at), this.#notes) };
        at += 1;
      }
    }
  }

  async *#whole(kind: Kind, name: string, file: SourceFile) {
    const given = await jsonOf(file);
    yield { name, value: STATIC.has(kind) ? this.#resolved(given) : given };
  }

  async *#rows(kind: Kind, file: SourceFile) {
    for await (const line of linesOf(file)) yield ofRow(kind, valueOfLine(file, line));
  }

  /** Empty where there is no such file. */
  async one(kind: Kind): Promise<Part> {
    for await (const { part } of this.of(kind)) return part;
    return new Part({}, '', this.#notes);
  }

  /** A secret of a subscription: `!` and hexadecimal digits. */
  secret(text: string): string | null {
    if (!text.startsWith('!')) return text;
    const key = this.#variable('PORTAL_API_AESKEY');
    return key === null ? null : opened(text.slice(1), key);
  }

  note(): void {
    for (const part of this.#variables) part.note();
  }

  #path(kind: Kind, name: string, at: number): string {
    if (kind === 'apis' || kind === 'groups') return '';
    if (kind === 'globals') return kind;
    return kind === 'auth-servers' || kind === 'api-config' ? `${kind}.${name}` : `${kind}[${at}]`;
  }

  async #readEnvironments(files: ReadonlyMap<string, SourceFile>): Promise<void> {
    const others = [...files.keys()].filter((name) => name !== 'default');
    const chosen =
      others.length === 0
        ? null
        : this.#notes.decide('env', `the environment, beside default: ${others.join(', ')}`, (answer) =>
            others.find((name) => name === answer),
          );
    for (const name of [chosen, 'default']) {
      const file = name == null ? undefined : files.get(name);
      if (file) this.#variables.push(new Part(await jsonOf(file), `env.${name}`, this.#notes));
    }
    for (const name of others)
      if (name !== chosen) this.#notes.add('left out', `env.${name}`, 'another environment');
  }

  #resolved(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value, 0);
    if (Array.isArray(value)) return value.map((one) => this.#resolved(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#resolved(one)]));
  }

  #text(text: string, depth: number): string {
    if (depth > 10 || !text.includes('$')) return text;
    const whole = /^\$([A-Za-z_]\w*)$/.exec(text)?.[1];
    const replaced =
      whole === undefined
        ? text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (raw, name: string) => this.#variable(name) ?? raw)
        : (this.#variable(whole) ?? text);
    return replaced === text ? text : this.#text(replaced, depth + 1);
  }

  /** Of the files, then wicked's of this process, never ours. Null: there is none, or it cannot be opened. */
  #variable(name: string): string | null {
    const known = this.#tried.get(name);
    if (known !== undefined) return known;
    this.#tried.set(name, null);
    const holder = this.#variables.find((part) => part.has(name));
    const entry = holder?.part(name);
    const value = entry?.text('value');
    const isSealed = entry?.flag('encrypted') === true;
    const ofProcess = name.startsWith('PORTAL_') ? this.#env[name] : undefined;
    const found = value === undefined ? (ofProcess ?? null) : isSealed ? this.#open(name, value) : value;
    this.#tried.set(name, found);
    return found;
  }

  #open(name: string, value: string): string | null {
    const key = this.#env['PORTAL_CONFIG_KEY'];
    const found = key === undefined ? null : opened(value, key);
    if (found === null) {
      const because =
        key === undefined
          ? 'is encrypted: set PORTAL_CONFIG_KEY in the environment'
          : 'is encrypted with another PORTAL_CONFIG_KEY';
      this.#notes.decide(`env.${name}`, because, () => undefined);
    }
    return found;
  }
}

function kindOf(file: string): [Kind | 'env' | 'no' | null, string] {
  for (const [pattern, kind] of KINDS) {
    const match = pattern.exec(file);
    if (match) return [kind, match[1] ?? ''];
  }
  return [null, ''];
}

async function jsonOf(file: SourceFile): Promise<unknown> {
  try {
    return JSON.parse(await wholeText(file));
  } catch (error) {
    if (error instanceof SourceFault) throw error;
    throw new SourceFault(`${file.name}: is not JSON`);
  }
}
