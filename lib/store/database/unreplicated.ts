// A commit that waits for a synchronous replica can be cancelled (pg_cancel_backend, which an operator may send to
// statements that hang). PostgreSQL then warns, and reports success: only this server has the transaction, and it is
// gone once the replica leads. Its statement fails here instead (docs/decisions/0027).
import pg from 'pg';

/** The function of PostgreSQL that waits; unlike the words of its warnings it is the same in every language. */
const WAIT = 'SyncRepWaitForLSN';

/** From now on a commit that its replica may not have fails the statement, as a lost connection does. */
export function refuseUnreplicated(client: pg.ClientBase): void {
  client.on('notice', ({ routine }) => {
    if (routine !== WAIT || !(client instanceof pg.Client)) return;
    // before the success that follows is read: what runs fails, and the pool replaces the connection
    client.connection.emit('error', new Error('Connection terminated: the replica may lack this commit'));
  });
}
