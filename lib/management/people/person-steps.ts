// What an administrator takes from a person, or gives them: told before it is done.
import type { PersonRow, Role } from '#lib/registry/index.ts';
import { countReach, countTokensOfPerson, countWithRole, type Db } from '#lib/store/index.ts';
import { type Actor, consequencesOf, type Foreseen, idOf, numbered, operation } from '../core/index.ts';
import { roleOf } from './people.ts';
import { type PersonView, readPerson } from './people-view.ts';

export type PersonStep = 'delete' | 'disable' | 'sign-out' | 'reset-factors' | 'grant' | 'revoke';

type Lines = Readonly<Record<string, boolean>>;
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
    const allowed = numbered(consents, 'application', 'applications');
    return foreseen(
      {
        [`What they allowed to ${allowed} is forgotten.`]: consents > 0,
        [ownerless(clients)]: clients > 0,
        'If they sign in again through another service, they get a new account.': identities.length > 0,
        ...(await rolesGoing(db, person)),
      },
      await signInsOf(db, person),
      person.managed,
    );
  },
  disable: async ({ db, person }) => {
    const { clients, trustedBrowsers } = person;
    const browsers = numbered(trustedBrowsers, 'trusted browser is', 'trusted browsers are');
    return foreseen(
      {
        [`${browsers} forgotten: each is asked for the second factor again.`]: trustedBrowsers > 0,
        [`Their ${numbered(clients, 'application goes', 'applications go')} on.`]: clients > 0,
        ...(await rolesGoing(db, person)),
      },
      await signInsOf(db, person),
    );
  },
  'sign-out': async ({ actor, db, person }) =>
    foreseen(
      { 'This is your own account: you are signed out here, too.': idOf(actor) === person.id },
      await signInsOf(db, person),
    ),
  'reset-factors': async ({ db, person }) => {
    const { passkeys, oldPasskeys, totpCount, recoveryCodes, trustedBrowsers } = person;
    const elsewhere = oldPasskeys > 0 ? `, ${oldPasskeys} of another host` : '';
    return foreseen(
      {
        [`${numbered(passkeys, 'passkey', 'passkeys')}${elsewhere}`]: passkeys > 0,
        [numbered(totpCount, 'authenticator app', 'authenticator apps')]: totpCount > 0,
        [numbered(recoveryCodes, 'recovery code', 'recovery codes')]: recoveryCodes > 0,
        [numbered(trustedBrowsers, 'trusted browser', 'trusted browsers')]: trustedBrowsers > 0,
      },
      await signInsOf(db, person),
    );
  },
  grant: async ({ db, person, role }) => {
    const others = await countWithRole(db, role, person.id);
    return foreseen(
      {
        'They have no second factor: a stolen password is enough.': person.factors.length === 0,
        'Their address is not confirmed.': !person.emailVerified,
        'They are disabled: the role counts once they are enabled again.': person.disabled,
      },
      [...(await gains(db, role)), `${numbered(others, 'person has', 'people have')} this role so far.`],
      person.managed,
    );
  },
  revoke: async ({ actor, db, person, role }) =>
    foreseen(
      {
        [losing(role, person)]: true,
        'This is your own role: you leave this page with it.': idOf(actor) === person.id,
      },
      [stillHaveIt(await countWithRole(db, role, person.id))],
      person.managed,
    ),
};

const foreseen = (lines: Lines, numbers: string[], managed = false): Foreseen => ({
  ...consequencesOf(managed, lines),
  counted: numbers,
});

const ownerless = (clients: number) =>
  `Their ${numbered(clients, 'application goes', 'applications go')} on, without an owner.`;

const stillHaveIt = (others: number) =>
  `${numbered(others, 'other person has', 'other people have')} this role.`;

async function signInsOf(db: Db, { id, sessions }: PersonView): Promise<string[]> {
  const { tokens, clients } = await countTokensOfPerson(db, id);
  return [
    sessions === 0
      ? 'They are signed in nowhere.'
      : `${numbered(sessions, 'sign-in ends', 'sign-ins end')}, in every browser.`,
    tokens === 0
      ? 'No application has tokens for them.'
      : `${numbered(tokens, 'token', 'tokens')} of ${numbered(clients, 'application', 'applications')} end.`,
  ];
}

async function rolesGoing(db: Db, person: PersonRow): Promise<Lines> {
  const lines = await Promise.all(
    person.roles.map(async (role): Promise<[string, boolean]> => {
      const others = await countWithRole(db, role, person.id);
      return [`They are ${WHAT[role]}. ${stillHaveIt(others)}`, true];
    }),
  );
  return Object.fromEntries(lines);
}

const WHAT: Readonly<Record<Role, string>> = {
  administrator: 'an administrator',
  approver: 'an approver',
  developer: 'a developer',
};

async function gains(db: Db, role: Role): Promise<string[]> {
  const { apis, clients, waiting } = await countReach(db);
  const all = numbered(apis, 'API', 'APIs');
  if (role === 'developer') return [`They may register applications, and ask for access to ${all}.`];
  const decides = `They decide on requests: ${numbered(waiting, 'waits', 'wait')} now.`;
  if (role === 'approver') return [decides];
  return [
    `They may change everything: ${all}, ${numbered(clients, 'application', 'applications')}, every person and every role, yours too.`,
    decides,
  ];
}

function losing(role: Role, { clients }: PersonView): string {
  if (role === 'administrator') return 'They can no longer run this service.';
  if (role === 'approver') return 'They can no longer decide on requests.';
  const theirs = numbered(clients, 'application', 'applications');
  return clients === 0
    ? 'They can no longer register applications.'
    : `They can no longer change their ${theirs}, which go on.`;
}
