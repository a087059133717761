// People in lists and on their page, and the edit of name and address.

import { sendServiceMail } from '#lib/mail/index.ts';
import { changeOf, person as definition, type PersonRow, type Role } from '#lib/registry/index.ts';
import { settings } from '#lib/settings/index.ts';
import {
  type Db,
  endSignIns,
  findPersonByEmail,
  findPersonView,
  inTransaction,
  PEOPLE,
  type PersonView,
  type SeenFilter,
  searchPeople,
  updatePerson,
} from '#lib/store/index.ts';
import {
  type Asked,
  changesOf,
  type Days,
  faultAt,
  operation,
  type Page,
  parseInput,
  Refused,
  rangesOf,
  readPage,
  record,
  requireRecent,
  searchOf,
  stale,
} from '../core/index.ts';
import { findByRef } from './people.ts';

export type { PersonView } from '#lib/store/index.ts';

const edit = changeOf(definition.pick({ name: true, email: true }));

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
    const search = await searchPeople(searchOf(input));
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
      /** only for the configuration file: the address counts as proved */
      emailVerified?: true | undefined;
    },
  ): Promise<PersonView> => {
    const { id, version, emailVerified: isProof, ...given } = input;
    if (isProof && actor.kind !== 'configuration') throw new Refused('person.proof_of_address');
    const { view, left } = await inTransaction(async (db) => {
      const person = await viewOf(db, id);
      const { name = person.name, email = person.email } = parseInput(edit, given);
      const moved = email !== person.email;
      if (moved) requireRecent(actor);
      if (moved && person.email === null) throw new Refused('person.elsewhere');
      if (moved && email !== null && (await findPersonByEmail(db, email))) {
        const faults = [faultAt('email', 'person.address_of_other', { email })];
        throw new Refused('person.exists', { email }, { faults });
      }
      const who = person.email ?? person.name;
      const proved = isProof === true && !person.emailVerified;
      const values = { name, email, proved };
      if (!(await updatePerson(db, person.id, version ?? person.version, values))) throw stale(who);
      if (moved) await endSignIns(db, person.id, 'address changed');
      const emailVerified = proved || (person.emailVerified && !moved);
      const details = changesOf(person, { name, email, emailVerified });
      if (details.changed.length > 0) {
        await record(actor, { event: 'person.changed', personId: person.id, details }, db);
      }
      const { email: left, locale } = person;
      return {
        view: await viewOf(db, person.id),
        left: moved && left !== null ? { email: left, locale } : null,
      };
    });
    if (left !== null) sendServiceMail(left, 'address-changed-by-administrator', {});
    return view;
  },
);

async function viewOf(db: Db, ref: string): Promise<PersonView> {
  const { id } = await findByRef(db, { id: ref });
  const person = await findPersonView(db, id, settings().passkeyRpId);
  if (!person) throw new Refused('person.unknown_id');
  return person;
}
