// A real Active Directory: Samba runs as domain controller. It runs in a network namespace, because its ports are
// fixed. Traffic passes through Unix sockets.
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { certificateFor } from '#testing/net/certificate.ts';
import { listen } from '#testing/net/listen.ts';
import { Program } from '#testing/net/program.ts';

export const AD_BASE = 'DC=corp,DC=example';
export const ADMINISTRATOR = `CN=Administrator,CN=Users,${AD_BASE}`;
export const AD_PASSWORD = 'Engine-1843-Lovelace';
const REALM = ['--realm=CORP.EXAMPLE', '--domain=CORP', '--server-role=dc', '--dns-backend=NONE'];

/** Requires root for the namespace, plus all programs of the domain. */
export const hasSamba =
  ['/usr/sbin/samba', '/usr/bin/samba-tool', '/usr/share/samba/setup/provision.ldif'].every((file) =>
    existsSync(file),
  ) && spawnSync('unshare', ['-n', 'true']).status === 0;

export type Samba = {
  port: number;
  tlsPort: number;
  /** certificate of the CA that issued the server certificate for localhost */
  ca: string;
  /** changes entries as the administrator; the changes are in LDIF */
  modify: (ldif: string) => Promise<void>;
  close: () => Promise<void>;
};

/**
 * Python program that creates the domain with one display specifier. Windows has 1,401 of them, a third of
 * all entries.
 */
const MADE = `
import sys
import samba.provision
from samba.auth import system_session
from samba.netcmd.main import cmd_sambatool
from samba.param import LoadParm
from samba.samdb import SamDB
whole = samba.provision.read_ms_ldif
samba.provision.read_ms_ldif = lambda file: whole(file).split('\\n\\n')[0] + '\\n'
state, script, *arguments = sys.argv[1:]
if cmd_sambatool()._run('samba-tool', 'domain', 'provision', '--targetdir=' + state, *arguments):
    sys.exit('the domain was not made')
lp = LoadParm(filename_for_non_global_lp=state + '/etc/smb.conf')
sam = SamDB(url=state + '/private/sam.ldb', session_info=system_session(), lp=lp)
exec(script)
`;

const RELAY = `
const net = require('node:net');
for (const [from, to] of JSON.parse(process.argv[1]))
  net.createServer((socket) => {
    const out = net.connect(to, '127.0.0.1');
    socket.on('error', () => out.destroy()).on('close', () => out.destroy()).pipe(out);
    out.on('error', () => socket.destroy()).on('close', () => socket.destroy()).pipe(socket);
  }).listen(from);
`;

/** Starts Samba. `script`: Python code that uses the directory's database as `sam`. */
export async function startSamba(script: string): Promise<Samba> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-samba-'));
  const state = path.join(folder, 'state');
  const domain = [...REALM, '--host-name=dc1', '--host-ip=127.0.0.1', `--adminpass=${AD_PASSWORD}`];
  const made = ['-c', MADE, state, script, ...domain, '--option=vfs objects='];
  execFileSync('/usr/bin/python3', made, { stdio: ['ignore', 'ignore', 'pipe'] });
  const { key, cert } = certificateFor('localhost');
  const tls = path.join(folder, 'tls');
  mkdirSync(tls);
  for (const [name, text] of Object.entries({ key, cert }))
    writeFileSync(path.join(tls, `${name}.pem`), text, { mode: 0o600 });
  const conf = path.join(state, 'etc/smb.conf');
  const options = [
    'server services = ldap, cldap, rpc, winbindd',
    'vfs objects =',
    `tls keyfile = ${tls}/key.pem`,
    `tls certfile = ${tls}/cert.pem`,
    'tls cafile =',
  ].join('\n\t');
  writeFileSync(conf, readFileSync(conf, 'utf8').replace('[global]', `[global]\n\t${options}`));
  const sockets = [389, 636].map((port) => [path.join(folder, `${port}.sock`), port] as const);
  const command = 'ip link set lo up; "$1" -e "$2" "$3" & exec /usr/sbin/samba -F --no-process-group -s "$4"';
  const arguments_ = ['sh', process.execPath, RELAY, JSON.stringify(sockets), conf];
  const answers = async () =>
    new Promise<boolean>((resolve) => {
      const [[file]] = sockets as [readonly [string, number], ...unknown[]];
      const socket = net.connect(file, () => socket.write(ROOT));
      socket.once('data', () => resolve(true)).once('error', () => resolve(false));
      socket.once('close', () => resolve(false)).once('data', () => socket.destroy());
    });
  const program = new Program({
    // with these flags, all child processes of the command end together with it
    command: ['unshare', '-n', '-p', '-f', '--kill-child', 'sh', '-c', command, ...arguments_],
    env: process.env,
    log: path.join(folder, 'log'),
    answers,
    everyMs: 250,
    seconds: 45,
  });
  await program.start();
  const doors = await Promise.all(
    sockets.map(([file]) =>
      listen(
        net.createServer((socket) => {
          const to = net.connect(file);
          socket
            .on('error', () => to.destroy())
            .on('close', () => to.destroy())
            .pipe(to);
          to.on('error', () => socket.destroy())
            .on('close', () => socket.destroy())
            .pipe(socket);
        }),
      ),
    ),
  );
  const [plain, secure] = doors;
  return {
    port: plain?.port ?? 0,
    tlsPort: secure?.port ?? 0,
    ca: cert,
    // the call is asynchronous, because this process must forward the connection meanwhile
    modify: (ldif) =>
      new Promise((resolve, reject) => {
        const at = ['-x', '-H', `ldaps://localhost:${secure?.port}`, '-D', ADMINISTRATOR, '-w', AD_PASSWORD];
        // GnuTLS does not accept a self-signed certificate as an authority
        const env = { ...process.env, LDAPTLS_REQCERT: 'never' };
        const done = (error: Error | null) => (error ? reject(error) : resolve());
        execFile('ldapmodify', at, { env }, done).stdin?.end(ldif);
      }),
    close: async () => {
      await program.kill();
      for (const door of doors) await door.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Encoded search for the root DSE, which everybody can read without authentication. */
const ROOT = Buffer.from(
  '30250201016320' + '04000a01000a0100020100020100010100' + '870b6f626a656374636c617373' + '3000',
  'hex',
);
