// Gateways of docs/how-to/gateways.md, each with its documented configuration, in front of a test API.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../net/free-port.ts';
import { send } from '../net/http.ts';
import { Program } from '../net/program.ts';

/** Environment whose PATH also contains the folders of nginx and HAProxy; usually only root's PATH contains them. */
const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` };
const document = readFileSync(path.resolve(import.meta.dirname, '../../docs/how-to/gateways.md'), 'utf8');

/** Returns the code blocks of a section, without fences, in order. */
function blocksOf(heading: string): string[] {
  const [, section = ''] = document.split(new RegExp(`^## ${heading}$`, 'm'));
  const [own = ''] = section.split(/^## /m);
  const blocks = [...own.matchAll(/^```\w+\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  if (blocks.length === 0) throw new Error(`docs/how-to/gateways.md has no code under ${heading}`);
  return blocks;
}

type At = { folder: string; port: number };
type Gateway = {
  /** heading of the gateway's section in the document */
  heading: string;
  /** program, and a required file */
  program: string;
  needs?: string;
  /** files made from the code blocks of the guide, by name; the program receives the first file */
  files: (blocks: string[], at: At) => Record<string, string>;
  args: (file: string, at: At) => string[];
};

const indented = (text: string, spaces: number) => text.replace(/^(?=.)/gm, ' '.repeat(spaces));
const envoyCluster = (name: string, address: string) =>
  `{ name: ${name}, load_assignment: { cluster_name: ${name}, endpoints: [{ lb_endpoints: [{ endpoint: { address: ` +
  `{ socket_address: { address: 127.0.0.1, port_value: ${address} } } } }] }] } }`;

const APACHE_MODULES = '/usr/lib/apache2/modules';
const apacheModules = [
  ...['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_openidc', 'proxy', 'proxy_http'],
].map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`);

const GATEWAYS = {
  nginx: {
    heading: 'nginx',
    program: 'nginx',
    files: ([block = ''], { folder, port }) => ({
      'nginx.conf': `daemon off;
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
    }),
    args: (file, { folder }) => ['-p', folder, '-e', `${folder}/log`, '-c', file],
  },
  caddy: {
    heading: 'Caddy',
    program: 'caddy',
    files: ([block = ''], { port }) => ({
      Caddyfile: `{\nadmin off\n}\nhttp://:${port} {\nbind 127.0.0.1\n${block}\n}\n`,
    }),
    args: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
  haproxy: {
    heading: 'HAProxy',
    program: 'haproxy',
    files: ([lua = '', block = ''], { folder, port }) => ({
      'haproxy.cfg': block.replace('/etc/haproxy', folder).replace('bind :8000', `bind 127.0.0.1:${port}`),
      'gatehouse.lua': lua,
    }),
    args: (file) => ['-db', '-f', file],
  },
  traefik: {
    heading: 'Traefik',
    program: 'traefik',
    files: ([entry = '', routes = ''], { folder, port }) => ({
      'traefik.yml': entry.replace('/etc/traefik', folder).replace('":8000"', `127.0.0.1:${port}`),
      'gatehouse.yml': routes,
    }),
    args: (file) => [`--configFile=${file}`],
  },
  envoy: {
    heading: 'Envoy',
    program: 'envoy',
    files: ([block = ''], { port }) => ({
      'envoy.yaml': `static_resources:
  listeners:
    - address: { socket_address: { address: 127.0.0.1, port_value: ${port} } }
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: api
                route_config:
                  virtual_hosts: [{ name: api, domains: ["*"], routes: [{ match: { prefix: / }, route: { cluster: orders } }] }]
${indented(block, 16)}
                  - name: envoy.filters.http.router
                    typed_config: { "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router }
  clusters:
    - ${envoyCluster('auth', 'AUTH_PORT')}
    - ${envoyCluster('orders', 'API_PORT')}
`,
    }),
    args: (file) => ['-c', file, '--concurrency', '1', '--disable-hot-restart', '-l', 'warn'],
  },
  apache: {
    heading: 'Apache',
    program: 'apache2',
    needs: `${APACHE_MODULES}/mod_auth_openidc.so`,
    files: ([block = ''], { folder, port }) => ({
      'apache.conf': `ServerRoot ${folder}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/log
User www-data
Group www-data
${apacheModules.join('\n')}
OIDCOAuthSSLValidateServer Off
${block}`,
    }),
    args: (file) => ['-D', 'FOREGROUND', '-f', file],
  },
} satisfies Record<string, Gateway>;

export type GatewayName = keyof typeof GATEWAYS;
export const GATEWAY_NAMES = Object.keys(GATEWAYS) as GatewayName[];

export function isInstalled(name: GatewayName): boolean {
  const { program, needs = '/' }: Gateway = GATEWAYS[name];
  return spawnSync('sh', ['-c', `command -v ${program} && test -e ${needs}`], { env }).status === 0;
}

/** Starts the gateway. `words`: values that replace example values of the document. */
export async function startGateway(name: GatewayName, words: Record<string, string>) {
  const { heading, program, files, args }: Gateway = GATEWAYS[name];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-gateway-'));
  // programs started as root switch to another user
  chmodSync(folder, 0o755);
  const at = { folder, port: await freePort() };
  const replaced = (text: string) =>
    Object.entries(words).reduce((all, [example, value]) => all.replaceAll(example, value), text);
  const written = files(blocksOf(heading), at);
  for (const [file, text] of Object.entries(written)) writeFileSync(path.join(folder, file), replaced(text));
  const configuration = path.join(folder, Object.keys(written)[0] ?? '');
  const url = `http://127.0.0.1:${at.port}`;
  const running = new Program({
    command: [program, ...args(configuration, at)],
    env: { ...env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    log: path.join(folder, 'log'),
    // the check needs a route, because Traefik listens before it has read its routes
    answers: () =>
      send(`${url}/orders/`).then(
        ({ status }) => name !== 'traefik' || status !== 404,
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
