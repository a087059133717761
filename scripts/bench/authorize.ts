// Authorize requests of browsers with a session, at Gatehouse and at node-oidc-provider.
import { createHash, randomBytes } from 'node:crypto';
import { get } from './client.ts';
import { providerCookie } from './provider-world.ts';
import type { Scenario } from './scenario.ts';
import { endpointOf, type TargetName } from './targets.ts';
import * as values from './values.ts';

/** With a session, and scopes that its person has agreed to. */
export const authorize = (target: TargetName): Scenario => ({
  next: (world) => {
    const challenge = createHash('sha256').update(randomBytes(16)).digest('base64url');
    const state = randomBytes(16).toString('base64url');
    const query = new URLSearchParams({
      client_id: values.CLIENT,
      redirect_uri: values.REDIRECT_URI,
      response_type: 'code',
      scope: values.SCOPES.join(' '),
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    const ofProvider = target === 'oidc-provider';
    const own = () => world.cookies[Math.floor(Math.random() * world.cookies.length)] as string;
    const cookie = ofProvider ? providerCookie() : own();
    return {
      text: get(`${endpointOf(target, 'authorize')}?${query}`, { Cookie: cookie }),
      check: ({ status, head }) => {
        const location = /^location: (.*)$/im.exec(head)?.[1] ?? '';
        const given = location.startsWith(`${values.REDIRECT_URI}?code=${ofProvider ? '' : 'ghc_'}`);
        const answers = status === (ofProvider ? 303 : 302) && given && location.includes(`state=${state}`);
        return answers ? null : `status ${status}: ${location}`;
      },
    };
  },
});
