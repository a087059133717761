import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { rotateSigningKeys } from '#lib/management/keys.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { type Door, issuerOf } from '#testing/net/door.ts';
import { attempt } from '#testing/net/http.ts';
import { Browser } from '#testing/service/browser.ts';
import { codeOf } from '../../support/client.ts';
import { type Fault, PLAIN } from '../../support/context.ts';
import { startBalanced } from './round-robin.ts';

export const rotation: Fault = {
  name: 'rotation',
  title: 'signing keys and GATEHOUSE_SECRET rotated under load',
  async run(context) {
    const { door, instances } = await startBalanced(context, ['a', 'b']);
    const person = context.person(context.people.length - 2);
    const browser = new Browser(door);
    if (!(await codeOf(browser, PLAIN, person))) return { broken: ['nobody could sign in'] };
    const broken: string[] = [];
    const kids = new Set<string>();
    const api = await watch(door, kids, broken);
    const probe = context.client(door);
    const stop = await context.busy(door, 10);

    const rotations = context.quick ? 2 : 10;
    for (let turn = 0; turn < rotations; turn += 1) {
      await context.inside(() => rotateSigningKeys(OPERATOR));
      // APIs need time to fetch a new key before it is used; this test shortens the waiting period
      const [newest] = await context.sql<{ kid: string }>(
        'select kid from signing_keys order by created_at desc limit 1',
      );
      await api.look(newest?.kid);
      await context.sql('update signing_keys set signs_from = now() where signs_from > now()');
      for (let check = 0; check < 5; check += 1) {
        const tokens = await probe.signIn(person.email, person.password);
        if (tokens) await api.verify(tokens.accessToken);
        await sleep(20);
      }
    }
    const secret = `${randomBytes(32).toString('base64url')},${context.secret}`;
    for (const instance of instances) {
      await instance.stop();
      instance.launch.env['GATEHOUSE_SECRET'] = secret;
      await instance.start();
      await sleep(300);
    }
    if (!(await codeOf(browser, PLAIN, person, { prompt: 'none' })))
      broken.push('a session did not outlive the new secret');
    await stop();
    const errors = context.ledger.entries.filter((entry) => entry.status !== 200);
    if (errors.length > 0) broken.push(`${errors.length} errors`);
    if (kids.size < rotations) broken.push(`only ${kids.size} keys have signed`);
    return { broken, notes: `${kids.size} keys signed, every signature verified with a key seen before` };
  },
};

/** Acts like an API that caches the last key set, and verifies tokens only with the cached keys. */
async function watch(door: Door, kids: Set<string>, broken: string[]) {
  let keys = createLocalJWKSet({ keys: [] });
  /** Checks that an instance learns a new key shortly after its creation. */
  const look = async (until?: string) => {
    for (let turn = 0; turn < 50; turn += 1) {
      const { text } = await attempt(`${issuerOf(door)}/jwks`);
      const set = JSON.parse(text) as JSONWebKeySet;
      keys = createLocalJWKSet(set);
      if (until === undefined || set.keys.some(({ kid }) => kid === until)) return;
      await sleep(20);
    }
    broken.push('a new key was not published within a second');
  };
  await look();
  const verify = async (token: string) => {
    try {
      const { protectedHeader } = await jwtVerify(token, keys, { algorithms: ['ES256'], typ: 'at+jwt' });
      kids.add(String(protectedHeader.kid));
    } catch (error) {
      broken.push(`a token did not verify: ${(error as Error).message}`);
    }
  };
  return { look, verify };
}
