// Another service checks username and password (docs/configuration.md). It accepts, it refuses, or it gives no verdict,
// which signs no one in.
import { z } from 'zod';
import type { TypedPassword } from '#lib/kit/typed-password.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch, withBreaker } from '#lib/outbound/fetch.ts';
import type { VerifierAnswer, VerifyPassword } from '../kind.ts';

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

export const askVerifier: VerifyPassword = async (method, username, password) => {
  const config = configuration.parse(method.config);
  const call = outboundFetch({
    allowPrivateNetwork: config.allow_private_network,
    timeoutMs: config.timeout_ms,
  });
  try {
    // by address too: a new one starts with a closed breaker
    return await withBreaker(`${method.id} ${config.verify_url}`, async () => {
      const request = verifyRequest(method.secret, username, password);
      const answer = await call(config.verify_url, { method: 'POST', ...request });
      if (DOWN.includes(answer.status)) throw new OutboundFailed('unreachable');
      return readVerdict(answer.status, await answer.text());
    });
  } catch (error) {
    if (error instanceof OutboundFailed) return { kind: 'no-verdict', because: error.reason };
    throw error;
  }
};

export const verifyRequest = (secret: string | null, username: string, password: TypedPassword) => ({
  headers: {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(secret ? { authorization: `Bearer ${secret}` } : {}),
  },
  body: JSON.stringify({ username, password }),
});

export function readVerdict(status: number, text: string): VerifierAnswer {
  if (status === 401 || status === 403) return { kind: 'refused' };
  const body = parse(text);
  const clientError = status >= 400 && status < 500;
  if ((status === 200 || clientError) && withError.safeParse(body).success) return { kind: 'refused' };
  if (status !== 200) return { kind: 'no-verdict', because: `status ${status}`, status };
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
