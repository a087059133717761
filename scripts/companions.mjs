// Demo services that run together with Gatehouse: servers for other sign-in methods, and a sample application. Each
// uses its port from demo/gatehouse.yaml, or a free port if that one is used; a copy of the file then contains the
// new port. Runs on Node 20.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { environment, isPortFree, keepsMail, program, root } from './running.mjs';

/** By method: key of its URL, program, arguments after the port, and demo account. */
const COMPANIONS = {
  campus: {
    address: 'verify_url',
    program: 'demo/verifier',
    account: ['carol', 'demo-carol-password'],
    args: (method, [username, password]) => [method.verify_token, username, password],
  },
  partner: {
    address: 'issuer',
    program: 'demo/broker',
    account: ['any name'],
    args: (method, _, redirectUris) => [method.client_id, method.client_secret, ...redirectUris],
  },
};

/** Starts the demo services. Returns the configuration file, demo accounts, application URL and stop function. */
export async function startCompanions(configuration, address) {
  const origins = new Set([address, process.env.AUTH_URL || address]);
  const { parse } = await import('yaml');
  let text = readFileSync(path.join(root, configuration), 'utf8');
  const accounts = {};
  const children = [];
  const starting = [];
  const stop = () => {
    for (const child of children) child.kill('SIGTERM');
  };
  let file = configuration;
  process.once('exit', stop);
  /**
   * Returns the port of a URL in the file. If the port is used, picks a free port and changes the file's
   * copy.
   */
  const portOf = async (address) => {
    const { origin, port } = new URL(address);
    const ours = (await isPortFree(Number(port), '127.0.0.1')) ? Number(port) : await freePort();
    if (ours !== Number(port)) {
      text = text.replaceAll(origin, origin.replace(port, String(ours)));
      file = path.resolve(root, process.env.GATEHOUSE_DATA_DIR || '.data', 'demo-gatehouse.yaml');
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return ours;
  };
  for (const [id, companion] of Object.entries(COMPANIONS)) {
    const method = parse(text).auth_methods.find((one) => one.id === id);
    const ours = await portOf(method[companion.address]);
    const redirectUris = [...origins].map((origin) => `${origin}/auth/callback/${id}`);
    starting.push(
      start(
        companion.program,
        [String(ours), ...companion.args(method, companion.account, redirectUris)],
        children,
      ),
    );
    accounts[id] = companion.account;
  }
  const port = await portOf(confidentialOf(parse(text)).redirect_uris[0]);
  await portOf(mcpServerOf(parse(text)).url);
  await portOf(ordersOf(parse(text)).url);
  const authUrl = process.env.AUTH_URL || address;
  const notes = notesOf(parse(text), { authUrl, address });
  const api = ordersOf(parse(text));
  const orders = { url: api.url, document: documentOf(api, address), scope: api.scopes[0].name };
  const shop = {
    port,
    service: address,
    keepsMail: keepsMail(process.env),
    agentAddress: notes.url,
    ...applicationOf(parse(text), authUrl, accounts),
  };
  starting.push(start('demo/applications', [JSON.stringify({ shop, notes, orders })], children));
  await Promise.all(starting);
  const application = new URL(shop.redirectUri).origin;
  return { file, accounts, application, mcpServer: notes.url, api: orders.url, stop };
}

const confidentialOf = (demo) => demo.clients.find((client) => client.confidential);

/** Settings for the sample application: its client, an issuer per sign-in method, and demo accounts. */
function applicationOf(demo, authUrl, accounts) {
  const client = confidentialOf(demo);
  const subscription = demo.subscriptions.find((one) => one.client_id === client.client_id);
  const api = demo.apis.find((one) => one.id === subscription.api);
  const person = demo.users.find((user) => !user.roles);
  const accountOf = (id) => accounts[id] ?? [person.email, person.password];
  return {
    clientId: client.client_id,
    clientSecret: client.client_secret,
    redirectUri: client.redirect_uris[0],
    scope: api.scopes.map((scope) => scope.name).join(' '),
    staff: demo.users
      .filter((user) => user.roles)
      .map(({ email: name, password, roles: [role] }) => ({ name, password, role })),
    ways: api.auth_methods.map((id) => {
      const [name, password] = accountOf(id);
      const { name: title, type } = demo.auth_methods.find((method) => method.id === id);
      return {
        name: typeof title === 'string' ? { en: title } : title,
        type,
        issuer: `${authUrl}/auth/${id}/api/${api.id}`,
        ...(password && { account: { name, password } }),
      };
    }),
  };
}

const mcpServerOf = (demo) => demo.apis.find((api) => api.url.endsWith('/mcp'));

const ordersOf = (demo) => demo.apis.find((api) => api.id === 'orders');

/** Returns the address of an API's protected resource metadata (RFC 9728). */
const documentOf = ({ id }, address) => `${address}/.well-known/oauth-protected-resource/apis/${id}`;

/** Returns the settings of the MCP server: its URL, and data to verify tokens. */
function notesOf(demo, { authUrl, address }) {
  const api = mcpServerOf(demo);
  const [read, write] = api.scopes.map((scope) => scope.name);
  return {
    url: api.url,
    apiId: api.id,
    introspectionSecret: api.introspection_secret,
    issuer: `${authUrl}/auth/${api.auth_methods[0]}/api/${api.id}`,
    document: documentOf(api, address),
    scopes: { read, write },
  };
}

/** Starts a program. Its first line of output shows that it listens. */
function start(name, args, children) {
  const child = spawn('node', [program(name), ...args], {
    cwd: root,
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${name} did not start`)));
    child.stdout.once('data', () => resolve());
  });
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
