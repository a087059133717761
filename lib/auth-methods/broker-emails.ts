// The list of a person's e-mail addresses, where a plain OAuth 2.0 provider has one: what its userinfo says may be a
// public address that nothing proved.
import { z } from 'zod';
import { log } from '#lib/kit/index.ts';
import { exactJson, type Members } from './members.ts';

const list = z.array(z.unknown());
const entry = z.object({ email: z.string(), primary: z.literal(true), verified: z.literal(true) });

/** The one that is primary and verified, as members of userinfo, or none; `ask` gives the body of the list. */
export async function provedAddress(ask: () => Promise<string>): Promise<Members> {
  try {
    const found = list
      .parse(exactJson(await ask()))
      .map((one) => entry.safeParse(one).data)
      .find((one) => one !== undefined);
    return found ? { email: found.email, email_verified: true } : {};
  } catch (error) {
    // what the cause quotes is the broker's
    const { code, name } = error as { code?: string; name: string };
    log().warn({ fault: code ?? name }, 'the list of e-mail addresses of a broker failed');
    return {};
  }
}
