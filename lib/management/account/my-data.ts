// All that is kept of a person, for them or for an administrator: JSON in pieces, each read when the one before was
// sent, so that a long history does not fill the memory. It contains no secret and no hash of one.
import { now } from '#lib/kit/clock.ts';
import { toWire } from '#lib/kit/wire.ts';
import { settings } from '#lib/settings/settings.ts';
import type { List } from '#lib/store/database/list.ts';
import { type Db, database } from '#lib/store/database/prisma.ts';
import { AUDIT_EVENTS, type AuditRow, SIGN_INS } from '#lib/store/log/audit.ts';
import { selectConsents } from '#lib/store/people/consents.ts';
import { selectDelegations } from '#lib/store/people/delegations.ts';
import { listFactors } from '#lib/store/people/factors.ts';
import { selectMyIdentities, selectMyRequests } from '#lib/store/people/my-data.ts';
import { findProfile, selectOwnedClients } from '#lib/store/people/people.ts';
import { SESSIONS } from '#lib/store/people/session-list.ts';
import { operation } from '../core/operation.ts';
import { type Actor, requirePerson } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { Refused } from '../core/refused.ts';
import { findByRef, type PersonRef } from '../people/people.ts';

const AT_ONCE = 500;
/** Of sessions, sign-ins and events each: the newest. */
const MOST_ROWS = 10_000;

const SECTIONS: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
  profile: async (id) => toWire(await findProfile(await database(), id)),
  identities: async (id) => toWire(await selectMyIdentities(await database(), id)),
  consents: async (id) => toWire(await selectConsents(await database(), id)),
  delegations: async (id) => toWire(await selectDelegations(await database(), id)),
  factors: (id) => listFactors(id).then(toWire),
  clients: async (id) => toWire(await selectOwnedClients(await database(), id)),
  requests: async (id) => selectMyRequests(await database(), id),
};

/** Noted in the audit log. The pieces make one JSON object; they throw where the database stops answering. */
export const readMyData = operation('readMyData', async ({ actor, db }): Promise<AsyncGenerator<string>> => {
  const me = requirePerson(actor);
  if (!(await findProfile(db, me.id))) throw new Refused('own_account.gone');
  return readAs(actor, me.id, db);
});

/** The same file of another person. */
export const readPersonData = operation(
  'readPersonData',
  async ({ actor, db }, input: PersonRef): Promise<AsyncGenerator<string>> =>
    readAs(actor, (await findByRef(db, input)).id, db),
);

async function readAs(actor: Actor, personId: string, db: Db): Promise<AsyncGenerator<string>> {
  await record(actor, { event: 'person.data_read', personId }, db);
  return pieces(personId);
}

async function* pieces(personId: string): AsyncGenerator<string> {
  yield `{"made_at": ${JSON.stringify(now())}, "service": ${JSON.stringify(settings().baseUrl)},`;
  yield `\n"at_most": {"sessions": ${MOST_ROWS}, "sign_ins": ${MOST_ROWS}, "events": ${MOST_ROWS}}`;
  for (const [name, read] of Object.entries(SECTIONS))
    yield `,\n"${name}": ${JSON.stringify(await read(personId), null, 2)}`;
  const { sessionIdleSeconds: idleSeconds } = settings();
  const mine = { personId, kind: null, search: null, idleSeconds };
  yield* rowsOf('sessions', SESSIONS, mine, ({ id: _, personLabel: __, ...row }) => row);
  yield* rowsOf('sign_ins', SIGN_INS, { personId }, (row) => row);
  yield* rowsOf('events', AUDIT_EVENTS, { personId }, (event) => eventOf(event, personId));
  yield '\n}\n';
}

async function* rowsOf<Row, Filter>(
  name: string,
  list: List<Row, Filter>,
  filter: Filter,
  shown: (row: Row) => object,
): AsyncGenerator<string> {
  yield `,\n"${name}": [`;
  let after: string[] | null = null;
  for (let count = 0; count < MOST_ROWS; count += AT_ONCE) {
    const rows: { row: Row; key: string[] }[] = await list.select(filter, { after, limit: AT_ONCE });
    const lines = rows.map(({ row }) => JSON.stringify(toWire(shown(row))));
    if (lines.length > 0) yield `${count > 0 ? ',' : ''}\n${lines.join(',\n')}`;
    after = rows.at(-1)?.key ?? null;
    if (rows.length < AT_ONCE) break;
  }
  yield ']';
}

/** Who else did it, by which request and from where, is theirs to know. */
function eventOf({ actorEmail: _, personEmail: __, actor, ip, requestId, ...event }: AuditRow, me: string) {
  const byOther = actor !== null && actor !== me;
  return byOther ? { ...event, byOther } : { ...event, byOther, ip, requestId };
}
