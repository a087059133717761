// A request for each error that `POST /auth/token` declares.
import { TOKEN_EXCHANGE } from '#lib/oauth/rules.ts';
import { settings } from '#lib/settings/settings.ts';
import { proofKey, proofOf } from '../net/dpop.ts';
import type { Requests } from './requests.ts';
import {
  CONF,
  forOthers,
  jsonOf,
  send,
  sql,
  TRU,
  underMfa,
  type Values,
  VERIFIER,
  type World,
} from './world.ts';

const CALLBACK = 'http://localhost:3000/auth/callback/partner';
const redeem = { grant_type: 'authorization_code' };
const exchange = (form: Values) => send('/auth/token', { form: { ...TRU, ...form } });
/** Returns the parameters of a token exchange that succeeds. */
const subject = async (world: World, changes: Values = {}): Promise<Values> => ({
  grant_type: TOKEN_EXCHANGE,
  subject_token: (await world.tokens())['access_token'],
  subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  audience: 'orders',
  ...changes,
});

export const exchangeRequests = (world: World): Requests => ({
  'grant_type has another value.': [() => exchange({ grant_type: 'password' })],
  'A subject or actor token is bound to a': [
    async () => {
      const address = `${settings().baseUrl}/auth/token`;
      const dpop = await proofOf(await proofKey(), { address });
      const bound = await send('/auth/token', {
        form: { ...TRU, ...(await subject(world)) },
        headers: { dpop },
      });
      return exchange(await subject(world, { subject_token: String(jsonOf(bound)['access_token']) }));
    },
  ],
  'A public client requests a token exchange. Anyone can': [
    async () => exchange({ ...(await subject(world)), client_id: 'spa', client_secret: undefined }),
  ],
  'The client has no approved': [
    async () => exchange({ ...(await subject(world)), ...CONF }),
    async () => {
      const asked = await subject(world);
      const actor = { actor_token: asked['subject_token'], actor_token_type: asked['subject_token_type'] };
      return exchange({ ...asked, ...actor, ...CONF });
    },
  ],
  'The subject or actor token': [
    async () => exchange(await subject(world, { subject_token: 'x' })),
    async () => {
      const asked = await subject(world);
      return forOthers(() => exchange(asked));
    },
    async () => exchange(await subject(world, { subject_token_type: undefined })),
    async () => exchange(await subject(world, { subject_token_type: 'urn:x' })),
    async () => exchange(await subject(world, { actor_token: 'x', actor_token_type: 'urn:x' })),
  ],
  'The API requires a stronger': [
    async () => {
      const asked = await subject(world);
      return underMfa(() => exchange(asked));
    },
  ],
  'The request does not identify which of several brokers': [
    async () => exchange({ ...redeem, code: 'x', state: (await world.depart()).state }),
  ],
  'audience or resource names no API, more than one,': [
    async () => exchange(await subject(world, { audience: 'nothing' })),
    async () => exchange(await subject(world, { resource: 'https://api.example/nothing' })),
  ],
  'A scope is unknown': [async () => exchange(await subject(world, { scope: 'nothing' }))],
  'The broker refused its code, the state is unknown,': [
    () => exchange({ ...redeem, code: 'x', state: 'unknown' }),
    async () =>
      exchange({ ...redeem, code: 'x', state: (await world.depart()).state, code_verifier: VERIFIER }),
    async () => {
      const { state } = await world.depart();
      return exchange({ ...redeem, code: 'x', state, redirect_uri: CALLBACK });
    },
    async () => {
      const { state } = await world.depart();
      await sql("delete from combinations where auth_method_id = 'partner'");
      const answer = await exchange({ ...redeem, code: 'x', state });
      await sql("insert into combinations (auth_method_id, api_id) values ('partner', 'orders')");
      return answer;
    },
  ],
  'The broker does not respond. Nothing was exchanged.': [
    async () => {
      const { state } = await world.depart();
      return world.withoutBroker(() => exchange({ ...redeem, code: 'x', state, redirect_uri: CALLBACK }));
    },
  ],
});
