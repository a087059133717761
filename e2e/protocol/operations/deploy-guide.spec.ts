// Runs docs/operate/deploy-node.md command by command in a private file system: from Debian's packages to a signed-in
// person, a restored backup with its settings, an upgrade and its rollback, and a rotated secret. Commands that
// download or build packages are left out, because the test uses this checkout's packages. systemd is left out too:
// the test verifies its unit and runs its ExecStart.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, globSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { blockIn, codeIn, replaceIn } from '#testing/code/doc-snippets.ts';
import { freePort } from '#testing/net/free-port.ts';

const DOC = 'docs/operate/deploy-node.md';
const CLEAN_ROOT = path.resolve('e2e/support/service/clean-root.sh');
const [DEBIAN_POSTGRES = ''] = globSync('/etc/postgresql/*/main/postgresql.conf');
const VERSION = DEBIAN_POSTGRES.split('/')[3];
const SECRET = Buffer.alloc(32, 7).toString('base64url');

// a process namespace, too: nothing that the guide starts outlives the test
const OWN_ROOT = ['--mount', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc', 'bash', CLEAN_ROOT];

/** Requires a private file system for root and Debian's PostgreSQL. */
function isPossible(nothing: string): boolean {
  writeFileSync(nothing, 'true\n');
  return (
    process.getuid?.() === 0 &&
    DEBIAN_POSTGRES !== '' &&
    spawnSync('unshare', [...OWN_ROOT, nothing]).status === 0
  );
}

/** Returns the shell blocks of the guide in order, with substitutes for packages, build and systemd. */
function scriptOf(port: number, databasePort: number): string {
  const root = process.cwd();
  const dist = path.resolve(process.env['GATEHOUSE_DIST_DIR'] ?? '.next');
  const install = [
    'mkdir node_modules .next',
    `mount --bind ${root}/node_modules node_modules`,
    `tar -C ${dist} --exclude=./cache --exclude=./dev -c . | tar -x -C .next`,
    `cp -r ${root}/lib/store/generated lib/store/`,
    'chown -R gatehouse: .next lib/store/generated',
  ].join('\n');
  const checkout = (version: string) =>
    `mkdir ${version}\ngit -C ${root} archive HEAD | tar -x -C ${version}\nchown -R gatehouse: ${version}`;
  const unit = codeIn(DOC, 'ini')[0] ?? '';
  const execStart = /^ExecStart=(.*)$/m.exec(unit)?.[1] ?? '';
  const environment = /^Environment=(.*)$/m.exec(unit)?.[1] ?? '';
  const lines: Record<string, string> = {
    'apt-get update\n': '',
    'apt-get install --yes curl git libatomic1 openssl postgresql nginx\n': '',
    '-- createuser --pwprompt gatehouse': '-- psql -qc "create role gatehouse login password \'pw\'"',
    'runuser -u gatehouse -- git clone --depth=1 --branch=v0.3.0 REPOSITORY 0.3.0': checkout('0.3.0'),
    'runuser -u gatehouse -- git clone --depth=1 --branch=v0.4.0 REPOSITORY 0.4.0': checkout('0.4.0'),
    'runuser -u gatehouse -- npm install --no-audit --no-fund': install,
    'runuser -u gatehouse -- npm run build\n': '',
    'systemctl daemon-reload\n': existsSync('/usr/bin/systemd-analyze')
      ? 'systemd-analyze verify --man=no /etc/systemd/system/gatehouse.service\n'
      : '',
    'nginx -t\n': existsSync('/usr/sbin/nginx') ? '/usr/sbin/nginx -t\n' : '',
    'systemctl reload nginx': ':',
    'systemctl enable --now gatehouse-backup.timer': ':',
    'systemctl enable --now gatehouse\n': 'start\n',
    'systemctl start gatehouse': 'start',
    // only the backup's settings remain
    'systemctl stop gatehouse': 'stop\nrm /etc/gatehouse.env',
    'systemctl restart gatehouse': 'stop\nstart',
    '127.0.0.1:3000': `127.0.0.1:${port}`,
  };
  const settings = (text: string) =>
    replaceIn(text, {
      'postgresql://gatehouse:…@127.0.0.1:5432': `postgresql://gatehouse:pw@127.0.0.1:${databasePort}`,
      'GATEHOUSE_SECRET=…': `GATEHOUSE_SECRET=${SECRET}`,
      'BASE_URL=https://login.example': `BASE_URL=http://127.0.0.1:${port}\nPORT=${port}`,
      // without this setting, mails stay on this machine
      'SMTP_URL=': '#SMTP_URL=',
    });
  const blocks = codeIn(DOC, 'sh').map((text) => {
    if (text.includes('https://nodejs.org')) return '';
    if (text.startsWith('NODE_ENV=')) return `cat > /etc/gatehouse.env <<'END'\n${settings(text)}END`;
    if (text.startsWith('#!/bin/sh')) {
      const place = text.includes('pg_dump')
        ? '/usr/local/sbin/gatehouse-backup'
        : '/usr/local/bin/gatehouse';
      return `cat > ${place} <<'END'\n${text}END\nchmod 755 ${place}`;
    }
    return text;
  });
  const known = blocks.join('\n# ---\n');
  const file = codeIn(DOC, 'yaml')[0] ?? '';
  return [
    'set -eu',
    `sed -i 's/^port = .*/port = ${databasePort}/' ${DEBIAN_POSTGRES}`,
    'mkdir -p /run/postgresql && chown postgres: /run/postgresql',
    `pg_ctlcluster ${VERSION} main start`,
    'pid=',
    'stop() { if [ -n "$pid" ]; then kill "$pid"; wait "$pid" || true; pid=; fi; }',
    'start() {',
    '  cd /srv/gatehouse/current',
    '  set -a; . /etc/gatehouse.env; set +a',
    '  mkdir -p /var/cache/gatehouse && chown gatehouse: /var/cache/gatehouse',
    `  setpriv --reuid=gatehouse --regid=gatehouse --clear-groups env ${environment} ${execStart} > /var/log/gatehouse.log 2>&1 &`,
    '  pid=$!',
    `  for _ in $(seq 1 240); do curl --silent --fail http://127.0.0.1:${port}/ready > /dev/null && return; sleep 0.25; done`,
    '  cat /var/log/gatehouse.log; exit 1',
    '}',
    `export PGPORT=${databasePort}`,
    `cat > /etc/gatehouse.yaml <<'END'\n${file}END`,
    'mkdir -p /etc/systemd/system /etc/nginx/conf.d',
    `cat > /etc/systemd/system/gatehouse.service <<'END'\n${unit}END`,
    `cat > /etc/nginx/conf.d/gatehouse.conf <<'END'\n${blockIn(DOC, 'nginx')}END`,
    'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=login.example -days 2' +
      ' -keyout /etc/ssl/login.example.key -out /etc/ssl/login.example.pem 2> /dev/null',
    // a user signs in between first start and backup
    replaceIn(known, lines).replace(/(curl --fail .*\/ready)/, '$1\necho; echo SIGN-IN; read -r _'),
    // the first secret is removed, and data that was sealed with it is still readable
    `if grep ${SECRET} /etc/gatehouse.env; then exit 1; fi`,
    'echo; echo THE-END',
  ].join('\n');
}

test('docs/operate/deploy-node.md: its commands lead from Debian’s packages to a signed-in user, and through a restore and an upgrade', async ({
  page,
}, testInfo) => {
  test.skip(
    !isPossible(testInfo.outputPath('nothing.sh')),
    'this machine gives root no file system of its own, or has no PostgreSQL of Debian',
  );
  test.setTimeout(240_000);
  const [port, databasePort] = [await freePort(), await freePort()];
  const script = testInfo.outputPath('guide.sh');
  writeFileSync(script, scriptOf(port, databasePort));
  // removes the settings of this test run
  const env = { NODE_ENV: 'production' as const, PATH: process.env['PATH'], HOME: '/root' };
  const child = spawn('unshare', [...OWN_ROOT, script], { env });
  const output = collect(child);
  try {
    await output.until('SIGN-IN');
    const password = /^password: (.+)$/m.exec(output.text())?.[1] ?? '';
    await page.goto(`http://127.0.0.1:${port}/admin`);
    await page.getByLabel('Email').fill('ada@example.com');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Operations');
    child.stdin.write('\n');
    await output.until('THE-END');
    expect(output.text()).toMatch(/ended \d+ token families, \d+ codes and 1 sessions/);
  } finally {
    // SIGKILL, because unshare ignores SIGTERM
    child.kill('SIGKILL');
    await output.ended;
  }
});

function collect(child: ChildProcess) {
  let text = '';
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  child.stdout?.on('data', (chunk) => (text += chunk));
  child.stderr?.on('data', (chunk) => (text += chunk));
  let isOver = false;
  void ended.then(() => (isOver = true));
  return {
    text: () => text,
    ended,
    /** Waits for the line. Fails if the script ends first. */
    until: async (line: string) => {
      await expect.poll(() => text.includes(`\n${line}\n`) || isOver, { timeout: 120_000 }).toBe(true);
      if (!text.includes(`\n${line}\n`))
        throw new Error(`the commands ended before ${line}:\n${text.slice(-3_000)}`);
    },
  };
}
