// What an administrator takes from a person, or gives them: told before it is done.
import { type EnglishSentence, english } from '#lib/language/message.ts';
import type { PersonRow, Role } from '#lib/registry/person.ts';
import { countTokensOfPerson } from '#lib/store/endings.ts';
import { countReach, countWithRole, type PersonView } from '#lib/store/people.ts';
import type { Db } from '#lib/store/prisma.ts';
import { consequencesOf, type Foreseen, type Holding } from './consequences.ts';
import { operation } from './operations.ts';
import { readPerson, roleOf } from './people.ts';
import { type Actor, idOf } from './policy.ts';

export type PersonStep = 'delete' | 'disable' | 'sign-out' | 'reset-factors' | 'grant' | 'revoke';

type Foreseeing = { actor: Actor; db: Db; person: PersonView; role: Role };

/** `role`: which one is granted or revoked. */
export const previewPersonStep = operation(
  'previewPersonStep',
  async ({ actor, db }, input: { id: string; step: PersonStep; role?: string | undefined }) => {
    const { step } = input;
    const person = await readPerson(actor, { id: input.id });
    const role = step === 'grant' || step === 'revoke' ? roleOf(input.role ?? '') : 'developer';
    return FORESEEN[step]({ actor, db, person, role });
  },
);

const FORESEEN: Readonly<Record<PersonStep, (of: Foreseeing) => Promise<Foreseen>>> = {
  delete: async ({ db, person }) => {
    const { consents, clients, identities } = person;
    return foreseen(
      [
        [
          english(
            'What they allowed to {consents, plural, one {# application} other {# applications}} is forgotten.',
            { consents },
          ),
          consents > 0,
        ],
        [
          english(
            'Their {clients, plural, one {# application goes} other {# applications go}} on, without an owner.',
            { clients },
          ),
          clients > 0,
        ],
        [
          english('If they sign in again through another service, they get a new account.'),
          identities.length > 0,
        ],
        ...(await rolesGoing(db, person)),
      ],
      await signInsOf(db, person),
      person.managed,
    );
  },
  disable: async ({ db, person }) => {
    const { clients, trustedBrowsers } = person;
    return foreseen(
      [
        [
          english(
            '{browsers, plural, one {# trusted browser is} other {# trusted browsers are}} forgotten: each is asked for the second factor again.',
            { browsers: trustedBrowsers },
          ),
          trustedBrowsers > 0,
        ],
        [
          english('Their {clients, plural, one {# application goes} other {# applications go}} on.', {
            clients,
          }),
          clients > 0,
        ],
        ...(await rolesGoing(db, person)),
      ],
      await signInsOf(db, person),
    );
  },
  'sign-out': async ({ actor, db, person }) =>
    foreseen(
      [[english('This is your own account: you are signed out here, too.'), idOf(actor) === person.id]],
      await signInsOf(db, person),
    ),
  'reset-factors': async ({ db, person }) => {
    const { passkeys, oldPasskeys, totpCount, recoveryCodes, trustedBrowsers } = person;
    return foreseen(
      [
        [
          oldPasskeys > 0
            ? english('{passkeys, plural, one {# passkey} other {# passkeys}}, {old} of another host', {
                passkeys,
                old: oldPasskeys,
              })
            : english('{passkeys, plural, one {# passkey} other {# passkeys}}', { passkeys }),
          passkeys > 0,
        ],
        [
          english('{count, plural, one {# authenticator app} other {# authenticator apps}}', {
            count: totpCount,
          }),
          totpCount > 0,
        ],
        [
          english('{codes, plural, one {# recovery code} other {# recovery codes}}', {
            codes: recoveryCodes,
          }),
          recoveryCodes > 0,
        ],
        [
          english('{browsers, plural, one {# trusted browser} other {# trusted browsers}}', {
            browsers: trustedBrowsers,
          }),
          trustedBrowsers > 0,
        ],
      ],
      await signInsOf(db, person),
    );
  },
  grant: async ({ db, person, role }) => {
    const others = await countWithRole(db, role, person.id);
    return foreseen(
      [
        [english('They have no second factor: a stolen password is enough.'), person.factors.length === 0],
        [english('Their address is not confirmed.'), !person.emailVerified],
        [english('They are disabled: the role counts once they are enabled again.'), person.disabled],
      ],
      [
        ...(await gains(db, role)),
        english('{others, plural, one {# person has} other {# people have}} this role so far.', { others }),
      ],
      person.managed,
    );
  },
  revoke: async ({ actor, db, person, role }) =>
    foreseen(
      [
        [losing(role, person), true],
        [english('This is your own role: you leave this page with it.'), idOf(actor) === person.id],
      ],
      [
        english('{others, plural, one {# other person has} other {# other people have}} this role.', {
          others: await countWithRole(db, role, person.id),
        }),
      ],
      person.managed,
    ),
};

const foreseen = (lines: readonly Holding[], counted: EnglishSentence[], managed = false): Foreseen => ({
  ...consequencesOf(managed, lines),
  counted,
});

async function signInsOf(db: Db, { id, sessions }: PersonView): Promise<EnglishSentence[]> {
  const { tokens, clients } = await countTokensOfPerson(db, id);
  return [
    sessions === 0
      ? english('They are signed in nowhere.')
      : english('{sessions, plural, one {# sign-in ends} other {# sign-ins end}}, in every browser.', {
          sessions,
        }),
    tokens === 0
      ? english('No application has tokens for them.')
      : english(
          '{tokens, plural, one {# token} other {# tokens}} of {clients, plural, one {# application} other {# applications}} end.',
          { tokens, clients },
        ),
  ];
}

function rolesGoing(db: Db, person: PersonRow): Promise<Holding[]> {
  return Promise.all(
    person.roles.map(async (role): Promise<Holding> => {
      const others = await countWithRole(db, role, person.id);
      return [
        english(
          'They are {role, select, administrator {an administrator} approver {an approver} other {a developer}}. {others, plural, one {# other person has} other {# other people have}} this role.',
          { role, others },
        ),
        true,
      ];
    }),
  );
}

async function gains(db: Db, role: Role): Promise<EnglishSentence[]> {
  const { apis, clients, waiting } = await countReach(db);
  if (role === 'developer')
    return [
      english(
        'They may register applications, and ask for access to {apis, plural, one {# API} other {# APIs}}.',
        { apis },
      ),
    ];
  const decides = english('They decide on requests: {waiting, plural, one {# waits} other {# wait}} now.', {
    waiting,
  });
  if (role === 'approver') return [decides];
  return [
    english(
      'They may change everything: {apis, plural, one {# API} other {# APIs}}, {clients, plural, one {# application} other {# applications}}, every person and every role, yours too.',
      { apis, clients },
    ),
    decides,
  ];
}

function losing(role: Role, { clients }: PersonView): EnglishSentence {
  if (role === 'administrator') return english('They can no longer run this service.');
  if (role === 'approver') return english('They can no longer decide on requests.');
  return clients === 0
    ? english('They can no longer register applications.')
    : english(
        'They can no longer change their {clients, plural, one {# application} other {# applications}}, which go on.',
        { clients },
      );
}
