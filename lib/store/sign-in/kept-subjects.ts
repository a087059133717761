// The subject that a person brought along from another service. Only an import writes it, so a process asks for it once
// between two imports.
import { PERSON_ID } from '#lib/registry/clients/subject-forms.ts';
import { EpochCache } from '../database/epoch-cache.ts';
import { first } from '../database/prisma.ts';
import { statement } from '../database/statement.ts';

const known = new EpochCache<string | null>(50_000);

const subjectOf = statement({
  name: 'kept-subject',
  takes: { personId: 'uuid' },
  text: (value) => `select subject from people where id = ${value.personId}`,
});

/** Null: the person has none, and the id is the subject. `epoch`: of the snapshot of the request. */
export async function findKeptSubject(personId: string, epoch: number): Promise<string | null> {
  const kept = known.get(personId, epoch);
  if (kept !== undefined) return kept;
  const [row] = await subjectOf<{ subject: string | null }>({ personId });
  if (!row) return null;
  known.set(personId, row.subject, epoch);
  return row.subject;
}

const personBySub = statement({
  name: 'person-by-sub',
  takes: { sub: 'text', id: 'uuid?' },
  text: (value) =>
    `select id from people where subject = ${value.sub} or (id = ${value.id} and subject is null)`,
});

/** The id of the person that tokens name so; null: no person. */
export async function findPersonBySub(sub: string): Promise<string | null> {
  const found = await first<{ id: string }>(personBySub({ sub, id: PERSON_ID.test(sub) ? sub : null }));
  return found?.id ?? null;
}
