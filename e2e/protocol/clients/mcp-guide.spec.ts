// docs/start/mcp-server.md: applies its file, runs its commands and its server, and connects unmodified clients.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { codeIn, replaceIn } from '#testing/code/doc-snippets.ts';
import { freePort } from '#testing/net/free-port.ts';
import { isInstalled } from '#testing/net/proxies.ts';
import { until } from '#testing/net/until.ts';
import { Browser } from '#testing/service/browser.ts';
import { agreeing, Keeper } from '../../support/clients/mcp.ts';
import { connected, SDKS } from '../../support/clients/mcp-agent.ts';
import { runShell } from '../../support/pages/printed-code.ts';
import { makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

test.skip(!isInstalled('openssl'), 'openssl is not installed');

/** Replacements of the guide's method by the fixture method. */
const METHOD = { '[local]': '[pw]', 'id: local': 'id: pw', 'name: E-mail and password': 'name: Password' };
const GUIDE = 'docs/start/mcp-server.md';

test('docs/start/mcp-server.md: the file, the commands, their outputs, the server and the clients work', async () => {
  const port = await freePort();
  mkdirSync('test-results', { recursive: true });
  const folder = mkdtempSync(path.resolve('test-results', 'guide-'));
  const own = { 'localhost:8080': `localhost:${port}` };
  const [file = ''] = codeIn(GUIDE, 'yaml');
  const [server = ''] = codeIn(GUIDE, 'js');
  const [apply = '', , start = '', walk = ''] = codeIn(GUIDE, 'sh');
  const [applied = '', answer = '', report = ''] = codeIn(GUIDE, 'text');
  const service = { 'http://localhost:3000': door.url };
  writeFileSync(path.join(folder, 'memos.yaml'), replaceIn(file, { ...own, ...METHOD }));
  writeFileSync(
    path.join(folder, 'memos.mjs'),
    replaceIn(server, {
      ...own,
      ...service,
      '/auth/local/': '/auth/pw/',
      'listen(8080': `listen(${port}`,
    }),
  );
  const settings = {
    DATABASE_URL: process.env['E2E_DATABASE_URL'],
    GATEHOUSE_SECRET: process.env['E2E_SECRET'],
    BASE_URL: door.url,
  };
  const [make = '', run = ''] = apply.trim().split('\n');
  const [serve = '', look = ''] = replaceIn(start, own).trim().split('\n');
  expect(serve.endsWith(' &')).toBe(true);
  // one shell, so exported variables reach the server
  const exported = Object.entries(settings).map(([name, value]) => `export ${name}='${value}'`);
  const shell = spawn(
    'bash',
    [
      '-eu',
      '-c',
      [
        ...exported,
        make,
        replaceIn(run, { 'memos.yaml': `${folder}/memos.yaml` }),
        `cd ${folder}`,
        `exec ${serve.slice(0, -2)}`,
      ].join('\n'),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let printed = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  try {
    const answers = () => fetch(`http://localhost:${port}/`).then(Boolean, () => false);
    await until(async () => shell.exitCode !== null || (await answers()), { seconds: 60 });
    expect(shell.exitCode).toBeNull();
    expect([applied, answer, report]).not.toContain('');
    expect(printed.endsWith(applied)).toBe(true);
    const seen = await runShell(look);
    const lines = replaceIn(answer, service).trim().split('\n');
    for (const line of lines.filter((text) => text !== '…')) expect(seen).toContain(line);
    const walked = await runShell(replaceIn(walk, own));
    expect(walked).toBe(replaceIn(report, { ...own, ...service, '/auth/local/': '/auth/pw/' }));
    const person = await makePerson();
    for (const connect of Object.values(SDKS)) {
      const url = new URL(`http://localhost:${port}/mcp`);
      const keeper = new Keeper({ redirectUrl: 'http://localhost:4998/callback', clientId: 'memos-agent' });
      const visit = agreeing(new Browser(door), person);
      const agent = await connected(connect, { url, keeper, visit });
      keeper.withoutRefresh = true;
      await expect(agent.call('add_memo', { text: 'Call home' })).rejects.toThrow();
      await agent.finish(await visit(keeper.take()));
      expect((await agent.call('add_memo', { text: 'Call home' })).content[0]?.text).toContain('Call home');
      await agent.close();
    }
  } finally {
    shell.kill();
    await sql("delete from clients where client_id = 'memos-agent'");
    await sql("delete from apis where id = 'memos'");
  }
});
