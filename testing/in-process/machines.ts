// Machine clients; requests go to the protocol core in this process.
import { sha256 } from '#lib/kit/random.ts';
import { sql } from '../data/registry.ts';
import { basic } from '../service/token.ts';
import { ask, givenFixtures, jsonOf } from './in-process.ts';
import { givenTrustedClients, OPENID_PATH, type TrustedClient } from './openid.ts';

const API_SECRET = 'the API’s own credential';

/**
 * Applies fixtures with two machine clients of `orders`, `bot` and `other`. Returns functions that send their
 * requests.
 */
export async function givenMachines() {
  await givenFixtures();
  const [bot, other] = (await givenTrustedClients(['bot', 'other'])) as [TrustedClient, TrustedClient];
  await sql("update subscriptions set machine = true where client_id in ('bot', 'other')");
  await sql('update apis set introspection_secret_hash = $1', [sha256(API_SECRET)]);

  const request = (form: Record<string, string> = {}, client: Record<string, string> = bot) =>
    ask(`${OPENID_PATH}/token`, { form: { ...client, grant_type: 'client_credentials', ...form } });
  const tokenFor = async (form?: Record<string, string>): Promise<string> => {
    const answer = await request(form);
    if (answer.status !== 200) throw new Error(String(answer.body));
    return String(jsonOf(answer)['access_token']);
  };
  /** Sends a request, and returns the status and error of the response. */
  const outcome = async (...asked: Parameters<typeof request>): Promise<string> => {
    const answer = await request(...asked);
    return `${answer.status} ${jsonOf(answer)['error'] ?? ''}`;
  };
  const introspect = async (token: string, path = OPENID_PATH) =>
    jsonOf(await ask(`${path}/introspect`, { form: { token }, headers: basic('orders', API_SECRET) }));
  return { bot, other, request, tokenFor, outcome, introspect };
}

export const giveFormat = (format: string) =>
  sql("update apis set access_token_format = $1 where id = 'orders'", [format]);
