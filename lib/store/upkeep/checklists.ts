// The lists of the first day: what an administrator said is done, who put a list away, and what a developer has
// already.
import { type Db, first } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';

export type ChecklistName = 'service' | 'own';

export async function selectDoneSteps(db: Db): Promise<string[]> {
  return (await db.checklistStep.findMany({ select: { step: true } })).map(({ step }) => step);
}

/** False: it was as it should be already. */
export async function setStepDone(db: Db, step: string, done: boolean): Promise<boolean> {
  const { count } = done
    ? await db.checklistStep.createMany({ data: [{ step }], skipDuplicates: true })
    : await db.checklistStep.deleteMany({ where: { step } });
  return count > 0;
}

export const isChecklistAway = async (db: Db, personId: string, list: ChecklistName): Promise<boolean> =>
  (await db.checklistAway.count({ where: { personId, list } })) > 0;

export async function setChecklistAway(
  db: Db,
  personId: string,
  list: ChecklistName,
  away: boolean,
): Promise<void> {
  if (away) await db.checklistAway.createMany({ data: [{ personId, list }], skipDuplicates: true });
  else await db.checklistAway.deleteMany({ where: { personId, list } });
}

export type DeveloperFacts = {
  clients: number;
  /** one of them, for links */
  clientId: string | null;
  /** has one an API that it may ask tokens for, or one that it waits for? */
  subscribed: boolean;
  approved: boolean;
  /** has one got a token, as far as tokens and the audit log reach back? */
  tokens: boolean;
  /** do clients send people here, and does one of these come back over https? */
  redirects: boolean;
  https: boolean;
  /** the highest level that the person's factors reach */
  factorLevel: number;
};

/** Of the clients that a person owns. */
export async function selectDeveloperFacts(db: Db, personId: string): Promise<DeveloperFacts> {
  const facts = await first<DeveloperFacts>(
    db.$queryRaw(sql`with mine as (select client_id, application_type, redirect_uris, created_at from clients where owner_id = ${personId}::uuid)
      select (select count(*)::int from mine) as clients,
        (select client_id from mine order by created_at desc, client_id limit 1) as "clientId",
        exists (select from mine join subscriptions s using (client_id) where s.state in ('approved', 'pending')) as subscribed,
        exists (select from mine join subscriptions s using (client_id) where s.state = 'approved') as approved,
        (exists (select from mine join token_families f using (client_id))
          or exists (select from mine join machine_tokens t using (client_id))
          or exists (select from mine where exists (select from audit_events e
            where e.client_id = mine.client_id and e.event = 'token.issued' and e.at > mine.created_at))) as tokens,
        exists (select from mine where application_type <> 'native' and redirect_uris <> '{}') as redirects,
        exists (select from mine, unnest(redirect_uris) as uri where application_type <> 'native' and uri like 'https://%') as https,
        (select factor_level::int from people where id = ${personId}::uuid) as "factorLevel"`),
  );
  if (!facts) throw new Error('the database answers nothing');
  return facts;
}
