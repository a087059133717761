// The external method: another service checks username and password (docs/configuration.md). It accepts, it refuses, or it
// gives no verdict, which lets nobody in.
import { z } from 'zod';
import { log } from '#lib/kit/index.ts';
import { countCall } from '#lib/observability/index.ts';
import { OutboundFailed, outboundFetch, withBreaker } from '#lib/outbound/index.ts';
import { findOrCreateIdentity, openFromRow, type SnapshotMethod } from '#lib/store/index.ts';
import type { AuthMethod, Verdict } from './method.ts';
import { describePerson } from './person-claims.ts';

/** Statuses of a proxy in front of a verifier that is down. */
const DOWN = [502, 503, 504];

const storable = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => value.isWellFormed() && !value.includes('\u0000'));
const optional = storable(320)
  .nullish()
  .transform((value) => value || null);
const accepted = z.object({
  profile: z.looseObject({ sub: storable(255).min(1), email: optional, name: optional }),
});
const withError = z.looseObject({ error: z.unknown().refine((error) => error != null) });

const configuration = z.object({
  verify_url: z.string(),
  timeout_ms: z.number().optional(),
  allow_private_network: z.boolean().default(false),
});
type Profile = z.output<typeof accepted>['profile'];
type VerifierAnswer =
  | { kind: 'accepted'; profile: Profile }
  | { kind: 'refused' }
  | { kind: 'no-verdict'; because: string };

export function externalMethod(row: SnapshotMethod): AuthMethod {
  return {
    id: row.id,
    type: 'external',
    verifyPassword: async (username, password): Promise<Verdict> => {
      const began = performance.now();
      const answer = await ask(row, username, password);
      countCall(row.id, answer.kind === 'no-verdict' ? 'failed' : 'answered', began);
      if (answer.kind === 'no-verdict') {
        log().warn({ auth_method: row.id, because: answer.because }, 'an external verifier gave no verdict');
        return { kind: 'unavailable' };
      }
      if (answer.kind === 'refused') return { kind: 'refused' };
      const asked = { authMethodId: row.id, methodEpoch: row.epoch, subject: answer.profile.sub };
      const told = { ...describePerson(row, answer.profile), saidAt: null };
      const person = await findOrCreateIdentity({ ...asked, ...told });
      return person ? { kind: 'identity', ...person } : { kind: 'refused' };
    },
  };
}

async function ask(row: SnapshotMethod, username: string, password: string): Promise<VerifierAnswer> {
  const config = configuration.parse(row.config);
  const token = row.sealedSecret && openFromRow('auth_methods', row.id, row.sealedSecret);
  if (row.sealedSecret && !token)
    return { kind: 'no-verdict', because: 'its token was sealed with another secret' };
  const call = outboundFetch({
    allowPrivateNetwork: config.allow_private_network,
    timeoutMs: config.timeout_ms,
  });
  try {
    // by address too: a new one starts with a closed breaker
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
      if (DOWN.includes(answer.status)) throw new OutboundFailed('unreachable');
      return read(answer.status, await answer.text());
    });
  } catch (error) {
    if (error instanceof OutboundFailed) return { kind: 'no-verdict', because: error.reason };
    throw error;
  }
}

function read(status: number, text: string): VerifierAnswer {
  if (status === 401 || status === 403) return { kind: 'refused' };
  const body = parse(text);
  const clientError = status >= 400 && status < 500;
  if ((status === 200 || clientError) && withError.safeParse(body).success) return { kind: 'refused' };
  if (status !== 200) return { kind: 'no-verdict', because: `status ${status}` };
  const parsed = accepted.safeParse(body);
  if (!parsed.success) return { kind: 'no-verdict', because: 'a profile that makes no sense' };
  return { kind: 'accepted', profile: parsed.data.profile };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
