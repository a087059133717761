// The part of a journey that tells clients of a sign-out.
import { dropLogoutDelivery, giveUpLogoutDelivery, isLogoutDeliveryWanted } from '#lib/store/index.ts';
import type { Sql } from './sql.ts';

/** As the background does it, but for whom it tells: one delivery is done with, the others are given up. */
export async function tellOfSignOut(
  personId: string,
  asOwner: Sql,
  note: (step: string, outcome: string) => void,
): Promise<void> {
  const due = await asOwner<{ id: string }>(
    'select id::text from logout_deliveries where person_id = $1 order by id',
    [personId],
  );
  note('deliveries', String(due.length));
  for (const [at, { id }] of due.entries()) {
    note('wanted', String(await isLogoutDeliveryWanted(id)));
    await (at === 0 ? dropLogoutDelivery(id) : giveUpLogoutDelivery(id, { reason: 'the journey is over' }));
    note('still wanted', String(await isLogoutDeliveryWanted(id)));
  }
}
