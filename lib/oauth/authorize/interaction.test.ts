import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { now, shiftClock } from '#lib/kit/clock.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { type Interaction, openInteraction, renewed, sealInteraction } from './interaction.ts';

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

test('OpenID Connect Core §3.1.2.1: asking for a code again and again gives an earlier sign-in no more than its ten minutes', () => {
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
  const again = openInteraction(sealInteraction(renewed(signedIn)), 'b');
  expect(again).toEqual({ ...request(), startedAt: expect.any(Number) });
  shiftClock(11 * 60_000);
  expect(openInteraction(sealInteraction(signedIn), 'b')).toBe('expired');
});

test('no page of a sign-in renews the start of an interaction but by `renewed`', () => {
  const folder = 'lib/oauth/pages';
  const files = readdirSync(folder).filter((name) => !name.includes('.test.'));
  const winding = files.filter((name) =>
    /startedAt:\s*now\(/.test(readFileSync(`${folder}/${name}`, 'utf8')),
  );
  expect(winding).toEqual([]);
});
