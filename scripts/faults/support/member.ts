// A PostgreSQL server with the programs of the Linux distribution, and the network link through which the other
// server reaches it.
import { execFile, spawn } from 'node:child_process';
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { commandAs, unprivilegedAccount } from '#lib/embedded-database/postgres-process.ts';
import { freePort } from '#testing/net/free-port.ts';
import { Link } from './link.ts';
import { Postgres } from './postgres.ts';

/** Folder in which Debian installs the programs of PostgreSQL, with a subfolder for each version. */
const DISTRIBUTION = '/usr/lib/postgresql';

/**
 * Returns the folder with initdb, postgres, pg_basebackup and pg_rewind of the newest version; null: not installed.
 */
export function postgresPrograms(): string | null {
  const versions = existsSync(DISTRIBUTION) ? readdirSync(DISTRIBUTION) : [];
  const folders = versions
    .sort((one, other) => Number(one) - Number(other))
    .map((version) => path.join(DISTRIBUTION, version, 'bin'));
  return folders.findLast((folder) => existsSync(path.join(folder, 'pg_rewind'))) ?? null;
}

export class Member extends Postgres {
  readonly name: string;
  readonly link: Link;

  private constructor(name: string, folder: string, ownerUrl: string, link: Link) {
    super(folder, ownerUrl);
    this.name = name;
    this.link = link;
  }

  /** Prepares an empty folder and ports; `owner`: superuser with password. */
  static async at(folder: string, name: string, owner: { name: string; password: string }): Promise<Member> {
    const port = await freePort();
    const url = `postgres://${owner.name}:${owner.password}@127.0.0.1:${port}/postgres`;
    const member = new Member(name, path.join(folder, `postgres-${name}`), url, await Link.to(port));
    mkdirSync(member.folder, { mode: 0o700 });
    own(member.folder);
    return member;
  }

  /** Runs a program of the PostgreSQL installation under PostgreSQL's account. */
  async run(program: string, ...args: string[]): Promise<void> {
    const { file, args: all, options } = this.#command(program, args);
    await promisify(execFile)(file, all, options);
  }

  write(file: string, text: string, flag: 'w' | 'a' = 'w'): void {
    const at = path.join(this.folder, file);
    writeFileSync(at, text, { mode: 0o600, flag });
    own(at);
  }

  /** Changes a setting of the running server. */
  async set(setting: string, value: string): Promise<void> {
    await this.asOwner(async (client) => {
      await client.query(`alter system set ${setting} = '${value}'`);
      await client.query('select pg_reload_conf()');
    }, 'postgres');
  }

  protected override async launch(): Promise<void> {
    const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', `cluster_name=${this.name}`];
    const flags = settings.flatMap((setting) => ['-c', setting]);
    const at = ['-D', this.folder, '-p', String(this.port)];
    const { file, args, options } = this.#command('postgres', [...at, ...flags]);
    const log = openSync(`${this.folder}.log`, 'a', 0o600);
    const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', log, log] });
    closeSync(log);
    child.unref();
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  #command(program: string, args: string[]) {
    return commandAs(unprivilegedAccount(), path.join(postgresPrograms() ?? '', program), args, this.folder);
  }
}

/**
 * Gives the file to the account of the server, because a server that root starts runs under another account.
 */
function own(file: string): void {
  const account = unprivilegedAccount();
  if (account) chownSync(file, account.uid, account.gid);
}
