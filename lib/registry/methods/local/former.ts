// The service that a local method's people came from: asked for a password that did not come along, until a date.
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { webAddress } from '../../values.ts';
import { addressFault, milliseconds } from '../config-fields.ts';
import type { ConfigFault, FurtherVerdict, MethodConfig } from '../kind.ts';

const WAIT =
  'Milliseconds to wait for its answer, up to 60000; no wait is longer than 5 s. Left out: 3000. While it is asked, a refused sign-in is answered half a second later than that';

export const former = z.strictObject({
  verify_url: webAddress.describe('The service that checks username and password, as `external` asks it'),
  until: z.iso
    .date('must be a date such as 2027-03-31')
    .describe('The last day on which it is asked, in UTC'),
  timeout_ms: milliseconds.exactOptional().describe(WAIT),
  allow_private_network: z
    .boolean('must be true or false')
    .exactOptional()
    .describe('It may be called at a private address, and over http'),
});
export type Former = z.output<typeof former>;

/** Null: there is none. */
export const formerOf = (config: MethodConfig): Former | null =>
  former.safeParse(config['former']).data ?? null;

/** Its last day is over. */
export const isOver = ({ until }: Pick<Former, 'until'>, now: Date): boolean =>
  Date.parse(until) + 86_400_000 <= now.getTime();

export function formerFaults(config: MethodConfig): ConfigFault[] {
  const { former: given } = config;
  if (typeof given !== 'object' || given === null) return [];
  const { verify_url: address, allow_private_network: mayBePrivate }: MethodConfig = { ...given };
  const message = addressFault(address, mayBePrivate === true);
  return message === null ? [] : [{ path: ['former', 'verify_url'], message }];
}

/** A token that is sent nowhere is a mistake: the secret is the token that the former service gets. */
export const formerSecretFaults = (
  config: MethodConfig,
  { secret }: { secret: string | undefined },
): ConfigFault[] =>
  secret !== undefined && formerOf(config) === null ? [{ path: ['former'], message: 'is missing' }] : [];

/** In the file the token is beside the other keys. */
const day = z.looseObject({ until: z.iso.date() });

export function formerRemarks(config: MethodConfig): FurtherVerdict[] {
  const { data: found } = day.safeParse(config['former']);
  if (!found || !isOver(found, now())) return [];
  return [
    {
      key: 'former',
      check: { text: 'Former service' },
      state: 'warning',
      found: { text: 'It is not asked any more: its last day was {until}.', values: { until: found.until } },
      change: {
        text: 'Remove former. People who have no password here choose one by Forgotten password.',
      },
    },
  ];
}
