// Authorization requests of browsers with a session, at Gatehouse and at node-oidc-provider; at Gatehouse also pushed
// first.
import { createHash, randomBytes } from 'node:crypto';
import { get, post, type Reply } from './client.ts';
import { providerCookie } from './provider-world.ts';
import type { Scenario, Walk } from './scenario.ts';
import { endpointOf, type TargetName } from './targets.ts';
import * as values from './values.ts';
import type { World } from './world.ts';

/** Returns request parameters with a new value for each request. */
function fresh(): Record<'state' | 'code_challenge', string> {
  const code_challenge = createHash('sha256').update(randomBytes(16)).digest('base64url');
  return { state: randomBytes(16).toString('base64url'), code_challenge };
}

export const requestOf = (one: Record<'state' | 'code_challenge', string>) => ({
  client_id: values.CLIENT,
  redirect_uri: values.REDIRECT_URI,
  response_type: 'code',
  scope: values.SCOPES.join(' '),
  ...one,
  code_challenge_method: 'S256',
});
const cookieOf = ({ cookies }: World) => cookies[Math.floor(Math.random() * cookies.length)] as string;

function fault({ status, head }: Reply, state: string, [expected, mark]: [number, string]): string | null {
  const location = /^location: (.*)$/im.exec(head)?.[1] ?? '';
  const given = location.startsWith(`${values.REDIRECT_URI}?code=${mark}`);
  const answers = status === expected && given && location.includes(`state=${state}`);
  return answers ? null : `status ${status}: ${location}`;
}

/** Authorization requests of browsers with a session and a consent. */
export const authorize = (target: TargetName): Scenario => ({
  next: (world) => {
    const one = fresh();
    const ofProvider = target === 'oidc-provider';
    const cookie = ofProvider ? providerCookie() : cookieOf(world);
    const query = new URLSearchParams(requestOf(one));
    return {
      text: get(`${endpointOf(target, 'authorize')}?${query}`, { Cookie: cookie }),
      check: (reply) => fault(reply, one.state, ofProvider ? [303, ''] : [302, 'ghc_']),
    };
  },
});

/** Authorization requests that are pushed first (RFC 9126), so each consists of two requests. */
export const pushed: Scenario<Walk> = {
  next: (world) => ({
    walk: async (send) => {
      const one = fresh();
      const form = { ...requestOf(one), client_secret: values.CLIENT_SECRET };
      const push = await send(post(`${values.ISSUER_PATH}/par`, form));
      if (push.status !== 201) return `status ${push.status}: ${push.body.slice(0, 200)}`;
      const { request_uri = '' } = JSON.parse(push.body) as { request_uri?: string };
      const query = new URLSearchParams({ client_id: values.CLIENT, request_uri });
      const visit = get(`${values.ISSUER_PATH}/authorize?${query}`, { Cookie: cookieOf(world) });
      return fault(await send(visit), one.state, [302, 'ghc_']);
    },
  }),
};
