// Management API token: the user signs in and consents on the page.

import type { Client } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import type { Door } from '#testing/net/door.ts';
import { Browser } from '#testing/service/browser.ts';
import { redeem, type Tokens, tokensOf } from '#testing/service/token.ts';

export const MANAGEMENT = { api: 'management' };

export async function managementToken(door: Door, client: Client, who: Person): Promise<Tokens> {
  const code = await new Browser(door).codeFor(client, { who, at: MANAGEMENT, params: { scope: undefined } });
  return tokensOf(await redeem(door, client, code, { at: MANAGEMENT }));
}
