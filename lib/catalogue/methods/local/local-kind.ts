// Kind for email addresses and passwords that Gatehouse stores itself. lib/auth-methods/local.ts checks the
// passwords.
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { checkFault } from '#lib/kit/fault.ts';
import { field } from '#lib/registry/definition.ts';
import { dateSuchAs, webAddress } from '#lib/registry/values.ts';
import {
  addressFault,
  type ConfigFault,
  type FurtherVerdict,
  type MethodConfig,
  type MethodKind,
  milliseconds,
  secondFactor,
} from '../kind.ts';

// The service that users of a local method came from. Until a date, it verifies passwords that were not imported.

const WAIT =
  'Milliseconds to wait for its response, up to 60000; a single wait takes at most 5 s. Default: 3000. Meanwhile, the response to a rejected sign-in is delayed by half a second more';

const former = z.strictObject({
  verify_url: webAddress.describe(
    'The service that verifies username and password, with the protocol of `external`',
  ),
  until: z.iso.date(dateSuchAs('2027-03-31')).describe('The last day on which it is called, in UTC'),
  timeout_ms: milliseconds.exactOptional().describe(WAIT),
  allow_private_network: z
    .boolean('must be true or false')
    .exactOptional()
    .describe('Allows a private address, and http'),
});
export type Former = z.output<typeof former>;

/** Returns null if the method has no former service. */
export const formerOf = (config: MethodConfig): Former | null =>
  former.safeParse(config['former']).data ?? null;

/** True if the last day of the former service has passed. */
export const isOver = ({ until }: Pick<Former, 'until'>, now: Date): boolean =>
  Date.parse(until) + 86_400_000 <= now.getTime();

function formerFaults(config: MethodConfig): ConfigFault[] {
  const { former: given } = config;
  if (typeof given !== 'object' || given === null) return [];
  const { verify_url: address, allow_private_network: mayBePrivate }: MethodConfig = { ...given };
  const wrong = addressFault(address, mayBePrivate === true);
  return wrong === null ? [] : [{ path: ['former', 'verify_url'], ...wrong }];
}

/** Rejects a secret if the method has no former service, because the secret is the token for that service. */
const formerSecretFaults = (
  config: MethodConfig,
  { secret }: { secret: string | undefined },
): ConfigFault[] =>
  secret !== undefined && formerOf(config) === null ? [{ path: ['former'], message: 'is missing' }] : [];

/** A loose object, because the configuration file also contains the token and other keys at this place. */
const day = z.looseObject({ until: z.iso.date() });

function formerRemarks(config: MethodConfig): FurtherVerdict[] {
  const { data: found } = day.safeParse(config['former']);
  if (!found || !isOver(found, now())) return [];
  return [
    {
      key: 'former',
      check: { text: 'Former service' },
      state: 'warning',
      found: {
        text: 'The former service is not used any more: its last day was {until}.',
        values: { until: found.until },
      },
      change: {
        text: 'Remove the setting former. People without a password in Gatehouse choose one with “Forgot your password?”.',
      },
    },
  ];
}

// Ways in which users get an account at Gatehouse. lib/catalogue/clients/definition.ts contains the registration of clients (RFC
// 7591).

const MODES = ['off', 'invite', 'open', 'approval'] as const;

const methodRegistration = z
  .enum(MODES, checkFault('must be {values}', { values: MODES }))
  .optional()
  .describe(
    'Registration of accounts. off: by administrators only. invite: people with an invitation. open: everyone with a verified address. approval: everyone with a verified address, after an approver accepts them. Default: off',
  );

const REGISTRATION_WORDS = {
  '': { label: 'Off', note: 'An administrator creates the accounts.' },
  off: { label: 'Off (set explicitly)', note: 'No one can sign up, even if the default changes.' },
  invite: {
    label: 'Invited people',
    note: 'The link in an invitation mail creates the account.',
  },
  open: { label: 'Everyone', note: 'People who verify an address can create an account with it.' },
  approval: {
    label: 'Approved people',
    note: 'People who verify an address wait for approval by an approver or administrator.',
  },
};

export const localKind = {
  type: 'local',
  capabilities: { asksPassword: true, redirects: false, hasAccounts: true, tellsProfile: false },
  words: {
    label: 'Local',
    note: 'Email and password of people stored in this service.',
    catalogue: 'accounts of this service',
  },
  config: z.strictObject({
    second_factor: secondFactor('People with a second factor are asked for it.'),
    registration: field(methodRegistration, 'Who can create an account', { choices: REGISTRATION_WORDS }),
    former: field(
      former
        .optional()
        .describe(
          'The former service of the people. If Gatehouse does not have a person’s password, the former service verifies the password once',
        ),
      'Former service of the people',
      {
        hint: 'As JSON. Until the day in “until”, the former service checks people without a password in Gatehouse, and Gatehouse then stores their password.',
        placeholder: '{"verify_url": "https://old.example/verify", "until": "2027-03-31"}',
        as: 'json',
        group: 'Migration',
      },
    ),
  }),
  secret: { key: 'verify_token', label: 'Token for the former service', within: 'former' },
  faults: formerFaults,
  secretFaults: formerSecretFaults,
  remarks: formerRemarks,
} as const satisfies MethodKind;
