// The log of what each version of the registry changed (directory_changes): for a process that knows an older version,
// and for a statement that wants to know whether what a request relied on is unchanged.

/** The log is kept for longer than this; triggers write it in the order of the versions. */
const COMPLETE_FOR = "interval '1 hour'";

/** SQL: does the log hold everything that changed since this version? `v` is the row of directory_version. */
export const isLogged = (version: string) => `(${version} = v.version or exists (
  select from directory_changes first where first.version = ${version} + 1 and first.at > now() - ${COMPLETE_FOR}))`;

/** Only such ids can be a client's; others may hold what no statement can. */
const POSSIBLE_ID = /^[\x21-\x7e]{1,500}$/;

/** The id to ask the log for, or null where no client can have it. */
export const possibleClientId = (id: string | null): string | null =>
  id !== null && POSSIBLE_ID.test(id) ? id : null;

/**
 * SQL: is what a request read at this version, of this client and of what all clients share, still as it was? `v` is
 * the row of directory_version; a client that is null: of none.
 */
export const stands = (version: string, client: string) => `(${version} = v.version or (${isLogged(version)}
  and not exists (select from directory_changes moved
    where moved.client_id in ('', ${client}) and moved.version > ${version})))`;
