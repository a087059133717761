// Requests for each error of ID-JAG issuance, shared by issuers' token endpoints and the service's token endpoint.
import { ID_JAG } from '#lib/oauth/exchange/exchange.ts';
import { TOKEN_EXCHANGE } from '#lib/oauth/rules.ts';
import type { Requests } from './requests.ts';
import { CONF, PW, send, sql, TRU, type Values, type World } from './world.ts';

const AUDIENCE = 'https://login.chat.example';

/** Sends the request to both token endpoints. Throws if the statuses of their responses differ. */
async function vouch(world: World, changes: Values, by: Values = TRU) {
  const { id_token } = await world.tokens({ scope: 'openid read' });
  await sql("update clients set id_jag_audiences = $1 where client_id = 'tru'", [[AUDIENCE]]);
  const form = {
    ...by,
    grant_type: TOKEN_EXCHANGE,
    requested_token_type: ID_JAG,
    subject_token: id_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
    audience: AUDIENCE,
    ...changes,
  };
  const [at, other] = [await send(`${PW}/token`, { form }), await send('/auth/token', { form })];
  await sql("update clients set id_jag_audiences = '{}' where client_id = 'tru'");
  if (at.status !== other.status) throw new Error(`${at.status} is not ${other.status}`);
  return at;
}

export const vouchingRequests = (world: World): Requests => ({
  'A public client, or a client without a listed': [
    () => vouch(world, {}, CONF),
    () => vouch(world, {}, { client_id: 'nat' }),
  ],
  'The audience of the requested ID-JAG is not listed': [
    () => vouch(world, { audience: 'https://evil.example' }),
    () => vouch(world, { resource: 'chat' }),
  ],
  'The subject token of the requested ID-JAG is expired,': [
    () => vouch(world, { subject_token: 'x' }),
    () => vouch(world, { actor_token: 'x' }),
  ],
  'The scope of the requested ID-JAG contains a character': [() => vouch(world, { scope: 'a"b' })],
});
