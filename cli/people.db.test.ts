// Invited users, and users who wait for an account, managed by the real command line: with a local database, and with
// a remote service.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { readWrittenMail } from '#lib/kit/mail.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { handleManagementApi } from '#lib/management-api/management-api.ts';
import { givenPerson, givenToken, mailTo, sql } from '#testing/data/registry.ts';
import { givenManagementApi } from '#testing/in-process/management.ts';
import { type Listening, listen, textOf } from '#testing/net/listen.ts';
import { mailServer } from '#testing/net/mail-server.ts';

const main = path.resolve(import.meta.dirname, 'main.ts');
const A_WHILE = 120_000;
let server: Listening;
let token: string;

beforeAll(async () => {
  await givenManagementApi();
  token = await givenToken(await givenPerson('admin', 'administrator'));
  await givenPerson('judge', 'approver');
  const core = createServer(async (incoming, outgoing) => {
    const body = Buffer.from(await textOf(incoming));
    const [target = '', query = ''] = (incoming.url ?? '').split('?');
    const answer = await handleManagementApi({
      ...{ method: incoming.method ?? 'GET', path: target, query, body: async () => body },
      ...{ headers: incoming.headers as Record<string, string>, peerAddress: '127.0.0.1' },
      requestId: randomUUID(),
    });
    outgoing.writeHead(answer?.status ?? 404, answer?.headers).end(answer?.body);
  });
  server = await listen(core);
});
afterAll(() => server.close());
beforeEach(async () => {
  await sql('delete from person_registrations');
  await changeAuthMethod(OPERATOR, { id: 'local', config: { registration: 'approval' } });
});

const folder = path.join(tmpdir(), `gatehouse-cli-${process.pid}`);
mkdirSync(folder, { recursive: true });

/** additional environment variables for the process of the command */
let more: Record<string, string> = {};
afterEach(() => {
  more = {};
});

type Ran = { status: number; stdout: string; stderr: string };

/** `here`: the command uses the local database. `there`: the command has no database and uses the remote service. */
function run(where: 'here' | 'there', ...args: string[]): Promise<Ran> {
  const there = { GATEHOUSE_SERVER: server.url, GATEHOUSE_TOKEN: token, DATABASE_URL: undefined };
  const env = { ...process.env, ...more, GATEHOUSE_DATA_DIR: folder, ...(where === 'there' && there) };
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { encoding: 'utf8', env },
      (error, stdout, stderr) => resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.end();
  });
}

/** Returns the mails that the local command or the remote service sent. */
async function mailsTo(where: 'here' | 'there', email: string): Promise<string[]> {
  if (where === 'there') return (await mailTo(email)).map(({ text }) => text);
  const written = await readWrittenMail(path.join(folder, 'mail'), 1_000);
  return written.filter(({ to }) => to === email).map(({ text }) => text);
}

for (const where of ['here', 'there'] as const) {
  const at = (name: string) => `${name}-${where}@example.com`;

  it(`${where}: the command invites addresses from arguments and a file, and prints a result and sends a mail for each`, {
    timeout: A_WHILE,
  }, async () => {
    const file = path.join(folder, `${where}.txt`);
    writeFileSync(file, `${at('eve')}\r\n\n  ${at('ada').toUpperCase()}\nno address\n`);
    const first = await run(where, 'user', 'invite', at('ada'), 'admin@example.com', '--file', file);
    expect(first).toMatchObject({
      status: 1,
      stdout: `invited: ${at('ada')}\nhas account: admin@example.com\ninvited: ${at('eve')}\ninvited again: ${at('ada')}\n5: no address must be an email address\n`,
    });
    expect((await mailsTo(where, at('ada'))).length).toBe(2);
    expect((await mailsTo(where, at('eve')))[0]).toMatch(/register\?invitation=[\w-]{43}$/m);
    expect(await mailsTo(where, 'admin@example.com')).toEqual([]);
    expect(await run(where, 'user', 'invite', at('ada'), '--method', 'other')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('must be one of local'),
    });
    expect(await run(where, 'user', 'invite')).toMatchObject({ status: 2 });
    await changeAuthMethod(OPERATOR, { id: 'local', config: { registration: 'off' } });
    expect(await run(where, 'user', 'invite', at('ada'))).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('no one can be invited'),
    });
  });

  it(`${where}: registrations that wait for approval are listed, approved and rejected`, {
    timeout: A_WHILE,
  }, async () => {
    await sql(
      `insert into person_registrations (auth_method_id, email, name, kind, state, handle_hash, password_hash, expires_at)
       select 'local', who, 'Somebody', 'waiting', 'proved', sha256(who::bytea), 'x', now() + interval '1 day'
       from unnest($1::text[]) who`,
      [[at('una'), at('uwe')]],
    );
    const listed = await run(where, 'user', 'waiting');
    expect(listed.stdout).toMatch(new RegExp(`${at('una')} +Somebody +local`));
    const by = where === 'here' ? ['--by', 'judge@example.com'] : [];
    if (where === 'here') expect(await run(where, 'user', 'approve', at('una'))).toMatchObject({ status: 2 });
    expect(await run(where, 'user', 'approve', at('una'), ...by)).toMatchObject({
      status: 0,
      stdout: `approved ${at('una')}\n`,
    });
    expect(await run(where, 'user', 'reject', at('uwe'), '--reason', 'Who are you?', ...by)).toMatchObject({
      status: 0,
      stdout: `rejected ${at('uwe')}\n`,
    });
    expect((await mailsTo(where, at('uwe')))[0]).toContain('Why:\n> Who are you?');
    expect(await run(where, 'user', 'approve', at('uwe'), ...by)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('@example.com has already decided (rejected, '),
    });
    expect(await sql('select email from people where email like $1', [`u%-${where}@example.com`])).toEqual([
      { email: at('una') },
    ]);
  });
}

it('`gatehouse user invite` exits after a slow mail server accepts the last mail', {
  timeout: A_WHILE,
}, async () => {
  const mails = await mailServer({ delayMs: 700 });
  more = { SMTP_URL: mails.smtpUrl };
  const emails = Array.from({ length: 45 }, (_, at) => `slow-${at}@example.com`);
  expect(await run('here', 'user', 'invite', ...emails)).toMatchObject({ status: 0, stderr: '' });
  const taken = new Set(mails.received.join('').match(/(?<=RCPT TO:<)slow-\d+@example\.com/g));
  expect(taken.size).toBe(45);
  await mails.close();
});
