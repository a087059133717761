// Token families, counted for whoever is about to end them.
import type { Db } from '../database/index.ts';

const ASKED = `($1::text is null or client_id = $1) and ($2::text is null or api_id = $2)
  and ($3::text is null or auth_method_id = $3)`;

/** What rests on a client, an API, a method or a combination right now: living families with their people, and machines' tokens. */
export async function countTokens(
  db: Db,
  asked: { clientId?: string; api?: string; authMethodId?: string },
): Promise<{ tokens: number; people: number }> {
  const [row] = await db.$queryRawUnsafe<{ tokens: number; people: number }[]>(
    `with of_machines as (
        select count(*)::int as tokens from machine_tokens where expires_at > now() and ${ASKED}
      ), of_people as (
        select count(*)::int as tokens, count(distinct person_id)::int as people from token_families
        where revoked_at is null and expires_at > now() and ${ASKED}
      ) select f.tokens + m.tokens as tokens, f.people from of_people f, of_machines m`,
    asked.clientId ?? null,
    asked.api ?? null,
    asked.authMethodId ?? null,
  );
  return row ?? { tokens: 0, people: 0 };
}
