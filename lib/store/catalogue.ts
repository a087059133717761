// The APIs that an application may ask for.
import type { ApiRow } from '#lib/registry/index.ts';
import { API_SCOPES } from './apis.ts';
import { ownConnection } from './transaction.ts';

export type CatalogueRow = Pick<
  ApiRow,
  'id' | 'name' | 'description' | 'url' | 'scopes' | 'requireApproval'
> & {
  methods: { id: string; name: string; type: string }[];
  /** of the client that was asked about */
  subscription: {
    state: string;
    trusted: boolean;
    scopes: string[];
    reason: string | null;
    version: number;
  } | null;
};

/** The APIs that an application may ask for, in their order, each with what the client has of it. */
export async function selectCatalogue(asked: {
  clientId: string | null;
  search: string | null;
}): Promise<CatalogueRow[]> {
  return ownConnection.query<CatalogueRow>({
    text: `select a.id, a.name, a.description, a.url, a.require_approval as "requireApproval",
        ${API_SCOPES} as scopes,
        coalesce((select json_agg(json_build_object('id', m.id, 'name', m.name, 'type', m.type) order by c.position, m.id)
          from combinations c join auth_methods m on m.id = c.auth_method_id where c.api_id = a.id), '[]') as methods,
        (select json_build_object('state', s.state, 'trusted', s.trusted, 'scopes', s.scopes, 'reason', s.reason,
          'version', s.version) from subscriptions s where s.api_id = a.id and s.client_id = $1) as subscription
      from apis a
      where $2::text is null or position($2 in a.id) > 0 or position($2 in lower(a.name)) > 0
        or position($2 in lower(a.description)) > 0
      order by a.position, a.id limit 1000`,
    values: [asked.clientId, asked.search],
  });
}
