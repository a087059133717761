// An API in PHP: PHP-FPM behind Caddy, which forwards every header. It returns the headers as PHP reads them (RFC
// 3875 §4.1.18), under the names that Node uses.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { Program } from './program.ts';
import { isInstalled, startCaddy } from './proxies.ts';

const env = { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` };

/** Returns the path of PHP-FPM, whose file name contains a version on Debian. Empty: PHP-FPM is not installed. */
const phpFpm = (): string =>
  spawnSync('sh', ['-c', 'for at in $(echo "$PATH" | tr : " "); do ls "$at"/php-fpm* 2>/dev/null; done'], {
    env,
    encoding: 'utf8',
  })
    .stdout.split('\n')[0]
    ?.trim() ?? '';

export const hasPhpApi = () => phpFpm() !== '' && isInstalled('caddy');

const SCRIPT = `<?php
$headers = [];
foreach ($_SERVER as $name => $value)
  if (str_starts_with($name, 'HTTP_')) $headers[strtolower(strtr(substr($name, 5), '_', '-'))] = $value;
if (str_contains($_SERVER['REQUEST_URI'], 'forbids')) http_response_code(403);
echo json_encode($headers);
`;

export async function startPhpApi(): Promise<{ port: number; close: () => Promise<void> }> {
  const [folder, caddy] = [0, 1].map(() => mkdtempSync(path.join(os.tmpdir(), 'gatehouse-php-'))) as [
    string,
    string,
  ];
  chmodSync(folder, 0o755);
  const socket = path.join(folder, 'php.sock');
  writeFileSync(path.join(folder, 'api.php'), SCRIPT);
  const configuration = path.join(folder, 'php-fpm.conf');
  writeFileSync(
    configuration,
    `[global]
error_log = ${folder}/log
daemonize = no
[www]
listen = ${socket}
pm = static
pm.max_children = 2
catch_workers_output = yes
`,
  );
  const php = new Program({
    // `--allow-to-run-as-root` is needed if the tests run as root
    command: [phpFpm(), '--nodaemonize', '--allow-to-run-as-root', '--fpm-config', configuration],
    env,
    log: path.join(folder, 'log'),
    answers: async () => spawnSync('test', ['-S', socket]).status === 0,
    seconds: 15,
  });
  await php.start();
  const port = await freePort();
  const site = `http://:${port} {
  bind 127.0.0.1
  root * ${folder}
  rewrite * /api.php
  php_fastcgi unix/${socket}
}
`;
  const server = await startCaddy(caddy, port, site, 'http');
  const close = async () => {
    await server.stop();
    await php.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, close };
}
