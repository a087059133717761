// Broker for method `brk`: the demo's OpenID Provider on a different site. Also user actions at the broker, and a
// provider that collects codes.
import http from 'node:http';
import { type Broker, startBroker } from '../../demo/broker.ts';
import { configureMethod } from '../data/sql.ts';
import { CookieJar } from '../net/cookie-jar.ts';
import { send } from '../net/http.ts';
import { listen, textOf } from '../net/listen.ts';

/** Starts the broker, and stores its URL in the fixture method. */
export async function startFixtureBroker(databaseUrl: string, doors: string[]): Promise<Broker> {
  const broker = await startBroker({
    port: 0,
    clientId: 'gatehouse',
    clientSecret: 'fixture-broker-secret',
    // the second URL is the callback that all broker methods shared in earlier versions
    redirectUris: doors.flatMap((door) => [`${door}/auth/callback/brk`, `${door}/auth/callback/broker`]),
  });
  await configureMethod(databaseUrl, 'brk', { issuer: broker.issuer });
  return broker;
}

/**
 * Follows Gatehouse's redirect through the broker's sign-in page, and returns the callback URL without visiting it.
 * `name` undefined: the person presses Cancel. `jar`: the person's cookies at the broker.
 */
export async function throughBroker(
  departure: { location: string },
  name: string | undefined,
  jar = new CookieJar(),
): Promise<string> {
  const { origin } = new URL(departure.location);
  let address = departure.location;
  for (let step = 0; step < 10; step += 1) {
    let answer = await send(address, { jar });
    if (answer.status === 200) {
      answer = await send(address, { jar, form: name === undefined ? { cancel: '1' } : { name } });
    }
    if (answer.location === '') throw new Error(`the broker: ${answer.status} ${answer.text.slice(0, 300)}`);
    address = new URL(answer.location, origin).href;
    if (!address.startsWith(origin)) return address;
  }
  throw new Error(`the broker does not let go: ${address}`);
}

/** Starts a provider that stores the codes sent to its token endpoint. */
export async function startCodeCollector() {
  const codes: string[] = [];
  const server = http.createServer(async (request, response) => {
    const code = new URLSearchParams(await textOf(request)).get('code');
    if (code) codes.push(code);
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    };
    const found = request.url === '/.well-known/openid-configuration';
    response.writeHead(found ? 200 : 400, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ? metadata : { error: 'invalid_grant' }));
  });
  const { url: issuer, close } = await listen(server);
  return { issuer, codes, close };
}
