// Requests for each token endpoint error of client credentials.
import type { Requests } from './requests.ts';
import { CONF, PW, send, sql, TRU, type Values } from './world.ts';

const ask = (form: Values) => send(`${PW}/token`, { form: { grant_type: 'client_credentials', ...form } });

/** Runs `work` while the client may get machine tokens. */
async function asMachine<T>(work: () => Promise<T>, clientId = 'tru'): Promise<T> {
  await sql('update subscriptions set machine = true where client_id = $1', [clientId]);
  const done = await work();
  await sql('update subscriptions set machine = false where client_id = $1', [clientId]);
  return done;
}

export const machineRequests: Requests = {
  'The client_credentials grant at an API without': [() => ask(CONF), () => ask({ client_id: 'spa' })],
  'The client_credentials grant for a client without `machine: true`': [() => asMachine(() => ask(CONF))],
  'The client_credentials grant for a public': [() => asMachine(() => ask({ client_id: 'spa' }), 'spa')],
  'The client_credentials grant with the scope': [
    () => asMachine(() => ask({ ...TRU, scope: 'openid' })),
    () => asMachine(() => ask({ ...TRU, scope: 'fly' })),
  ],
  'The client has 10,000 active tokens in its own': [
    () =>
      asMachine(async () => {
        await sql(`insert into machine_tokens (token_hash, client_id, api_id, auth_method_id, epoch, expires_at)
          select sha256(n::text::bytea), 'tru', 'orders', 'pw', 0, now() + interval '1 minute'
          from generate_series(1, 10000) as n`);
        const answer = await ask(TRU);
        await sql('truncate machine_tokens');
        return answer;
      }),
  ],
};
