// Verifier of passwords for the `external` method of the demo, on a laptop. `npm run quickstart` starts it. Not for
// production: it compares plain-text passwords, and has no limits.
import http from 'node:http';

const [port = '0', token = '', username = '', password = ''] = process.argv.slice(2);

const server = http.createServer(async (request, response) => {
  const say = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.method !== 'POST' || request.url !== '/verify') return say(404, {});
  // the caller's token is wrong; the status is 500, because 401 would mean that the user's password is wrong
  if (request.headers.authorization !== `Bearer ${token}`) return say(500, {});
  const given = JSON.parse(body) as { username?: unknown; password?: unknown };
  if (given.username !== username || given.password !== password) return say(401, { error: 'wrong' });
  const name = username.charAt(0).toUpperCase() + username.slice(1);
  return say(200, { profile: { sub: `campus-${username}`, email: `${username}@campus.example`, name } });
});

server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : port;
  process.stdout.write(`http://127.0.0.1:${own}/verify\n`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
