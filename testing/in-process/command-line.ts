// Command line as a management API client: a real server, the registered client, a configuration folder, and a user in
// a browser.
import { type ChildProcess, execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createClient } from '#lib/catalogue/clients/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { ensureManagementApi, MANAGEMENT_API } from '#lib/management/built-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { handleManagementApi } from '#lib/management-api/management-api.ts';
import { givenEmptyRegistry, PASSWORD } from '../data/registry.ts';
import type { Listening } from '../net/listen.ts';
import { openDoor } from './in-process-door.ts';
import { Visitor } from './visitor.ts';

const main = path.resolve(import.meta.dirname, '../../cli/main.ts');
const CLIENT = { clientId: 'gatehouse-cli', api: MANAGEMENT_API };

/** Sets the configuration folder, including for this process. */
export async function openService(): Promise<Listening & { folder: string }> {
  const door = await openDoor(handleManagementApi);
  await givenEmptyRegistry();
  await ensureManagementApi(undefined, { atStart: true });
  const folder = await mkdtemp(path.join(os.tmpdir(), 'gatehouse-command-line-'));
  process.env['XDG_CONFIG_HOME'] = folder;
  return { ...door, folder };
}

export async function givenCommandLine(scopes: string[] = []): Promise<void> {
  const redirectUris = ['http://127.0.0.1/callback'];
  await createClient(OPERATOR, {
    clientId: CLIENT.clientId,
    name: 'Command line',
    kind: 'native',
    redirectUris,
  });
  await requestSubscription(OPERATOR, { ...CLIENT, scopes });
  await decideSubscription(OPERATOR, { ...CLIENT, action: 'approve' });
}

/** Signs in at the URL, decides on consent, returns the redirect URL. */
export async function answerOf(
  address: string,
  { email = 'admin@example.com', decision = 'allow' } = {},
): Promise<URL> {
  const visitor = new Visitor();
  const page = await visitor.onward(await visitor.send(pathOf(address)));
  const consent = await visitor.submit(page, { username: email, password: PASSWORD });
  const { address: back = '' } = await visitor.submit(consent, { decision });
  return new URL(back);
}

const pathOf = (address: string) => address.slice(new URL(address).origin.length);

type Kept = Record<string, unknown>;

/** Changes members of the single stored sign-in. */
export async function changeKept(change: Kept): Promise<Kept> {
  const folder = path.join(process.env['XDG_CONFIG_HOME'] ?? '', 'gatehouse');
  const [name = ''] = (await readdir(folder)).filter((file) => file.endsWith('.sign-in.json'));
  const file = path.join(folder, name);
  const kept = { ...(JSON.parse(await readFile(file, 'utf8')) as Kept), ...change };
  await writeFile(file, JSON.stringify(kept));
  return kept;
}

/** Expires the access token, so the next command renews it. */
export const endAccessToken = () => changeKept({ expires_at: '2020-01-01T00:00:00.000Z' });

type Ran = { status: number; stdout: string; stderr: string };
type Run = { onAddress?: (address: string, child: ChildProcess) => unknown };

/** Returns the sign-in URL, which is printed on a separate line. */
const addressIn = (text: string) => /^ {2}(http\S+)\n/m.exec(text)?.[1];

/** Runs the command line without database; all work happens at the remote service. */
export function runCommandLine(args: string[], { onAddress }: Run = {}) {
  const own = {
    NODE_ENV: 'test' as const,
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    XDG_CONFIG_HOME: process.env['XDG_CONFIG_HOME'],
  };
  return new Promise<Ran>((resolve) => {
    const child = execFile(
      process.execPath,
      [main, ...args],
      { encoding: 'utf8', env: own },
      (error, stdout, stderr) => resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    );
    let said = '';
    child.stderr?.on('data', (text) => {
      const before = addressIn(said);
      said += text;
      const address = addressIn(said);
      if (before === undefined && address !== undefined) onAddress?.(address, child);
    });
    child.stdin?.end();
  });
}
