// A service that we ask whether a username and password are right (contract section 5, "external method"). Three
// outcomes: it knows the person, it refuses, or nobody can say right now, which lets nobody in.
import { z } from 'zod';
import { log } from '#lib/kit/index.ts';
import { OutboundFailed, outboundFetch, withBreaker } from '#lib/outbound/index.ts';
import { findOrCreateIdentity, openFromRow, type SnapshotMethod } from '#lib/store/index.ts';
import type { AuthMethod, Verdict } from './method.ts';

/** Answers of something in front of the verifier: it is not there itself. */
const NOT_THERE = [502, 503, 504];

const storable = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.isWellFormed() && !value.includes('\u0000'));
const optional = storable(320)
  .nullish()
  .transform((value) => value || null);
const accepted = z.object({
  profile: z.object({ sub: storable(255).min(1), email: optional, name: optional }),
});
const withError = z.looseObject({ error: z.unknown().refine((error) => error != null) });

type Config = { verify_url: string; timeout_ms: number; allow_private_network: boolean };
type Profile = z.output<typeof accepted>['profile'];
type Said = { kind: 'yes'; profile: Profile } | { kind: 'no' } | { kind: 'nothing'; because: string };

export function externalMethod(row: SnapshotMethod): AuthMethod {
  return {
    id: row.id,
    type: 'external',
    verifyPassword: async (username, password): Promise<Verdict> => {
      const said = await ask(row, username, password);
      if (said.kind === 'nothing') {
        log().warn({ auth_method: row.id, because: said.because }, 'an external verifier gave no verdict');
        return { kind: 'unavailable' };
      }
      if (said.kind === 'no') return { kind: 'refused' };
      const { sub: subject, email, name } = said.profile;
      const asked = { authMethodId: row.id, methodEpoch: row.epoch };
      const person = await findOrCreateIdentity({ ...asked, subject, email, name });
      return person ? { kind: 'identity', ...person } : { kind: 'refused' };
    },
  };
}

async function ask(row: SnapshotMethod, username: string, password: string): Promise<Said> {
  const config = row.config as Config;
  const token = row.sealedSecret && openFromRow('auth_methods', row.id, row.sealedSecret);
  if (row.sealedSecret && !token)
    return { kind: 'nothing', because: 'its token was sealed with another secret' };
  const call = outboundFetch({
    allowPrivateNetwork: config.allow_private_network,
    timeoutMs: config.timeout_ms,
  });
  try {
    // an address that was changed by configuration starts anew
    return await withBreaker(`${row.id} ${config.verify_url}`, async () => {
      const answer = await call(config.verify_url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        },
        body: JSON.stringify({ username, password }),
      });
      if (NOT_THERE.includes(answer.status)) throw new OutboundFailed('unreachable');
      return read(answer.status, await answer.text());
    });
  } catch (error) {
    if (error instanceof OutboundFailed) return { kind: 'nothing', because: error.reason };
    throw error;
  }
}

function read(status: number, text: string): Said {
  if (status === 401 || status === 403) return { kind: 'no' };
  const body = parse(text);
  const clientError = status >= 400 && status < 500;
  if ((status === 200 || clientError) && withError.safeParse(body).success) return { kind: 'no' };
  if (status !== 200) return { kind: 'nothing', because: `status ${status}` };
  const parsed = accepted.safeParse(body);
  if (!parsed.success) return { kind: 'nothing', because: 'a profile that makes no sense' };
  return { kind: 'yes', profile: parsed.data.profile };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
