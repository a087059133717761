import { afterEach, beforeAll, expect, test } from 'vitest';
import { now, shiftClock } from '#lib/kit/clock.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { isTest, sourcesIn } from '#testing/code/sources.ts';
import { type Interaction, openInteraction, renewInteraction, sealInteraction } from './interaction.ts';

const request = (): Interaction => ({
  authMethodId: 'm',
  apiId: 'a',
  query: 'prompt=login&max_age=60',
  startedAt: now().getTime(),
  browser: 'b',
});

beforeAll(
  () => void loadSettings({ DATABASE_URL: 'postgres://none/none', GATEHOUSE_SECRET: 'A'.repeat(43) }),
);
afterEach(() => shiftClock(0));

test('OpenID Connect Core §3.1.2.1: repeated requests for a code do not extend a pending sign-in past ten minutes', () => {
  const signedIn: Interaction = {
    ...request(),
    signedIn: 'session',
    proved: 'session',
    postponed: 'session',
    allowed: 'session and scopes',
    asked: 'session',
    pendingTotp: 'sealed',
  };
  shiftClock(9 * 60_000);
  const again = openInteraction(sealInteraction(renewInteraction(signedIn)), 'b');
  expect(again).toEqual({ ...request(), startedAt: expect.any(Number) });
  shiftClock(11 * 60_000);
  expect(openInteraction(sealInteraction(signedIn), 'b')).toBe('expired');
});

test('only the listed files set the start of an interaction, and all other code keeps the start by renewInteraction', () => {
  const starts = sourcesIn('lib/oauth')
    .filter(({ file }) => !isTest(file))
    .map(({ file, text }) => [file, text.match(/startedAt(?::|\s*=)\s*now\(/g)?.length ?? 0] as const)
    .filter(([, calls]) => calls > 0);
  expect(Object.fromEntries(starts)).toEqual({
    'lib/oauth/authorize.ts': 2,
    'lib/oauth/authorize/interaction.ts': 1,
    'lib/oauth/broker.ts': 1,
    'lib/oauth/explanation.ts': 1,
    'lib/oauth/pages/device.ts': 1,
    'lib/oauth/sign-out.ts': 1,
  });
});
