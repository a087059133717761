// The deciders of a request: the people that a mail about it goes to.
import { decidesFor } from '#lib/registry/api.ts';
import type { SubscriptionRow } from '#lib/registry/subscription.ts';
import { selectReadersOf } from '#lib/store/people.ts';
import type { Db } from '#lib/store/prisma.ts';
import type { MailReader } from './send.ts';

export type Decider = MailReader & { id: string };
type Deciders = { approvers: Decider[]; administrators: Decider[] };

/** Everybody with a role that decides. */
export async function readDeciders(db: Db): Promise<Deciders> {
  const [approvers, administrators] = [
    await selectReadersOf(db, 'approver'),
    await selectReadersOf(db, 'administrator'),
  ];
  return { approvers, administrators };
}

/** The API's approvers, or every approver, or else administrators; never the requester or the owner of the client. */
export function decidersOf(row: SubscriptionRow, { approvers, administrators }: Deciders): Decider[] {
  const others = (people: Decider[]) =>
    people.filter(({ email }) => email !== row.requestedByEmail && email !== row.ownerEmail);
  const listed = administrators.filter(({ email }) => row.approvers.includes(email));
  const deciding = approvers.filter(({ email }) => decidesFor({ email, roles: ['approver'] }, row));
  // one person may be both
  const asked = others([...new Map([...deciding, ...listed].map((one) => [one.email, one])).values()]);
  return asked.length > 0 ? asked : others(administrators);
}
