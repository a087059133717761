// Debian's gateways, each with the configuration that docs/gateways.md has for it, in front of an API of the test.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../net/free-port.ts';
import { send } from '../net/http.ts';
import { Program } from '../net/program.ts';

/** nginx and HAProxy are in a folder that only root has in its PATH. */
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` };
const document = readFileSync(path.resolve(import.meta.dirname, '../../docs/gateways.md'), 'utf8');

function blockIn(language: string): string {
  const [, code] = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(document) ?? [];
  if (code === undefined) throw new Error(`docs/gateways.md has no ${language}`);
  return code;
}

type At = { folder: string; port: number };
type Gateway = {
  /** the language of its block in the document */
  block: string;
  /** the program, and a file that must be there */
  program: string;
  needs?: string;
  /** the file that the configuration is written to, and all of what is in it */
  file: string;
  whole: (block: string, at: At) => string;
  args: (file: string, at: At) => string[];
};

const APACHE_MODULES = '/usr/lib/apache2/modules';
const apacheModules = [
  ...['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_openidc', 'proxy', 'proxy_http'],
].map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`);

const GATEWAYS = {
  nginx: {
    block: 'nginx',
    program: 'nginx',
    file: 'nginx.conf',
    whole: (block, { folder, port }) => `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events {}
http {
access_log off;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((what) => `${what}_temp_path ${folder}/${what};`).join('\n')}
server {
listen 127.0.0.1:${port};
${block}
}
}`,
    args: (file, { folder }) => ['-p', folder, '-e', `${folder}/log`, '-c', file],
  },
  caddy: {
    block: 'caddyfile',
    program: 'caddy',
    file: 'Caddyfile',
    whole: (block, { port }) => `{\nadmin off\n}\nhttp://127.0.0.1:${port} {\n${block}\n}\n`,
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  haproxy: {
    block: 'haproxy',
    program: 'haproxy',
    file: 'haproxy.cfg',
    whole: (block, { folder, port }) =>
      block.replace('/etc/haproxy', folder).replace('bind :8000', `bind 127.0.0.1:${port}`),
    args: (file) => ['-db', '-f', file],
  },
  apache: {
    block: 'apache',
    program: 'apache2',
    needs: `${APACHE_MODULES}/mod_auth_openidc.so`,
    file: 'apache.conf',
    whole: (block, { folder, port }) => `ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/log
User www-data
Group www-data
${apacheModules.join('\n')}
OIDCOAuthSSLValidateServer Off
${block}`,
    args: (file) => ['-D', 'FOREGROUND', '-f', file],
  },
} satisfies Record<string, Gateway>;

export type GatewayName = keyof typeof GATEWAYS;

export function isInstalled(name: GatewayName): boolean {
  const { program, needs = '/' }: Gateway = GATEWAYS[name];
  return spawnSync('sh', ['-c', `command -v ${program} && test -e ${needs}`], { env }).status === 0;
}

/** `words` take the place of the document's. */
export async function startGateway(name: GatewayName, words: Record<string, string>) {
  const { block, program, file, whole, args }: Gateway = GATEWAYS[name];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-gateway-'));
  // one that is started as root becomes another user
  chmodSync(folder, 0o755);
  const at = { folder, port: await freePort() };
  const replaced = (text: string) =>
    Object.entries(words).reduce((all, [example, value]) => all.replaceAll(example, value), text);
  const configuration = path.join(folder, file);
  writeFileSync(configuration, replaced(whole(blockIn(block), at)));
  if (name === 'haproxy') writeFileSync(path.join(folder, 'gatehouse.lua'), replaced(blockIn('lua')));
  const url = `http://127.0.0.1:${at.port}`;
  const running = new Program({
    command: [program, ...args(configuration, at)],
    env: { ...env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    log: path.join(folder, 'log'),
    answers: () =>
      send(url).then(
        () => true,
        () => false,
      ),
    seconds: 15,
  });
  await running.start();
  const stop = async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { url, stop };
}
