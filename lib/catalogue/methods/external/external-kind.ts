// Kind for a remote service that verifies user names and passwords.
import { z } from 'zod';
import { randomToken } from '#lib/kit/random.ts';
import { inventPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch, withBreaker } from '#lib/outbound/fetch.ts';
import { field } from '#lib/registry/definition.ts';
import { webAddress } from '#lib/registry/values.ts';
import {
  describedPeople,
  type MethodConfig,
  type MethodKind,
  type Probe,
  type ProbeAs,
  privateNetwork,
  secondFactorElsewhere,
  timeoutOf,
  type VerifierAnswer,
  type VerifyPassword,
} from '../kind.ts';

// A remote service verifies user name and password (docs/reference/configuration.md). It accepts them, rejects
// them, or returns no verdict. Without a verdict nobody is signed in.

/** Statuses that a proxy returns if the verifier is not available. */
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
    // the key contains the address, so that a new address starts with a closed breaker
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

const verifyRequest = (secret: string | null, username: string, password: TypedPassword) => ({
  headers: {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(secret ? { authorization: `Bearer ${secret}` } : {}),
  },
  body: JSON.stringify({ username, password }),
});

function readVerdict(status: number, text: string): VerifierAnswer {
  if (status === 401 || status === 403) return { kind: 'refused' };
  const body = parse(text);
  const clientError = status >= 400 && status < 500;
  if ((status === 200 || clientError) && withError.safeParse(body).success) return { kind: 'refused' };
  if (status !== 200) return { kind: 'no-verdict', because: `status ${status}`, status };
  const parseResult = accepted.safeParse(body);
  if (!parseResult.success) return { kind: 'no-verdict', because: 'a profile that makes no sense' };
  return { kind: 'accepted', profile: parseResult.data.profile };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Probes of a verifier: the doctor checks that it is available, and a connection test checks that it rejects an
// account that does not exist.

const MISSING = [404, 410];
const CONTRACT = {
  text: 'The service must return 401 if the username or password is wrong, and 200 with {example} if both are correct. If the service requires a token, compare it with the token that we send.',
  values: { example: '{"profile":{"sub":"…"}}' },
};

function verifierProbes(config: MethodConfig, as: ProbeAs | null): Probe[] {
  const address = String(config['verify_url']);
  return as ? [unknownAccount(address, as.secret)] : [isThere(address)];
}

/**
 * Checks the address with a GET. The endpoint accepts only POST, so the GET fails, on some servers with status
 * 404.
 */
const isThere = (address: string): Probe => ({
  check: { text: 'Address' },
  address,
  judge: ({ status }) =>
    MISSING.includes(status)
      ? {
          state: 'warning',
          found: { text: 'Nothing was found at this address, at least with GET.' },
          change: { text: 'Check the address (verify_url).' },
        }
      : { state: 'ok', found: { text: 'The address responds.' } },
});

function unknownAccount(address: string, secret: string | null): Probe {
  const username = `gatehouse-test-${randomToken('').slice(0, 12)}`;
  const { headers, body } = verifyRequest(secret, username, inventPassword());
  return {
    check: { text: 'An invented account' },
    address,
    send: { headers, body },
    judge: ({ status, body: said }) => {
      const verdict = readVerdict(status, said);
      switch (verdict.kind) {
        case 'refused':
          return MISSING.includes(status)
            ? {
                state: 'broken',
                found: { text: 'Nothing was found at this address.' },
                change: { text: 'Check the address (verify_url).' },
              }
            : {
                state: 'ok',
                found: {
                  text: 'An invented account is correctly rejected. Only a sign-in shows whether a real account is accepted.',
                },
              };
        case 'accepted':
          return {
            state: 'broken',
            found: { text: 'An account that was invented for this test is accepted with any password.' },
            change: CONTRACT,
          };
        case 'no-verdict':
          return {
            state: 'broken',
            found: {
              text: 'This response is not accepted, and signs no one in: {because}.',
              values: { because: verdict.because },
            },
            change: MISSING.includes(status) ? { text: 'Check the address (verify_url).' } : CONTRACT,
          };
      }
    },
  };
}

export const externalKind = {
  type: 'external',
  capabilities: { asksPassword: true, redirects: false, hasAccounts: false, tellsProfile: false },
  words: {
    label: 'External',
    note: 'Another service checks the username and password.',
    catalogue: 'accounts of another service',
  },
  config: z.strictObject({
    verify_url: field(
      webAddress.describe('The service that verifies username and password'),
      'Verification address',
      {
        hint: 'Receives the username and password as JSON, with the secret below as a bearer token.',
        as: 'url',
      },
    ),
    timeout_ms: timeoutOf(3000),
    ...describedPeople,
    second_factor: secondFactorElsewhere,
    allow_private_network: privateNetwork,
  }),
  secret: { key: 'verify_token', label: 'Bearer token' },
  addresses: ['verify_url'],
  verify: askVerifier,
  probes: verifierProbes,
} as const satisfies MethodKind;
