import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { makePair, setOf } from '#testing/clients/client-keys.ts';

const main = path.resolve(import.meta.dirname, 'main.ts');
const run = (args: string[], input = '') => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    input,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
};

it('wrong usage exits with status 2 and points to --help, and --help of every verb exits with 0', () => {
  expect(run([])).toMatchObject({ status: 2 });
  expect(run(['bogus'])).toMatchObject({ status: 2 });
  expect(run(['apply'])).toMatchObject({ status: 2 });
  expect(run(['apply', 'x', '--bogus']).stderr).toContain('--help');
  expect(run(['subscription', 'approve', '--help'])).toMatchObject({ status: 0, stderr: '' });
});

it('if the database is unreachable, every command prints one line with the reason', () => {
  const elsewhere = (url: string, ...args: string[]) =>
    spawnSync(process.execPath, [main, ...args], {
      encoding: 'utf8',
      env: { ...process.env, DATABASE_URL: url, DIRECT_URL: '' },
    });
  const gone = 'postgresql://x@127.0.0.1:1/y';
  for (const verb of [['migrate'], ['keys', 'list'], ['export']]) {
    const { status, stderr } = elsewhere(gone, ...verb);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'the database is not reachable: connect ECONNREFUSED 127.0.0.1:1\n',
    });
  }
  const other = new URL(process.env['DATABASE_URL'] ?? '');
  other.pathname = '/nosuch';
  const { status, stderr } = elsewhere(other.href, 'keys', 'list');
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'the database is not reachable: database "nosuch" does not exist\n',
  });
  expect(elsewhere(gone, 'doctor').stdout).toContain('not reachable: connect ECONNREFUSED 127.0.0.1:1');
});

it('audit: the word "now" is a valid time, and an empty result prints a message on stderr', () => {
  expect(run(['invalidate', '--before', 'noon']).stderr).toContain(
    'must be a date, now, or a duration such as 30m',
  );
  const ahead = run(['invalidate', '--before', '2999-01-01']);
  expect(ahead).toMatchObject({ status: 2, stderr: expect.stringContaining('--before is in the future') });
  const none = run(['audit', '--since', 'now', '--event', 'key.']);
  expect(none).toEqual({ status: 0, stdout: '', stderr: 'no matching event\n' });
  const unknown = run(['audit', '--event', 'sing_in.']);
  expect(unknown.stderr).toBe('No event is called sing_in. Did you mean sign_in.?\n');
});

it('the help lists required options, and a missing option is a usage error that names it', () => {
  const help = run(['client', 'create', '--help']).stdout;
  expect(help).toContain('client create CLIENT_ID --name NAME --type TYPE --redirect-uri URI [options]');
  const missing = run(['client', 'create', 'x', '--name', 'X', '--type', 'browser']);
  expect(missing).toMatchObject({ status: 2, stderr: expect.stringMatching(/^--redirect-uri is missing/) });
  expect(run(['user', 'bogus']).stderr).toMatch(/^unknown command user bogus\n/);
  expect(run(['user']).stderr).not.toContain('unknown command');
  expect(run(['plan', 'x.yaml']).stderr).toMatch(
    /^unknown command plan x.yaml; did you mean apply FILE --dry-run\?/,
  );
  expect(run(['docter']).stderr).toMatch(/^unknown command docter; did you mean doctor\?/);
});

it('client create: a private_key_jwt client gets no secret, and rotation of its secret is rejected', async () => {
  const file = path.join(tmpdir(), `gatehouse-keys-${process.pid}.json`);
  const create = ['client', 'create', 'keyed', '--name', 'Keyed', '--type', 'confidential', '--redirect-uri'];
  const byKeys = [...create, 'https://keyed.example/cb', '--auth-method', 'private_key_jwt'];
  writeFileSync(file, '{');
  expect(run([...byKeys, '--jwks', file])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('is not JSON'),
  });
  expect(run(byKeys)).toMatchObject({ status: 1, stderr: expect.stringContaining('jwks is missing') });
  writeFileSync(file, JSON.stringify(setOf(await makePair())));
  expect(run([...byKeys, '--jwks', file])).toEqual({ status: 0, stdout: 'created keyed\n', stderr: '' });
  expect(run(['client', 'rotate-secret', 'keyed'])).toMatchObject({
    status: 1,
    stderr: 'keyed authenticates by private_key_jwt and has no secret\n',
  });
});

it('JSON output has the snake_case names of the management API, for every list', () => {
  const file = path.join(tmpdir(), `gatehouse-names-${process.pid}.yaml`);
  writeFileSync(file, 'apis:\n  - { id: cli-names, url: "https://cli-names.example" }\n');
  expect(run(['apply', file])).toMatchObject({ status: 0 });
  expect(run(['keys', 'rotate']).stdout).toMatch(/^ES256 \S+ signs$/m);
  const rotated = run(['keys', 'rotate']);
  expect(rotated).toMatchObject({ status: 0 });
  expect(rotated.stdout).toMatch(/^ES256 \S+ is published until 2\d{3}-/m);
  expect(rotated.stdout).toMatch(/^ES256 \S+ signs from 2\d{3}-\d\d-\d\d \d\d:\d\d UTC$/m);
  const keys = JSON.parse(run(['keys', 'list', '--json']).stdout) as object[];
  expect(keys[0]).toHaveProperty('signs_from');
  const events = run(['audit', '--json']).stdout.trim().split('\n');
  expect(JSON.parse(events.at(-1) ?? '')).toHaveProperty('request_id');
  const printed = [...keys, ...events.map((line) => JSON.parse(line) as object)];
  expect(printed.flatMap(Object.keys).filter((name) => /[A-Z]/.test(name))).toEqual([]);
});

it('rejected input: the command exits with status 1 and prints one line, no stack trace', () => {
  const missing = run(['apply', '/nowhere.yaml']);
  expect(missing).toEqual({ status: 1, stdout: '', stderr: '/nowhere.yaml: the file does not exist\n' });
  const weak = run(['user', 'create', 'weak@example.com'], 'password1\n');
  expect(weak).toEqual({
    status: 1,
    stdout: '',
    stderr: 'this password is too easy to guess: many people use it\n',
  });
});

it('apply: a faulty file prints every fault and exits with 1, and a second run exits with 0 and reports nothing to change', () => {
  const file = path.join(tmpdir(), `gatehouse-cli-${process.pid}.yaml`);
  writeFileSync(file, 'apis:\n  - { id: cli-a, url: nowhere, access_token_ttl: 0 }\n');
  const faulty = run(['apply', file]);
  expect(faulty.status).toBe(1);
  expect(faulty.stderr.trim().split('\n')).toHaveLength(2);
  writeFileSync(file, 'apis:\n  - { id: cli-a, url: "https://cli-a.example" }\n');
  expect(run(['apply', file]).status).toBe(0);
  expect(run(['apply', file])).toEqual({ status: 0, stdout: 'nothing to change\n', stderr: '' });
});

it('apply: text output, --json and the dry run list each subscription that stops working, and exit with 0', () => {
  const file = path.join(tmpdir(), `gatehouse-stops-${process.pid}.yaml`);
  const write = (uri: string, approval: string) =>
    writeFileSync(
      file,
      `apis: [{ id: stops-api, url: "https://stops-api.example" }]
clients: [{ client_id: stops, confidential: true, redirect_uris: ["${uri}"] }]
users: [{ email: stops@example.com, roles: [administrator] }]
subscriptions:
  - { client_id: stops, api: stops-api, trusted: true${approval} }
`,
    );
  write('https://stops.example/a', ', approved_by: stops@example.com');
  expect(run(['apply', file])).toMatchObject({ status: 0 });
  write('https://stops.example/b', '');
  const told = 'stops working until it is approved, because redirect_uris changed';
  const dry = run(['apply', '--dry-run', file]);
  expect(dry).toMatchObject({ status: 0, stdout: expect.stringContaining(told) });
  expect(dry.stdout).toContain('stops working until it is approved: stops → stops-api');
  const { stops_working } = JSON.parse(run(['apply', '--json', file]).stdout) as { stops_working: object[] };
  expect(stops_working).toEqual([
    {
      client_id: 'stops',
      api: 'stops-api',
      changed: ['redirect_uris'],
      path: 'subscriptions[0].approved_by',
      line: 5,
      message: expect.stringContaining(told),
    },
  ]);
});

it('user create: the command works without a piped password, even with an open standard input', async () => {
  const child = spawn(process.execPath, [main, 'user', 'create', 'silent@example.com'], { stdio: 'pipe' });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      said[name] += chunk;
    });
  const status = await new Promise((resolve) => child.once('close', resolve));
  expect({ status, ...said }).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^created silent@example\.com\npassword: \S{24}\n$/),
    // a warning is expected, because the database of this test has no sign-in method
    stderr: 'warning: there is no sign-in method yet; apply a file that has one\n',
  });
});

it('the password input ends at the line break, even if the pipe stays open', async () => {
  const child = spawn(process.execPath, [main, 'user', 'set-password', 'silent@example.com'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.stdin.write('a good long password\n');
  expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
});

it('a multilingual name: the table shows plain text, --json shows the map, and a second apply changes nothing', () => {
  const file = path.join(tmpdir(), `gatehouse-texts-${process.pid}.yaml`);
  const name = '{ "pt-BR": Loja, en: Shop }';
  writeFileSync(
    file,
    `clients: [{ client_id: texts, client_name: ${name}, application_type: browser, redirect_uris: ["https://texts.example/cb"] }]\n`,
  );
  expect(run(['apply', file])).toMatchObject({ status: 0 });
  expect(run(['apply', '--dry-run', file]).stdout).toContain('nothing to change');
  expect(run(['client', 'list']).stdout).toMatch(/texts +Shop +browser/);
  const listed = JSON.parse(run(['client', 'list', '--json']).stdout) as {
    client_id: string;
    name: unknown;
  }[];
  const found = listed.find((one) => one.client_id === 'texts');
  expect(JSON.stringify(found?.name)).toBe('{"pt-BR":"Loja","en":"Shop"}');
});
