// People in lists and on their page, and the edit of what is shown there.
import {
  type Db,
  findPersonByEmail,
  findPersonView,
  inTransaction,
  ownConnection,
  type PersonRow,
  type PersonView,
  selectPeople,
  updatePerson,
} from '#lib/store/index.ts';
import { nameFaults } from './account.ts';
import { operation } from './operation.ts';
import { type Asked, type Page, readPage, searchOf, TIME_PART, UUID_PART, withoutKey } from './page.ts';
import { emailFaults, findByRef } from './people.ts';
import { type Actor, type Role, requireAction } from './policy.ts';
import { record } from './record.ts';
import { Refused, refuseFaults, stale } from './refused.ts';

export type { PersonRow, PersonView } from '#lib/store/index.ts';

export const pagePeople = operation(
  'pagePeople',
  async (
    actor: Actor,
    input: Asked & { role?: Role | undefined; state?: 'active' | 'disabled' | undefined } = {},
  ): Promise<Page<PersonRow>> => {
    requireAction(actor, 'people.read');
    const page = await readPage(input, {
      parts: [TIME_PART, UUID_PART],
      select: (from) =>
        selectPeople({
          search: searchOf(input),
          role: input.role ?? null,
          disabled: input.state === undefined ? null : input.state === 'disabled',
          ...from,
        }),
      key: (row) => [row.key, row.id],
    });
    return { ...page, rows: page.rows.map(withoutKey) };
  },
);

export const readPerson = operation(
  'readPerson',
  async (actor: Actor, input: { id: string }): Promise<PersonView> => {
    requireAction(actor, 'people.read');
    return viewOf(ownConnection, input.id);
  },
);

export const changePerson = operation(
  'changePerson',
  async (
    actor: Actor,
    input: { id: string; version: number; name?: string | undefined; email?: string | undefined },
  ): Promise<PersonView> => {
    requireAction(actor, 'people.manage');
    return inTransaction(async (db: Db) => {
      const person = await viewOf(db, input.id);
      const name = input.name?.trim() ?? person.name;
      const email = input.email?.trim().toLowerCase() ?? person.email;
      const moved = email !== person.email;
      if (moved && person.email === null) throw new Refused('this person signs in elsewhere', 'conflict');
      refuseFaults([...nameFaults(name), ...(moved ? emailFaults(email ?? '') : [])]);
      if (moved && email !== null && (await findPersonByEmail(db, email))) {
        const faults = [{ field: 'email', message: `${email} is somebody else's address` }];
        throw new Refused(`${email} is there already`, 'conflict', { faults });
      }
      const who = person.email ?? person.name;
      if (!(await updatePerson(db, person.id, input.version, { name, email }))) throw stale(who);
      const changed = [...(name === person.name ? [] : ['name']), ...(moved ? ['email'] : [])];
      if (changed.length > 0) {
        const before = { name: person.name, email: person.email };
        const details = { changed, before, after: { name, email } };
        await record(actor, { event: 'person.changed', personId: person.id, details }, db);
      }
      return viewOf(db, person.id);
    });
  },
);

async function viewOf(db: Db, ref: string): Promise<PersonView> {
  const { id } = await findByRef(db, { id: ref });
  const person = await findPersonView(db, id);
  if (!person) throw new Refused('there is no such person', 'not-found');
  return person;
}
