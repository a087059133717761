// Text that the functions of the database (prisma/functions) share with TypeScript: `migrate` inserts it for `{{name}}`.
import { PROFILES, underProfile } from '#lib/catalogue/apis/definition.ts';
import { ACR_VALUES, SCOPE_CLAIMS } from '#lib/registry/claims.ts';
import { listSql } from './statement.ts';

/** SQL: kind of the client `c`; `kindOf` in TypeScript. */
export const CLIENT_KIND = `case when c.confidential then 'confidential' when c.application_type = 'native' then 'native' else 'browser' end`;

const API: Parameters<typeof underProfile>[0] = {
  ...{ profile: null, dpop: 'optional', requireRedirectUri: false },
  ...{ signingAlg: 'RS256', deviceGrant: 'on' },
};

/**
 * Tables of the registry, each of whose changes increments its version. `shared`: every client reads them. `client`: a
 * row belongs to a client. `secret`: like `client`, but only some columns count as a change (client_secret_updated).
 */
const REGISTRY = {
  ...{ auth_methods: 'shared', apis: 'shared', api_scopes: 'shared', combinations: 'shared' },
  ...{ signing_keys: 'shared', subject_salt: 'shared', clients: 'client', client_secrets: 'secret' },
  ...{ subscriptions: 'client', groups: 'shared' },
};
const tables = Object.keys(REGISTRY);
const tablesOf = (...kinds: string[]) =>
  Object.entries(REGISTRY).flatMap(([table, kind]) => (kinds.includes(kind) ? [table] : []));

/** Objects whose forms send the version with which they were opened. */
const VERSIONED = ['auth_methods', 'apis', 'clients', 'groups'];

const EVENTS = {
  insert: ['directory_changed', 'AFTER INSERT', ' REFERENCING NEW TABLE AS "changed"'],
  update: ['directory_changed_by_update', 'AFTER UPDATE', ' REFERENCING NEW TABLE AS "changed"'],
  delete: ['directory_changed_by_delete', 'AFTER DELETE', ' REFERENCING OLD TABLE AS "changed"'],
  change: [
    ...['directory_changed_by_update', 'AFTER UPDATE'],
    ' REFERENCING OLD TABLE AS "before" NEW TABLE AS "changed"',
  ],
  truncate: ['directory_truncated', 'AFTER TRUNCATE', ''],
} as const;

/** SQL: a trigger on each table for each event. */
const triggersOf = (name: string, on: readonly string[], ...events: (keyof typeof EVENTS)[]) => ({
  [`triggers of ${name}`]: on
    .flatMap((table) =>
      events.map((event) => {
        const [trigger, when, rows] = EVENTS[event];
        return `CREATE OR REPLACE TRIGGER "${trigger}" ${when} ON "${table}"${rows}
  FOR EACH STATEMENT EXECUTE FUNCTION "${name}"();`;
      }),
    )
    .join('\n'),
});

export const FUNCTION_VALUES: Readonly<Record<string, string>> = {
  'acr values': listSql(ACR_VALUES),
  'client kind': CLIENT_KIND,
  'profiles without devices': listSql(
    PROFILES.filter((profile) => underProfile({ ...API, profile }).deviceGrant === 'off'),
  ),
  'scopes of claims': Object.entries(SCOPE_CLAIMS)
    .filter(([scope]) => scope !== 'profile')
    .map(([scope, claims]) => `WHEN "claim" IN (${listSql(claims)}) THEN '${scope}'`)
    .join(' '),
  ...triggersOf('shared_changed', tablesOf('shared'), 'insert', 'update', 'delete'),
  ...triggersOf('clients_changed', tablesOf('client', 'secret'), 'insert', 'delete'),
  ...triggersOf('clients_updated', tablesOf('client'), 'change'),
  ...triggersOf('registry_truncated', tables, 'truncate'),
  'triggers of count_version': VERSIONED.map(
    (table) => `CREATE OR REPLACE TRIGGER "version_counts" BEFORE UPDATE ON "${table}" FOR EACH ROW
  WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION "count_version"();`,
  ).join('\n'),
};
