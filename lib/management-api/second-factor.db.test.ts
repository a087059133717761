// CONSOLE_SECOND_FACTOR at the management API: users with a role over others must have used a second factor (RFC 9470
// §3).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { givenPerson, givenToken, sql } from '#testing/data/registry.ts';
import { enrol } from '#testing/factors/second-step.ts';
import { callManagement, givenManagementApi } from '#testing/in-process/management.ts';

const policy = (value: string) => loadSettings({ ...process.env, CONSOLE_SECOND_FACTOR: value });

beforeAll(givenManagementApi);
afterAll(() => policy('optional'));

test.each([
  ['approver', 401],
  ['administrator', 401],
  ['developer', 200],
] as const)(
  'if a second factor is required, a password-only token of role %s gets %i',
  async (role, status) => {
    const token = await givenToken(await givenPerson(role, role));
    const call = () => callManagement('/me', { token });
    policy('optional');
    expect((await call()).status).toBe(200);
    policy('required');
    const answer = await call();
    expect(answer.status).toBe(status);
    if (status === 401) {
      expect(answer).toMatchObject({ json: { type: 'urn:gatehouse:problem:second-factor' } });
      expect(answer.headers['www-authenticate']).toMatch(
        /^Bearer .*error="insufficient_user_authentication", acr_values="urn:gatehouse:acr:mfa"$/,
      );
    }
    await sql('update token_families set acr_level = 2');
    expect((await call()).status).toBe(200);
  },
);

test('if the second factor is optional, users who have one must prove it, and a trusted browser is no proof', async () => {
  const person = await givenPerson('factored', 'administrator');
  const token = await givenToken(person);
  const call = () => callManagement('/me', { token });
  policy('optional');
  expect((await call()).status).toBe(200);
  await enrol(person.id);
  expect((await call()).status).toBe(401);
  policy('off');
  expect((await call()).status).toBe(200);
});
