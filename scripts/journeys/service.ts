// Services for journeys, with the demo configuration or an empty database.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { type Sql, sqlOn } from '#testing/data/sql.ts';
import { worldOn } from '#testing/data/world.ts';
import { freePort } from '#testing/net/free-port.ts';
import { mailServer } from '#testing/net/mail-server.ts';
import { gatehouse, startDoor, startOwnDatabase } from '#testing/service/service.ts';
import { startCompanions } from '../companions.mjs';

const DEMO = 'demo/gatehouse.yaml';

export type Account = { email: string; password: string };
export type Service = {
  url: string;
  sql: Sql;
  world: ReturnType<typeof worldOn>;
  account: (name: string) => Account;
  stop: () => Promise<void>;
};

const { users } = parse(readFileSync(DEMO, 'utf8')) as { users: Account[] };
/** Returns the account of a demo user. */
function account(name: string): Account {
  const found = users.find(({ email }) => email.startsWith(`${name}@`));
  if (!found) throw new Error(`${DEMO} has no ${name}`);
  return found;
}

/** Starts a service like `npm run quickstart`, with separate keys and data. */
export async function startDemo(): Promise<Service> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const own = await startOwnDatabase({ BASE_URL: url });
  // this service owns the configuration copy for changed ports
  process.env['GATEHOUSE_DATA_DIR'] = own.folder;
  const companions = await startCompanions(DEMO, url);
  gatehouse(own.env, 'migrate');
  gatehouse(own.env, 'apply', companions.file);
  const server = await startDoor('node', port, own);
  const sql = sqlOn(own.databaseUrl);
  return {
    url,
    sql,
    world: worldOn(sql, account('alice')),
    account,
    stop: async () => {
      companions.stop();
      await server.stop();
      await own.stop();
    },
  };
}

export type EmptyService = {
  url: string;
  administrator: Account;
  mails: () => number;
  stop: () => Promise<void>;
};

/** Initial sign-in method: an administrator must sign in before adding methods in the console. */
const METHOD = 'auth_methods: [{ id: local, type: local, name: E-mail and password }]\n';

/**
 * Starts a service with a sign-in method, a mail server, and one administrator, whose password the command
 * line printed.
 */
export async function startEmpty(): Promise<EmptyService> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const mail = await mailServer();
  const own = await startOwnDatabase({ BASE_URL: url, SMTP_URL: mail.smtpUrl });
  gatehouse(own.env, 'migrate');
  const file = path.join(own.folder, 'least.yaml');
  writeFileSync(file, METHOD);
  gatehouse(own.env, 'apply', file);
  const email = 'ada@example.com';
  const said = execFileSync(
    path.resolve('node_modules/.bin/node'),
    ['cli/main.ts', 'user', 'create', email, '--role', 'administrator'],
    { env: own.env, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' },
  );
  const password = /^password: (.+)$/m.exec(said)?.[1] ?? '';
  const server = await startDoor('node', port, own);
  return {
    url,
    administrator: { email, password },
    mails: () => mail.taken,
    stop: async () => {
      await server.stop();
      await mail.close();
      await own.stop();
    },
  };
}
