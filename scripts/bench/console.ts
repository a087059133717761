// Memory of the Node server while an administrator reads pages of the console on four connections, without compression.
import { startConsoleSession } from '#lib/sessions/console.ts';
import { closePool } from '#lib/store/pool.ts';
import { withClient } from '#testing/data/sql.ts';
import { Caller } from './client.ts';
import { residentMegabytes } from './meters.ts';
import type { Options } from './options.ts';
import { say } from './report.ts';
import { startTarget } from './targets.ts';
import { METHOD, ORIGIN } from './values.ts';
import { ADMIN, prepareWorld } from './world.ts';

const PAGES = [
  ...['/admin', '/admin/apis', '/admin/auth-methods', '/admin/clients', '/admin/groups', '/admin/people'],
  ...['/admin/subscriptions', '/admin/audit', '/admin/service', '/developer', '/account', '/'],
];
const CONNECTIONS = 4;
const THOUSANDS = 4;

export async function measureConsole({ folder, tokens, clients }: Options): Promise<void> {
  const world = await prepareWorld(folder, tokens, clients, false);
  try {
    const cookie = await signIn(world.databaseUrl);
    const target = await startTarget('node', world, { folder, core: null, profile: false });
    try {
      say(`before the first page: ${residentMegabytes(target.pid).toFixed(0)} MB`);
      const callers = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => Caller.connect(target.port)),
      );
      for (let thousand = 1; thousand <= THOUSANDS; thousand += 1) {
        await Promise.all(callers.map((caller, at) => readPages(caller, at, cookie)));
        say(`after ${thousand * 1_000} pages: ${residentMegabytes(target.pid).toFixed(0)} MB`);
      }
      for (const caller of callers) caller.close();
    } finally {
      await target.stop();
    }
  } finally {
    await closePool();
    await world.stop();
  }
}

async function signIn(databaseUrl: string): Promise<string> {
  const { rows } = await withClient(databaseUrl, (db) =>
    db.query<{ id: string; epoch: string }>('select id, epoch::text from people where email = $1', [ADMIN]),
  );
  const [person] = rows;
  if (!person) throw new Error(`there is no ${ADMIN}`);
  const started = await startConsoleSession({
    cookieHeader: undefined,
    authMethodId: METHOD,
    personId: person.id,
    personEpoch: person.epoch,
    methodEpoch: null,
    amr: ['pwd'],
    requestId: 'bench',
    ip: null,
    userAgent: null,
  });
  if (!started) throw new Error('no session was started');
  return started.cookie.split(';', 1)[0] ?? '';
}

async function readPages(caller: Caller, first: number, cookie: string): Promise<void> {
  for (let at = 0; at < 1_000 / CONNECTIONS; at += 1) {
    const page = PAGES[(first + at) % PAGES.length];
    const { status } = await caller.send(
      `GET ${page} HTTP/1.1\r\nHost: ${new URL(ORIGIN).host}\r\nCookie: ${cookie}\r\n\r\n`,
    );
    if (status !== 200) throw new Error(`${page} said ${status}`);
  }
}
