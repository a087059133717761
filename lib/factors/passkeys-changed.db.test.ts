// A passkey whose flag "backup eligible" has changed since its registration (WebAuthn Level 3 §7.2).
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { settings } from '#lib/settings/settings.ts';
import { sql } from '#testing/data/registry.ts';
import { Authenticator } from '#testing/factors/authenticator.ts';
import { addPasskeyWith, proveWith } from '#testing/factors/passkeys.ts';

const CHANGED = {
  kind: 'refused',
  code: 'factor.passkey_changed',
};
const one = { flags: { be: true, bs: true } };
const none = { flags: { be: false, bs: false } };

let person: string;
let authenticator: Authenticator;
const kept = () => sql('select backup_eligible, backed_up from passkeys where person_id = $1', [person]);

beforeAll(() => setLogLevel('silent'));
beforeEach(async () => {
  await sql('truncate attempts');
  const [made] = await sql<{ id: string }>("insert into people (password_hash) values ('x') returning id");
  person = made?.id ?? '';
  authenticator = new Authenticator(settings().authUrl);
});

test.each([
  ['at a sign-in', () => null],
  ['as a second factor', () => person],
])(
  'WebAuthn Level 3 §7.2: a passkey that becomes synced keeps working, and amr then contains swk, %s',
  async (_, personId) => {
    await addPasskeyWith(authenticator, person, { wrong: none });
    const before = await proveWith(authenticator, { wrong: none, personId: personId() });
    expect(before).toMatchObject({ proof: { level: 3, amr: ['hwk', 'user', 'mfa'] } });
    for (let times = 0; times < 2; times += 1)
      expect(await proveWith(authenticator, { wrong: one, personId: personId() })).toMatchObject({
        kind: 'proved',
        proof: { level: 3, amr: ['swk', 'user', 'mfa'] },
      });
    expect(await kept()).toEqual([{ backup_eligible: true, backed_up: true }]);
  },
);

test.each([
  ['at a sign-in', () => null],
  ['as a second factor', () => person],
])(
  'a synced passkey that reports that it is not synced is rejected with instructions, and the audit log contains the reason, %s',
  async (_, personId) => {
    await addPasskeyWith(authenticator, person, { wrong: one });
    expect(await proveWith(authenticator, { wrong: none, personId: personId() })).toEqual(CHANGED);
    expect(await kept()).toEqual([{ backup_eligible: true, backed_up: true }]);
    const events = await sql(
      "select details from audit_events where event = 'factor.refused' and actor = $1",
      [person],
    );
    expect(events).toEqual([{ details: { factor: 'passkey', reason: 'it may no longer be copied' } }]);
    expect(await proveWith(authenticator, { wrong: one, personId: personId() })).toMatchObject({
      kind: 'proved',
    });
  },
);
