// A service that we ask whether a username and password are right.
import { z } from 'zod';
import { randomToken } from '#lib/kit/random.ts';
import { inventPassword } from '#lib/kit/typed-password.ts';
import { field } from '../../definition.ts';
import { webAddress } from '../../values.ts';
import { describedPeople, privateNetwork, secondFactorElsewhere, timeoutOf } from '../config-fields.ts';
import type { MethodConfig, MethodKind, Probe, ProbeAs } from '../kind.ts';
import { askVerifier, readVerdict, verifyRequest } from './verify.ts';

// What is asked of a verifier: by the doctor whether it is there, and by a test of its connection whether it refuses an
// account that there is not.

const MISSING = [404, 410];
const CONTRACT = {
  text: 'It answers 401 where username or password is wrong, and 200 with {example} where both are right. If it wants a token, compare the one that we send.',
  values: { example: '{"profile":{"sub":"…"}}' },
};

function verifierProbes(config: MethodConfig, as: ProbeAs | null): Probe[] {
  const address = String(config['verify_url']);
  return as ? [unknownAccount(address, as.secret)] : [isThere(address)];
}

/** It accepts only POST, so a GET is refused; some servers answer 404 to it. */
const isThere = (address: string): Probe => ({
  check: { text: 'Address' },
  address,
  judge: ({ status }) =>
    MISSING.includes(status)
      ? {
          state: 'warning',
          found: { text: 'There is nothing at this address, at least for a GET.' },
          change: { text: 'Check the address (verify_url).' },
        }
      : { state: 'ok', found: { text: 'Something answers.' } },
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
                found: { text: 'There is nothing at this address.' },
                change: { text: 'Check the address (verify_url).' },
              }
            : {
                state: 'ok',
                found: {
                  text: 'It refuses an invented account, as it must. Whether it lets in a right one, a sign-in shows.',
                },
              };
        case 'accepted':
          return {
            state: 'broken',
            found: { text: 'It lets in an account that was invented for this test, with any password.' },
            change: CONTRACT,
          };
        case 'no-verdict':
          return {
            state: 'broken',
            found: {
              text: 'This answer does not count, and signs no one in: {because}.',
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
    note: 'We ask another service whether a username and password are right.',
    catalogue: 'accounts elsewhere',
  },
  config: z.strictObject({
    verify_url: field(
      webAddress.describe('The service that checks username and password'),
      'Address that checks',
      {
        hint: 'It gets the username and password as JSON, with the secret below as a bearer token.',
        as: 'url',
      },
    ),
    timeout_ms: timeoutOf(3000),
    ...describedPeople,
    second_factor: secondFactorElsewhere,
    allow_private_network: privateNetwork,
  }),
  secret: { key: 'verify_token', label: 'Token we send' },
  addresses: ['verify_url'],
  verify: askVerifier,
  probes: verifierProbes,
} as const satisfies MethodKind;
