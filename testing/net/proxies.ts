// Real web servers, if installed: nginx and Caddy configured as in docs/, Apache with an OpenID Connect client, in
// separate folders.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { Program } from './program.ts';

export type RunningProxy = { stop: () => Promise<void> };

/** PATH that includes the folder of nginx; usually only root's PATH contains it. */
const PATH = `${process.env['PATH']}:/usr/sbin:/usr/local/sbin`;
export const isInstalled = (program: string) =>
  spawnSync('sh', ['-c', `command -v ${program}`], { env: { ...process.env, PATH } }).status === 0;

export const newFolder = () => mkdtempSync(path.join(os.tmpdir(), 'gatehouse-proxy-'));

/** Creates a self-signed certificate for localhost; returns the paths of the certificate and its key. */
export function makeCertificate(folder: string): { certificate: string; key: string } {
  const [certificate, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '1'];
  const files = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...files, ...subject], {
    stdio: 'ignore',
  });
  return { certificate, key };
}

/** Starts nginx with `blocks` inside `http`, as a single process of the current user. */
export function startNginx(folder: string, port: number, blocks: string): Promise<RunningProxy> {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (what) => `${what}_temp_path ${folder}/${what};`,
  );
  const configuration = `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events {}
http {
access_log off;
${temporary.join('\n')}
${blocks}
}
`;
  writeFileSync(path.join(folder, 'nginx.conf'), configuration);
  const args = ['-p', folder, '-e', `${folder}/proxy.log`, '-c', `${folder}/nginx.conf`];
  return start('nginx', args, folder, port);
}

/** Starts Caddy. `scheme`: URL scheme of its sites. */
export function startCaddy(
  folder: string,
  port: number,
  sites: string,
  scheme: 'https' | 'http' = 'https',
): Promise<RunningProxy> {
  // Caddy opens no port 80, installs no root certificate, and has no admin API
  const global = `{
  admin off
  skip_install_trust
  auto_https disable_redirects
  storage file_system ${folder}
}
`;
  writeFileSync(path.join(folder, 'Caddyfile'), global + sites);
  const args = ['run', '--adapter', 'caddyfile', '--config', `${folder}/Caddyfile`];
  // Caddy listens before its certificate exists, so the check for https includes a TLS handshake
  return start('caddy', args, folder, port, scheme === 'https' ? shakesHands : listens);
}

const APACHE_MODULES = '/usr/lib/apache2/modules';
export const hasApacheClient = () =>
  isInstalled('apache2') && existsSync(`${APACHE_MODULES}/mod_auth_openidc.so`);

/** Starts Apache with these directives. mod_auth_openidc is its OpenID Connect client. */
export function startApache(folder: string, port: number, directives: string): Promise<RunningProxy> {
  const modules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_openidc', 'headers'].map(
    (name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`,
  );
  // the folder must be readable, because an Apache that root starts switches to another user
  chmodSync(folder, 0o755);
  const configuration = `ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/proxy.log
User www-data
Group www-data
${modules.join('\n')}
${directives}
`;
  writeFileSync(path.join(folder, 'apache.conf'), configuration);
  return start('apache2', ['-D', 'FOREGROUND', '-f', `${folder}/apache.conf`], folder, port);
}

async function start(
  program: string,
  args: string[],
  folder: string,
  port: number,
  answers: (port: number) => Promise<boolean> = listens,
): Promise<RunningProxy> {
  const proxy = new Program({
    command: [program, ...args],
    env: { ...process.env, PATH, HOME: folder },
    log: path.join(folder, 'proxy.log'),
    answers: () => answers(port),
    seconds: 15,
  });
  const end = async () => {
    await proxy.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  await proxy.start().catch(async (error) => {
    await end();
    throw error;
  });
  return { stop: end };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function shakesHands(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = tls.connect({
      port,
      host: '127.0.0.1',
      servername: 'localhost',
      rejectUnauthorized: false,
    });
    socket.once('secureConnect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('secureConnect', () => socket.destroy());
  });
}
