// The list of a person's e-mail addresses, where a plain OAuth 2.0 provider has one: what its userinfo says may be a
// public address that nothing proved.
import * as client from 'openid-client';
import { z } from 'zod';
import { exactJson, type Members } from './members.ts';

const list = z.array(z.unknown());
const entry = z.object({ email: z.string(), primary: z.literal(true), verified: z.literal(true) });

/**
 * The one that is primary and verified, as members of userinfo, or none; `ask` gives the body of the list. Rejects
 * where there is no list: the address that is known would be taken away by a failure.
 */
export async function provedAddress(ask: () => Promise<string>): Promise<Members> {
  const found = listIn(await ask())
    .map((one) => entry.safeParse(one).data)
    .find((one) => one !== undefined);
  return found ? { email: found.email, email_verified: true } : {};
}

function listIn(body: string): unknown[] {
  try {
    return list.parse(exactJson(body));
  } catch {
    // what the cause quotes is the broker's
    throw new client.ClientError('the list of e-mail addresses is none');
  }
}
