// People in lists and on their page, and the edit of name and address.

import { subjectSalt } from '#lib/keys/subject-salt.ts';
import { sendServiceMail } from '#lib/mail/service-mail.ts';
import { changeOf } from '#lib/registry/fields/definition.ts';
import {
  editablePerson,
  hasSignInName,
  type PersonRow,
  personLabel,
  type Role,
} from '#lib/registry/objects/person.ts';
import { settings } from '#lib/settings/settings.ts';
import { isUniqueFault } from '#lib/store/database/pool.ts';
import { type Db, inTransaction } from '#lib/store/database/prisma.ts';
import { endSignIns } from '#lib/store/endings/endings.ts';
import {
  findNameHolder,
  findPersonByEmail,
  findPersonView,
  type PersonView,
  updatePerson,
} from '#lib/store/people/people.ts';
import { PEOPLE, type SeenFilter } from '#lib/store/people/people-list.ts';
import { searchPeople } from '#lib/store/people/people-search.ts';
import { currentSnapshot } from '#lib/store/registry/snapshot.ts';
import { announceKept } from '#lib/store/registry/subject-salt.ts';
import { changesOf } from '../core/changes.ts';
import { type Days, rangesOf } from '../core/days.ts';
import { operation } from '../core/operation.ts';
import { type Asked, type Page, readPage, typedSearchOf } from '../core/page.ts';
import { requireRecent } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { parseInput, Refused, stale } from '../core/refused.ts';
import { findByRef } from './people.ts';

const edit = changeOf(editablePerson);

/** When they were created, and when they signed in last. */
const PEOPLE_DAYS = ['created', 'seen'] as const;

export const pagePeople = operation(
  'pagePeople',
  async (
    { actor },
    input: Asked &
      Days<'created' | 'seen'> & {
        role?: Role | undefined;
        state?: 'active' | 'disabled' | undefined;
        factors?: 'some' | 'none' | undefined;
        seen?: SeenFilter | undefined;
        /** in so many days */
        createdWithin?: number | undefined;
      } = {},
  ): Promise<Page<PersonRow>> => {
    const { role = null, state, factors: held, seen = null, createdWithin = null } = input;
    const disabled = state === undefined ? null : state === 'disabled';
    const factors = held === undefined ? null : held === 'some';
    const search = await searchPeople(typedSearchOf(input));
    const { created, seen: seenOn } = await rangesOf(actor, PEOPLE_DAYS, input);
    const filter = { search, role, disabled, factors, seen, createdWithin, created, seenOn };
    return readPage(PEOPLE, input, filter);
  },
);

export const readPerson = operation('readPerson', ({ db }, input: { id: string }) => viewOf(db, input.id));

/** A new address ends every sign-in, token and mailed link of the person, and the old address gets a mail. */
export const changePerson = operation(
  'changePerson',
  async (
    { actor },
    input: {
      id: string;
      version?: number | undefined;
      name?: string | undefined;
      email?: string | undefined;
      username?: string | null | undefined;
      /** only for the configuration file: the address counts as proved */
      emailVerified?: true | undefined;
    },
  ): Promise<PersonView> => {
    const { id, version, emailVerified: isProof, ...given } = input;
    if (isProof && actor.kind !== 'configuration') throw new Refused('person.proof_of_address');
    // sign-in pages ask for user names from the first one on: its row is where that is written
    if (given.username) await subjectSalt(await currentSnapshot());
    const change = async (db: Db) => {
      const person = await viewOf(db, id);
      const {
        name = person.name,
        email = person.email,
        username = person.username,
      } = parseInput(edit, given);
      const moved = email !== person.email;
      if (moved) requireRecent(actor);
      if (moved && !hasSignInName(person)) throw new Refused('person.elsewhere');
      if (moved && email !== null) await refuseTakenAddress(db, email);
      if (username !== person.username) await checkUsername(db, person, username);
      const proved = isProof === true && !person.emailVerified;
      const values = { name, email, username, proved };
      if (!(await updatePerson(db, person.id, version ?? person.version, values)))
        throw stale(personLabel(person));
      if (moved) await endSignIns(db, person.id, 'address changed');
      const emailVerified = proved || (person.emailVerified && !moved);
      const details = changesOf(person, { name, email, username, emailVerified });
      if (details.changed.length > 0) {
        await record(actor, { event: 'person.changed', personId: person.id, details }, db);
      }
      const { email: left, locale } = person;
      return {
        view: await viewOf(db, person.id),
        left: moved && left !== null ? { email: left, locale } : null,
      };
    };
    const { view, left } = await inTransaction(change).catch((error: unknown) => {
      // another change was first to take the name, which the second look sees
      if (isUniqueFault(error)) return inTransaction(change);
      throw error;
    });
    if (left !== null) sendServiceMail(left, 'address-changed-by-administrator', {});
    return view;
  },
);

async function refuseTakenAddress(db: Db, email: string): Promise<void> {
  if ((await findPersonByEmail(db, email)) === null) return;
  const faults = [faultAt('email', 'person.address_of_other', { email })];
  throw new Refused('person.exists', { email }, { faults });
}

async function checkUsername(db: Db, person: PersonView, username: string | null): Promise<void> {
  if (!hasSignInName(person)) throw new Refused('person.elsewhere');
  if (username === null) {
    if (person.email === null) throw new Refused('person.only_name');
    return;
  }
  const holder = await findNameHolder(db, username);
  if (holder !== null && holder !== person.id) {
    const faults = [faultAt('username', 'person.username_of_other', { username })];
    throw new Refused('person.username_taken', { username }, { faults });
  }
  await announceKept(db, { subjects: false, usernames: true });
}

async function viewOf(db: Db, ref: string): Promise<PersonView> {
  const { id } = await findByRef(db, { id: ref });
  const person = await findPersonView(db, id, settings().passkeyRpId);
  if (!person) throw new Refused('person.unknown_id');
  return person;
}
