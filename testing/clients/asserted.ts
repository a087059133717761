// Clients with assertion authentication; requests go to the protocol core in this process.
import { expect } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { REQUESTS } from '#lib/store/refusals.ts';
import { fixturePerson } from '../data/fixtures.ts';
import { sql } from '../data/registry.ts';
import { ask } from '../in-process/in-process.ts';
import { OPENID_PATH } from '../in-process/openid.ts';
import { ASSERTION_TYPE } from './client-keys.ts';

export const issuerHere = (): string => `${settings().authUrl}${OPENID_PATH}`;

/** Response if the refresh token is unknown, which shows that the client was authenticated. */
export const ACCEPTED = '400 invalid_grant';
export const REFUSED = '401 invalid_client';

type More = { form?: Record<string, string>; headers?: Record<string, string>; address?: string };

export function sendAssertion(assertion: string, { form, ...more }: More = {}) {
  return ask(`${OPENID_PATH}/token`, {
    form: {
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
      ...form,
    },
    ...more,
  });
}

/** Sends a request with the assertion, and returns the status and error of the response. */
export async function outcomeOf(assertion: string, more?: More): Promise<string> {
  const { status, body } = await sendAssertion(assertion, more);
  return `${status} ${(JSON.parse(String(body)) as { error?: string }).error}`;
}

/** Returns a form with a valid password, which a trusted client may send. */
export function passwordForm(): Record<string, string> {
  const { email, password } = fixturePerson('alice');
  return { grant_type: 'password', username: email, password };
}

/** Expects this reason in the newest line of the developer's list. */
export async function expectReason(clientId: string, reason: string): Promise<void> {
  const newest = async () => {
    // reading the requests flushes delayed writes
    await REQUESTS.select({ clientId: '', failedOnly: true }, { after: null, limit: 1 });
    const [row] = await sql<{ reason: string }>(
      "select details->>'reason' as reason from refused_requests where client_id = $1 order by at desc, id desc limit 1",
      [clientId],
    );
    return row?.reason;
  };
  await expect.poll(newest).toBe(reason);
}
