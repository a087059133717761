// What a person may have at an API by their groups, for decisions that are made before the statement that gives
// something; that statement asks again.
import { statement } from '../database/statement.ts';

const groupScopes = statement({
  name: 'group-scopes',
  takes: { personId: 'uuid', apiId: 'text', authMethodId: 'text', scopes: 'text[]' },
  text: (value) => `
select m.asked_groups is null or is_of_groups(m.asked_groups, ${value.personId}) as "mayUse",
  case when m.asked_groups is null then ${value.scopes}
    else scopes_of_groups(m.asked_groups, ${value.personId}, ${value.scopes}) end as scopes
from combinations m where m.auth_method_id = ${value.authMethodId} and m.api_id = ${value.apiId}`,
});

/** Those of the scopes that the person may have; null: nothing at the API is for them. */
export async function findScopesOfGroups(asked: {
  personId: string;
  apiId: string;
  authMethodId: string;
  scopes: readonly string[];
}): Promise<string[] | null> {
  const [row] = await groupScopes<{ mayUse: boolean; scopes: string[] }>({
    ...asked,
    scopes: [...asked.scopes],
  });
  return row?.mayUse ? row.scopes : null;
}
