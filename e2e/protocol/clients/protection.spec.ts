// The nginx example of an API's page in front of a real upstream, with forward auth of a running service.
import http from 'node:http';
import { expect, test } from '@playwright/test';
import { replaceIn } from '#testing/code/doc-snippets.ts';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import { listen } from '#testing/net/listen.ts';
import { isInstalled, newFolder, startNginx } from '#testing/net/proxies.ts';
import { Browser, signIn } from '#testing/service/browser.ts';
import { claimsOf, tokensFor } from '#testing/service/token.ts';
import { codeOn } from '../../support/pages/printed-code.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

test('the nginx example on an API page requires a token and drops forged headers', async () => {
  test.skip(!isInstalled('nginx'), 'nginx is not installed');
  const code =
    codeOn(await new Browser(door).get(`${door.url}/apis/orders`)).get('nginx: forward auth') ?? '';
  const upstream = await listen(
    http.createServer(({ headers }, response) => {
      const told = Object.entries(headers).filter(([name]) => name.startsWith('x-auth-'));
      response.end(JSON.stringify(Object.fromEntries(told)));
    }),
  );
  const port = await freePort();
  const location = replaceIn(code, { 'http://YOUR_API': upstream.url });
  const nginx = await startNginx(newFolder(), port, `server { listen 127.0.0.1:${port};\n${location}\n}`);
  try {
    const ask = (headers: Record<string, string>) =>
      send(`http://127.0.0.1:${port}/orders/1`, {
        headers: { 'x-auth-act': 'x', 'x-auth-kind': 'x', ...headers },
      });
    await expect.poll(async () => (await ask({})).status).toBe(401);
    expect((await ask({})).headers['www-authenticate']).toContain('resource_metadata=');
    expect((await ask({ authorization: 'Bearer nonsense' })).status).toBe(401);
    const browser = await signIn(door, fixturePerson('alice'), fixtureClient('conf'));
    const { accessToken } = await tokensFor(browser, fixtureClient('conf'), { scope: 'read' });
    const answer = await ask({ authorization: `Bearer ${accessToken}` });
    expect(answer.json()).toEqual({
      'x-auth-sub': claimsOf(accessToken)['sub'],
      'x-auth-client-id': 'conf',
      'x-auth-scope': 'read',
      'x-auth-issuer': issuerOf(door),
      'x-auth-kind': 'person',
    });
  } finally {
    await nginx.stop();
    await upstream.close();
  }
});
