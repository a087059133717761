// AppAuth-JS, unmodified, as a native application (RFC 8252), from discovery to the end of the session.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { decodeJwt } from 'jose';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { until } from '#testing/net/until.ts';
import { Browser, isConsentPage } from '#testing/service/browser.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const PROGRAM = path.resolve(import.meta.dirname, '../../support/clients/appauth.mjs');
const BYE = 'com.example.notes:/bye';

/** Creates a folder with browser launchers for Linux and macOS, which write the URL to a file. */
function givenOpener(): { folder: string; opened: string } {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-opener-'));
  const opened = path.join(folder, 'opened');
  for (const name of ['xdg-open', 'open']) {
    const file = path.join(folder, name);
    writeFileSync(file, `#!/bin/sh\nprintf %s "$1" > ${opened}.new && mv ${opened}.new ${opened}\n`);
    chmodSync(file, 0o755);
  }
  return { folder, opened };
}

test('AppAuth-JS as a native program signs in with PKCE at a loopback address, refreshes, gets userinfo, revokes and signs out', async () => {
  const port = await freePort();
  const person = await makePerson();
  const { clientId } = await makeClient({
    kind: 'native',
    // any loopback port is valid (RFC 8252 §7.3)
    redirectUris: ['http://127.0.0.1/cb'],
    postLogoutRedirectUris: [BYE],
  });
  const { folder, opened } = givenOpener();
  const scope = 'openid profile email offline_access';
  const given = JSON.stringify({ issuer: issuerOf(door), clientId, port, scope });
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const running = promisify(execFile)('node', [PROGRAM, given], { env });
  try {
    expect(await until(() => existsSync(opened))).toBe(true);
    const browser = new Browser(door);
    const asked = await browser.onward(await browser.get(readFileSync(opened, 'utf8')));
    const consent = await browser.onward(await browser.signInOn(asked, person));
    expect(isConsentPage(consent)).toBe(true);
    const { location } = await browser.onward(await browser.decideOn(consent, 'allow'));
    expect(location.startsWith(`http://127.0.0.1:${port}/cb?`), location).toBe(true);
    // the program exits after the browser closes its connection
    const told = await send(location, { headers: { connection: 'close' } });
    expect(told.text).toBe('Close your browser to continue');

    const { stdout } = await running;
    const printed = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, string>;
    const { idToken = '', endSessionEndpoint, ...rest } = printed;
    expect(rest).toEqual({
      userinfo: expect.objectContaining({ sub: person.id, name: person.name, email: person.email }),
      // expected error: the service rejects the refresh, but the library reports no details
      afterwards: 'Bad Request',
    });
    expect(decodeJwt(idToken)).toMatchObject({ iss: issuerOf(door), sub: person.id, aud: clientId });

    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: BYE });
    const left = await browser.get(`${endSessionEndpoint}?${query}`);
    expect(left.location).toBe(BYE);
    const silent = await browser.ask(
      { clientId, redirectUri: `http://127.0.0.1:${port}/cb` },
      { prompt: 'none' },
    );
    expect(new URL(silent.location).searchParams.get('error')).toBe('login_required');
  } finally {
    running.child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
