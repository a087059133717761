// The second factor that an authorize request requires, or the error for a request without pages.
import { expect, test } from 'vitest';
import type { StrengthFacts } from '#lib/store/hot/validity.ts';
import { type Asking, type NeededStrength, secondFactorStep } from './interaction.ts';

type Case = Partial<Omit<Asking, 'strength'>> & Partial<NeededStrength>;

const nobody: StrengthFacts = { level: 1, factorLevel: 0, trusted: false, inGrace: null, offered: false };
const totp: StrengthFacts = { ...nobody, factorLevel: 2 };
const passkey: StrengthFacts = { ...nobody, factorLevel: 3 };
const confirmed: StrengthFacts = { ...totp, level: 2 };

function stepFor({ level = null, policy = 'own', ...rest }: Case, facts: StrengthFacts, days = 0): string {
  const asking = { silent: false, here: false, postponed: false, ...rest, strength: { level, policy } };
  const step = secondFactorStep({ ...asking, graceDays: days }, facts);
  if (step === null) return 'enough';
  if (step.kind === 'error') return step.error.code;
  return [step.kind, step.level, ...(step.kind === 'set-up' ? [step.why] : [])].join(' ');
}

test.each<[string, Case, StrengthFacts, string]>([
  ['nobody asks for anything', {}, nobody, 'enough'],
  ['who has one is asked', {}, totp, 'confirm 2'],
  ['who has one is asked, silently', { silent: true }, totp, 'login_required'],
  ['not in a browser that they trust', {}, { ...totp, trusted: true }, 'enough'],
  ['not twice', {}, confirmed, 'enough'],
  ['not where the policy is off', { policy: 'off' }, totp, 'enough'],
  ['a level needs it where the policy is off', { policy: 'off', level: 2 }, totp, 'confirm 2'],
  ['no browser is trusted with a level', { level: 2 }, { ...totp, trusted: true }, 'confirm 2'],
  ['any sign-in is a password', { level: 1 }, nobody, 'enough'],
  ['a level that nobody has yet', { level: 2 }, nobody, 'set-up 2 required'],
  ['a level that nobody may have', { level: 2, policy: 'off' }, nobody, 'unmet_authentication_requirements'],
  [
    'a level that nobody may have, silently',
    { level: 2, policy: 'off', silent: true },
    nobody,
    'unmet_authentication_requirements',
  ],
  ['a level that one might have, silently', { level: 2, silent: true }, nobody, 'login_required'],
  ['a passkey is asked for, and there is one', { level: 3 }, passkey, 'confirm 3'],
  ['a passkey is asked for after a code', { level: 3 }, { ...passkey, level: 2 }, 'confirm 3'],
  ['a passkey is enough for two factors', { level: 2 }, { ...passkey, level: 3 }, 'enough'],
  ['before a passkey is added, the code is asked for', { level: 3 }, totp, 'confirm 2'],
  ['after the code a passkey is added', { level: 3 }, confirmed, 'set-up 3 required'],
  [
    'a code leads nowhere where no passkey may be added',
    { level: 3, policy: 'off' },
    totp,
    'unmet_authentication_requirements',
  ],
  ['a passkey is the first', { level: 3 }, nobody, 'set-up 3 required'],
  ['one is offered after a sign-in', { policy: 'optional', here: true }, nobody, 'set-up 2 offer'],
  ['once', { policy: 'optional', here: true }, { ...nobody, offered: true }, 'enough'],
  ['not where the person said Later', { policy: 'optional', here: true, postponed: true }, nobody, 'enough'],
  ['not in passing', { policy: 'optional' }, nobody, 'enough'],
  ['who has one is not offered one', { policy: 'optional', here: true }, totp, 'confirm 2'],
  ['everybody must have one', { policy: 'required' }, nobody, 'set-up 2 required'],
  ['Later does not help', { policy: 'required', postponed: true }, nobody, 'set-up 2 required'],
  ['everybody must have one, silently', { policy: 'required', silent: true }, nobody, 'login_required'],
])('the next step toward the second factor: %s', (_, asked, facts, expected) => {
  expect(stepFor(asked, facts)).toBe(expected);
});

const [told, over] = [
  { ...nobody, inGrace: true },
  { ...nobody, inGrace: false },
];
test.each<[string, Case, StrengthFacts, string]>([
  ['first they are told', {}, nobody, 'set-up 2 grace'],
  ['and told at each sign-in', { here: true }, told, 'set-up 2 grace'],
  ['Later works', { here: true, postponed: true }, told, 'enough'],
  ['who is signed in goes on', {}, told, 'enough'],
  ['silently too', { silent: true }, told, 'enough'],
  ['not before they were told', { silent: true }, nobody, 'login_required'],
  ['until it is over', { here: true, postponed: true }, over, 'set-up 2 required'],
  ['a level has no grace', { level: 2, postponed: true }, told, 'set-up 2 required'],
])(
  'if every user must have a second factor within ten days, the next step is: %s',
  (_, asked, facts, expected) => {
    expect(stepFor({ policy: 'required', ...asked }, facts, 10)).toBe(expected);
  },
);
