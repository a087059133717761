// The commands that docs/how-to/ldap.md tells an operator to run, with a real OpenLDAP server.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { handleManagementApi } from '#lib/management-api/management-api.ts';
import { codeIn, replaceIn } from '#testing/code/doc-snippets.ts';
import {
  DIRECTORY_PASSWORD,
  groupEntry,
  hasSlapd,
  personDn,
  personEntry,
  SEARCHER,
  type Slapd,
  startSlapd,
} from '#testing/directories/slapd.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { send } from '#testing/net/http.ts';
import type { Listening } from '#testing/net/listen.ts';

const GUIDE = 'docs/how-to/ldap.md';
const SECRET = 'the-secret-of-the-guide-0123456789';
/** The existing configuration. */
const BESIDE = `
  - { id: local, type: local }
apis:
  - { id: orders, name: Orders, url: "https://api.example/orders", auth_methods: [local, staff] }
users:
  - { email: admin@example.com, roles: [administrator] }
clients:
  - { client_id: shop, client_name: It, confidential: true, client_secret_env: SECRET, redirect_uris: ["https://shop.example/cb"] }
subscriptions:
  - { client_id: shop, api: orders, trusted: true, approved_by: admin@example.com }
`;

describe.skipIf(!hasSlapd)('docs/how-to/ldap.md', () => {
  let door: Listening;
  let slapd: Slapd;
  let folder: string;
  const SERVERS = ['ldaps://ldap1.corp.example', 'ldaps://ldap2.corp.example'];

  beforeAll(async () => {
    [door, slapd] = await Promise.all([openDoor(handleManagementApi), startSlapd()]);
    slapd.add(personEntry('ada'), groupEntry('editors', [personDn('ada')]));
    mkdirSync('test-results', { recursive: true });
    folder = path.resolve(mkdtempSync(path.join('test-results', 'ldap-')));
    const cli = path.resolve(import.meta.dirname, '../../cli/main.ts');
    const file = (name: string, text: string, mode = 0o600) =>
      writeFileSync(path.join(folder, name), text, { mode });
    file('gatehouse', `#!/bin/sh\nexec ${process.execPath} ${cli} "$@"\n`, 0o755);
    file('searcher.password', SEARCHER.password);
    const [method = ''] = codeIn(GUIDE, 'yaml');
    const own = `allow_private_network: true\n    ca: |\n${slapd.ca.replace(/^/gm, '      ').trimEnd()}`;
    const ours = { ...addresses(), 'trust_email: true': `trust_email: true\n    ${own}` };
    file('gatehouse.yaml', replaceIn(method, ours).trimEnd() + BESIDE);
  });
  afterAll(async () => {
    await door?.close();
    await slapd?.close();
  });

  const addresses = () =>
    Object.fromEntries(SERVERS.map((server) => [server, `ldaps://localhost:${slapd.tlsPort}`]));
  const commandsWith = (what: string) => codeIn(GUIDE, 'sh').find((block) => block.includes(what)) ?? '';
  /** Runs a shell script, and returns its complete output. */
  const shell = (script: string): Promise<string> => {
    const bin = `${folder}:${process.env['PATH']}`;
    const env = { ...process.env, SECRET, BASE_URL: door.url, PATH: bin };
    const program = spawn('bash', ['--norc', '-uc', script], { cwd: folder, env });
    let said = '';
    for (const stream of [program.stdout, program.stderr])
      stream.on('data', (text) => (said += String(text)));
    return new Promise((resolve) => program.on('close', () => resolve(said)));
  };
  const signIn = async (password: string) => {
    const form = { grant_type: 'password', username: 'ada', password };
    const answer = await send(`${door.url}/auth/staff/api/orders/token`, {
      form: { ...form, client_id: 'shop', client_secret: SECRET },
    });
    return answer.status;
  };

  test('the commands of the guide work in the printed order, and a directory user signs in', async () => {
    const [first = ''] = SERVERS;
    // the address is 127.0.0.1, because the LDAP library resolves localhost to the machine's name, which the
    // certificate lacks
    const searched = replaceIn(commandsWith('ldapsearch'), { [first]: `ldap://127.0.0.1:${slapd.port}` });
    expect(await shell(searched)).toMatch(/^dn: uid=ada,.*entryUUID: .*memberOf: cn=editors,/s);
    expect(await shell(commandsWith('apply'))).toMatch(/staff/);
    expect(await signIn(DIRECTORY_PASSWORD)).toBe(200);
    expect(await signIn('wrong')).toBe(400);
    const told = await shell(commandsWith('doctor'));
    expect(told).toMatch(/ldap staff[^\n]*Days until its certificate expires: 1/);
    expect(told).toMatch(/ldap staff[^\n]*The account is accepted/);
    expect(told).toMatch(/ldap staff[^\n]*The search base exists/);
    expect(told).toMatch(/orders/);
    expect(told).toMatch(/sign_in\.refused/);
    expect(told).not.toContain(SEARCHER.password);
  });
});
