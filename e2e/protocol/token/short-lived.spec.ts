// Serverless hosts stop an instance after its response, unless it requests more time.
import { expect, test } from '@playwright/test';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { freePort } from '#testing/net/free-port.ts';
import { mailServer } from '#testing/net/mail-server.ts';
import { Browser, hiddenFields, isSignInPage } from '#testing/service/browser.ts';
import { applyFixtures, startDoor, startOwnDatabase } from '#testing/service/service.ts';

test('a stopped instance sends pending mail before it exits', async () => {
  test.setTimeout(90_000);
  const mails = await mailServer({ delayMs: 1_500 });
  const port = await freePort();
  const door = { url: `http://localhost:${port}` };
  const own = await startOwnDatabase({
    BASE_URL: door.url,
    VERCEL: '1',
    SMTP_URL: mails.smtpUrl,
    GATEHOUSE_DIST_DIR: process.env['GATEHOUSE_DIST_DIR'] ?? '.next',
  });
  try {
    applyFixtures(own.env);
    const server = await startDoor('next', port, own);
    const browser = new Browser(door);
    expect(isSignInPage(await browser.start(fixtureClient('tru')))).toBe(true);
    const form = await browser.get(`${door.url}/account/forgot-password`);
    const fields = { ...hiddenFields(form), email: fixturePerson('alice').email };
    const answer = await browser.submit('/account/submit/forgot-password', fields);
    expect(answer.status).toBe(303);
    expect(mails.taken).toBe(0);
    await server.stop();
    expect(mails.received.join('')).toContain('choose a new password');
    expect(mails.taken).toBe(1);
  } finally {
    await own.stop();
    await mails.close();
  }
});
