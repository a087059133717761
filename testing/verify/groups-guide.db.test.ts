// The commands that docs/how-to/groups.md tells an operator to run, and the API of that page, which reads
// groups and roles with jose.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword } from '#lib/kit/password-hash.ts';
import { ensureManagementApi } from '#lib/management/built-in.ts';
import { handleManagementApi } from '#lib/management-api/management-api.ts';
import { codeIn, replaceIn, writeSnippet } from '#testing/code/doc-snippets.ts';
import { givenToken, sql } from '#testing/data/registry.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { typed } from '#testing/in-process/typed.ts';
import { send } from '#testing/net/http.ts';
import { type Listening, listen } from '#testing/net/listen.ts';

const GUIDE = 'docs/how-to/groups.md';
const [SECRET, PASSWORD] = ['the-secret-of-the-guide-0123456789', 'the-password-of-ada'];
/** Configuration that exists before the guide's commands, including users. */
const BESIDE = `
auth_methods:
  - { id: local, type: local }
clients:
  - { client_id: shop, client_name: It, confidential: true, client_secret_env: SECRET, redirect_uris: ["https://shop.example/cb"] }
  - { client_id: ops, client_name: It, confidential: true, client_secret_env: SECRET }
subscriptions:
  - { client_id: shop, api: orders, trusted: true, approved_by: admin@example.com }
  - { client_id: ops, api: management, scopes: ["groups:read", "groups:write"], approved_by: admin@example.com }
`;
const MORE_USERS = `  - { email: grace@example.com }
  - { email: admin@example.com, roles: [administrator] }
`;

let door: Listening;
let api: Listening;
let folder: string;
type Authorize = (
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<Record<string, unknown> | null>;

/** Runs a shell script in the folder that contains `gatehouse`. */
function shell(script: string): Promise<string> {
  const env = { ...process.env, SECRET, BASE_URL: door.url, PATH: `${folder}:${process.env['PATH']}` };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-euc', script], { cwd: folder, env }, (error, stdout, stderr) =>
      error ? reject(new Error(stdout + stderr)) : resolve(stdout),
    );
  });
}
const commands = codeIn(GUIDE, 'sh');
const commandsWith = (what: string) => commands.find((block) => block.includes(what)) ?? '';

beforeAll(async () => {
  door = await openDoor(handleManagementApi);
  await ensureManagementApi(undefined, { atStart: true });
  mkdirSync('test-results', { recursive: true });
  folder = path.resolve(mkdtempSync(path.join('test-results', 'groups-')));
  const cli = path.resolve(import.meta.dirname, '../../cli/main.ts');
  writeFileSync(path.join(folder, 'gatehouse'), `#!/bin/sh\nexec ${process.execPath} ${cli} "$@"\n`, {
    mode: 0o755,
  });
  const [file = ''] = codeIn(GUIDE, 'yaml');
  writeFileSync(path.join(folder, 'gatehouse.yaml'), file + MORE_USERS + BESIDE);
  writeSnippet('protect.mjs', door.url, {}, folder);
  const program = writeSnippet('editors.mjs', null, {}, folder, GUIDE);
  const { authorizeEditor } = (await import(program)) as { authorizeEditor: Authorize };
  api = await listen(
    http.createServer(async (request, response) => {
      const caller = await authorizeEditor(request, response);
      if (caller) response.end(JSON.stringify({ groups: caller['groups'], roles: caller['roles'] }));
    }),
  );
});
afterAll(async () => {
  await api.close();
  await door.close();
});

/** Returns an access token of the user Ada. */
async function tokenOf(): Promise<{ access_token: string; scope: string }> {
  const form = { grant_type: 'password', username: 'ada@example.com', password: PASSWORD };
  const answer = await send(`${door.url}/auth/local/api/orders/token`, {
    form: { ...form, client_id: 'shop', client_secret: SECRET },
  });
  return answer.json() as { access_token: string; scope: string };
}
async function called(): Promise<unknown> {
  const { access_token } = await tokenOf();
  const answer = await send(api.url, { headers: { authorization: `Bearer ${access_token}` } });
  return answer.status === 200 ? answer.json() : answer.status;
}

test('the commands of the guide work in the printed order, and its API reads groups and roles from a real token', async () => {
  expect(await shell(commandsWith('apply'))).toMatch(/staff-editors/);
  await sql("update people set password_hash = $1 where email = 'ada@example.com'", [
    await hashPassword(typed(PASSWORD)),
  ]);
  expect(await shell(commandsWith('explain'))).toMatch(/orders:write/);
  expect(await called()).toEqual({ groups: ['staff-editors'], roles: ['editor'] });

  const [admin] = await sql<{ id: string }>("select id from people where email = 'admin@example.com'");
  const token = await givenToken({ id: admin?.id } as Parameters<typeof givenToken>[0], {
    scopes: ['groups:read', 'groups:write'],
  });
  const manage = replaceIn(commandsWith('manage()'), { 'https://auth.example': door.url });
  const managed = await shell(`TOKEN=${token}\n${manage}`);
  expect(managed).toMatch(/"id": ?"partners".*grace@example\.com/s);
  expect(await shell(commandsWith('audit'))).toMatch(/group\.created.*group\.member_added.*group\.removed/s);

  // 200 groups for the API: token fits a header
  const many = Array.from({ length: 199 }, (_, at) => `team-${at}`);
  await sql('insert into groups (id, name) select id, id from unnest($1::text[]) id', [many]);
  await sql(
    "insert into group_members (person_id, group_id) select p.id, g from people p, unnest($1::text[]) g where p.email = 'ada@example.com'",
    [many],
  );
  await sql("update apis set groups_claim = '{*}' where id = 'orders'");
  expect(await called()).toMatchObject({ groups: { length: 200 }, roles: ['editor'] });
  expect((await tokenOf()).access_token.length).toBeLessThan(4_096);
  // users outside every group lose the scope
  await sql('delete from group_members');
  expect([await called(), (await tokenOf()).scope]).toEqual([403, 'orders:read']);
});
