// The device grant with an unmodified client in C, Debian's oidc-agent: from the code to a refresh and the end of the
// tokens.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { CONF } from '#testing/in-process/delegations.ts';
import { connect, DEVICES_AT, givenDevices } from '#testing/in-process/devices.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { introspect } from '#testing/in-process/issuer-host.ts';

const hasAgent = ['oidc-agent', 'oidc-gen', 'oidc-token'].every(
  (name) => spawnSync(name, ['--version']).status === 0,
);
/** Longer than a slow machine needs, but finite, so that a hanging client does not block the test. */
const timeout = 60_000;
const folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-oidc-agent-'));
const socket = path.join(folder, 'socket');
const env = {
  ...process.env,
  HOME: folder,
  OIDC_CONFIG_DIR: folder,
  OIDC_SOCK: socket,
  OIDC_ENCRYPTION_PW: 'of-the-file',
};

let door: Awaited<ReturnType<typeof openDoor>>;
let agent: ChildProcess;
beforeAll(async () => {
  if (!hasAgent) return;
  await givenDevices();
  // oidc-agent always requests these scopes, and repeats all of them at each refresh
  await sql(
    `update subscriptions set scopes = '{openid,read,offline_access}' where client_id = 'conf' and api_id = 'orders'`,
  );
  door = await openDoor();
  const daemon = ['--console', '--no-autoreauthenticate', '--socket-path', socket];
  agent = spawn('oidc-agent', daemon, { env, stdio: 'ignore' });
  await vi.waitUntil(() => existsSync(socket), { timeout });
});
afterAll(async () => {
  agent?.kill();
  await door?.close();
  rmSync(folder, { recursive: true, force: true });
  loadSettings();
});

type Ended = { failed: boolean; said: string };

/** `onText`: receives all text printed so far. */
function run(command: string[], onText: (text: string) => void = () => {}): Promise<Ended> {
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = execFile(program, args, { env, timeout }, (error, stdout, stderr) =>
      resolve({ failed: error !== null, said: stdout + stderr }),
    );
    let text = '';
    child.stderr?.on('data', (more) => {
      text += more;
      onText(text);
    });
    child.stdin?.end();
  });
}

test.runIf(hasAgent)(
  'oidc-agent completes a device sign-in, receives an access token, refreshes, and revokes its refresh token',
  {
    timeout: 2 * timeout,
  },
  async () => {
    const client = ['--client-id', CONF.client_id, '--client-secret', CONF.client_secret];
    const asked = ['--issuer', `${door.url}${DEVICES_AT}`, '--scope', 'openid read', '--flow=device'];
    const unasked = ['--manual', '--pw-env', '--confirm-yes', '--prompt=none'];
    let connected: Promise<string | null> | undefined;
    const generated = await run(['oidc-gen', ...client, ...asked, ...unasked, 'one'], (text) => {
      const [, user_code] = /([A-Z]{4}-[A-Z]{4})/.exec(text) ?? [];
      if (user_code !== undefined) connected ??= connect({ user_code });
    });
    expect(generated.failed, generated.said).toBe(false);
    expect(await connected).toBe('allowed');

    const first = await run(['oidc-token', 'one']);
    const next = await run(['oidc-token', '--force-new', 'one']);
    expect(next.failed, next.said).toBe(false);
    expect(next.said).not.toBe(first.said);
    for (const { said } of [first, next])
      expect(await introspect(said.trim())).toMatchObject({ active: true, client_id: CONF.client_id });

    await sql('delete from consents');
    const refused = await run(['oidc-token', '--force-new', 'one']);
    expect(refused.failed, refused.said).toBe(true);
    expect(refused.said).toContain('invalid_grant');
  },
);
