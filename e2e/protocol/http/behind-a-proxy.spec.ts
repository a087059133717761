// Follows docs/operate/deploy-node.md with real nginx and Caddy, if installed.
import { expect, test } from '@playwright/test';
import { blockIn, replaceIn } from '#testing/code/doc-snippets.ts';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { type Door, issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import {
  isInstalled,
  makeCertificate,
  newFolder,
  type RunningProxy,
  startCaddy,
  startNginx,
} from '#testing/net/proxies.ts';
import { authorizeParams, Browser } from '#testing/service/browser.ts';
import { type OwnService, startOwnService } from '#testing/service/service.ts';
import { redeem, refresh, tokensOf } from '#testing/service/token.ts';
import { expectCode, expectTokens } from '../../support/clients/expectations.ts';

const DOC = 'docs/operate/deploy-node.md';
const conf = fixtureClient('conf');

type Start = (folder: string, port: number, service: string) => Promise<RunningProxy>;

const proxies: Record<string, Start> = {
  nginx: (folder, port, service) => {
    const { certificate, key } = makeCertificate(folder);
    const blocks = replaceIn(blockIn(DOC, 'nginx'), {
      '127.0.0.1:3000': service,
      'listen 443': `listen 127.0.0.1:${port}`,
      'login.example;': 'localhost;',
      '/etc/ssl/login.example.pem': certificate,
      '/etc/ssl/login.example.key': key,
    });
    return startNginx(folder, port, blocks);
  },
  caddy: (folder, port, service) => {
    const site = replaceIn(blockIn(DOC, 'caddyfile'), {
      '127.0.0.1:3000': service,
      'login.example': `localhost:${port}`,
    });
    return startCaddy(folder, port, site);
  },
};

let door: Door;
let port: number;
let service: OwnService;

test.beforeAll(async () => {
  test.setTimeout(90_000);
  port = await freePort();
  door = { url: `https://localhost:${port}` };
  service = await startOwnService({ BASE_URL: door.url, TRUST_PROXY: '1', HOST: '127.0.0.1' });
});
test.afterAll(() => service.stop());

for (const [name, start] of Object.entries(proxies)) {
  test(`with the documented ${name} setup, the sign-in succeeds and the client gets tokens`, async () => {
    test.skip(!isInstalled(name), `${name} is not installed`);
    const proxy = await start(newFolder(), port, new URL(service.url).host.replace('localhost', '127.0.0.1'));
    try {
      const metadata = await send(`${issuerOf(door)}/.well-known/openid-configuration`);
      expect(metadata.json()).toMatchObject({ issuer: issuerOf(door) });
      expect(metadata.headers['strict-transport-security']).toBeDefined();

      const browser = new Browser(door);
      const done = await browser.finish(authorizeParams(conf), fixturePerson('alice'));
      expect(browser.jar.named('gatehouse-sign-in')).toMatch(/^__Host-/);
      const answer = await redeem(door, conf, { code: expectCode(done, door, conf) });
      expectTokens(answer);
      expectTokens(await refresh(door, conf, tokensOf(answer).refreshToken));

      const large = await send(`${issuerOf(door)}/token`, { form: { grant_type: 'x'.repeat(70_000) } });
      expect(large.status).toBe(413);
      // the proxy forwards paths unchanged; a changed path would match another endpoint
      for (const path of ['/auth/pw/api/orders%2Ftoken', '/auth/pw/api//orders/jwks', '/auth/x/../health'])
        expect((await send(`${door.url}${path}`)).status, path).toBe(404);
    } finally {
      await proxy.stop();
    }
  });
}
