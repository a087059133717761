// Runs MCP's conformance suite (@modelcontextprotocol/conformance, `authorization`) for authorization servers:
// metadata, and authorization code grant with PKCE and resource for a public client without scope.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@playwright/test';
import { throughBroker } from '#testing/brokers/broker.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import type { Answer } from '#testing/net/sent.ts';
import { Browser, isConsentPage, isSignInPage } from '#testing/service/browser.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';
import { campusPerson } from '../../support/service/external.ts';
import '../../support/service/localhost-names.ts';

const NAMES = path.resolve('e2e/support/service/localhost-names.ts');
const SUITE = path.resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
/** Null: any person that the broker names. */
type Somebody = { email: string; password: string } | null;
type Check = { id: string; status: string; errorMessage?: string };

/** Runs both scenarios; `visit` opens the suite's URL as a user. Returns every check of both scenarios. */
async function checksOf(args: string[], visit: (address: string) => Promise<void>): Promise<Check[]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-mcp-'));
  const command = ['--import', NAMES, SUITE, 'authorization', ...args, '--output-dir', folder];
  const running = spawn('node', command, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const said: string[] = [];
    for await (const line of createInterface(running.stdout)) {
      said.push(line);
      if (/^http\S+\/authorize\?/.test(line)) await visit(line);
    }
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('checks.json'),
    );
    expect(files, said.join('\n')).toHaveLength(2);
    return files.flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Check[]);
  } finally {
    running.kill();
    rmSync(folder, { recursive: true });
  }
}

/** An API whose methods all accept unregistered clients. One of its issuers also has a separate host. */
let api: { id: string };
let host: string;
test.beforeAll(async () => {
  api = await makeApi({ agents: 'ask' });
  host = `http://login-${api.id}.localhost:${new URL(door.url).port}`;
  await sql("insert into combinations (auth_method_id, api_id) select unnest(array['ext', 'brk']), $1", [
    api.id,
  ]);
  await sql('update apis set issuer_hosts = $1 where id = $2', [{ pw: host }, api.id]);
});
test.afterAll(() => sql('update apis set issuer_hosts = null where id = $1', [api.id]));

const at = (method: string) => () => issuerOf(door, method, api.id);
const CASES: [where: string, issuer: () => string, somebody: () => Promise<Somebody>][] = [
  ['a combination of the method pw', at('pw'), makePerson],
  ['a combination of the method ext', at('ext'), async () => campusPerson()],
  ['a combination of the method brk', at('brk'), async () => null],
  ['an issuer on a host of its own', () => host, makePerson],
];
for (const [where, issuer, somebody] of CASES) {
  test(`@modelcontextprotocol/conformance authorization at ${where}: the suite reports no failure and no warning`, async () => {
    const port = await freePort();
    const { clientId } = await makeClient({
      kind: 'native',
      redirectUris: ['http://127.0.0.1/callback'],
      apis: [api.id],
    });
    const person = await somebody();
    const visit = async (address: string) => {
      const browser = new Browser(door);
      let page: Answer = await browser.get(address);
      if (person === null) page = await browser.get(await throughBroker(page, `agent-${clientId}`));
      page = await browser.onward(page);
      if (isSignInPage(page) && person) page = await browser.onward(await browser.signInOn(page, person));
      if (isConsentPage(page)) page = await browser.onward(await browser.decideOn(page, 'allow'));
      expect(page.location, page.text.slice(0, 300)).toContain(`http://127.0.0.1:${port}/callback?`);
      await fetch(page.location, { headers: { connection: 'close' } });
    };
    const client = ['--client-id', clientId, '--port', String(port)];
    const checks = await checksOf(
      ['--url', issuer(), ...client, '--resource', `https://api.example/${api.id}`],
      visit,
    );
    expect(checks.map(({ id }) => id).toSorted()).toEqual([
      'authorization-code-grant',
      'authorization-server-metadata',
      'authorization-server-metadata-cimd',
    ]);
    for (const { id, status, errorMessage } of checks)
      expect(status, `${id}: ${errorMessage}`).toBe('SUCCESS');
  });
}
