// Starts the service with demo data: the last step of `npm run quickstart`, and of `gatehouse quickstart` in an
// installed package. Ctrl-C stops all processes.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { startCompanions } from './companions.mjs';
import { environment, hostToServe, isLocal, keepsMail, program, root, run } from './running.mjs';

const CONFIGURATION = 'demo/gatehouse.yaml';

/** Starts the server with its embedded database and schema, and applies the demo configuration. */
export async function serveDemo(port) {
  const address = process.env.BASE_URL || `http://localhost:${port}`;
  // runs the text of the start script instead of `npm start`: its shell becomes the server, so the server receives
  // signals
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  const server = spawn('sh', ['-c', scripts.start], {
    cwd: root,
    env: {
      ...environment,
      PORT: String(port),
      LOG_LEVEL: process.env.LOG_LEVEL || 'warn',
      // an MCP client registers itself if its user enters no client id
      OPEN_REGISTRATION: process.env.OPEN_REGISTRATION ?? 'true',
      // one worker is enough for a single user, and leaves the machine's other cores free
      GATEHOUSE_WORKERS: process.env.GATEHOUSE_WORKERS || '1',
    },
    // Gatehouse logs to standard error; standard output contains only messages of Next, which are ignored
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let ended = false;
  let companions;
  server.once('exit', (code) => {
    ended = true;
    companions?.stop();
    process.exitCode = code ?? 0;
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => server.kill('SIGINT'));
  companions = await startCompanions(CONFIGURATION, address).catch((error) => {
    server.kill('SIGINT');
    throw error;
  });
  while (!ended && !(await answers(`http://localhost:${port}/ready`)))
    await new Promise((resolve) => setTimeout(resolve, 100));
  if (ended) throw new Error('the service did not start');
  await run('node', [program('cli/main'), 'apply', companions.file]).catch((error) => {
    server.kill('SIGINT');
    throw error;
  });
  setImmediate(() => announce(address, companions));
  return 'serving';
}

async function answers(url) {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}

async function announce(address, { accounts, application, mcpServer, api }) {
  const { parse } = await import('yaml');
  const demo = parse(readFileSync(`${root}/${CONFIGURATION}`, 'utf8'));
  const trusted = demo.subscriptions.find((subscription) => subscription.trusted);
  const agent = demo.clients.find((client) => client.client_id.endsWith('-agent'));
  const person = demo.users.find((user) => !user.roles);
  const issuerOf = (method) => `${process.env.AUTH_URL || address}/auth/${method.id}/api/${trusted.api}`;
  const [first, ...others] = demo.auth_methods;
  const issuer = issuerOf(first);
  const ways = others.map(
    (method) =>
      `    ${method.name.en ?? method.name} (${accounts[method.id].join(', ')})\n      ${issuerOf(method)}`,
  );
  const people = demo.users.map(
    (user) =>
      `    ${user.email.padEnd(24)} ${user.password.padEnd(26)} ${(user.roles ?? ['signs in and consents']).join(', ')}`,
  );
  const form = {
    grant_type: 'password',
    client_id: trusted.client_id,
    username: person.email,
    password: person.password,
  };
  const data = Object.entries(form)
    .map(([name, value]) => `-d ${name}=${value}`)
    .join(' ');
  process.stdout.write(`
  Begin in the browser, at an application that shows who can sign in, and what it is told of them
    ${application}

  ${address}                 what this is
  ${address}/apis            the published APIs and their addresses
  ${address}/documentation   every endpoint, with a command to paste
  ${address}/developer       the console: your applications; /admin: approvals and operation; /account: your own account
${keepsMail(process.env) ? `  ${address}/account/mail    the mails that it would send\n` : ''}
  Demo accounts, who sign in at the console and at applications
${people.join('\n')}

  The issuer URL, all that a standard client needs
    ${issuer}

  The same for the other ways to sign in
${ways.join('\n')}

  An MCP server, to type into an MCP client (its client id, where it asks for one: ${agent.client_id})
    ${mcpServer}

  A token, right here (paste this line)
    curl -s ${issuer}/token ${data}

  The Orders API, which takes it as "Authorization: Bearer", from pages of every origin
    ${api}

${reach(address)}
  Ctrl-C stops everything.
`);
}

/** Warns if other machines can reach the service, because demo/gatehouse.yaml contains everybody's password. */
function reach(address) {
  const host = hostToServe(process.env);
  const local = isLocal(process.env);
  if (local && /^(?:localhost|127\.[\d.]+|::1)$/.test(host))
    return '  Only this machine reaches it. To show it on a phone: docs/start/quickstart.md, "On a phone"\n';
  const where = local ? `port ${port} of this machine (HOST=${host})` : `${address} or ${host}:${port}`;
  return `  !!! WHOEVER REACHES ${where} SIGNS IN WITH THE PASSWORDS ABOVE, AS AN ADMINISTRATOR TOO: THEY ARE PUBLIC.
  !!! Without HOST and BASE_URL only this machine reaches it.\n`;
}
