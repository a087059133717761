// Gateway using the forward auth endpoint of `orders`, with both servers: a real Node server, and the handlers of Next.
import * as nextVerify from '#app/verify/[apiId]/route.ts';
import { sha256 } from '#lib/kit/random.ts';
import { sql } from '../data/registry.ts';
import { send } from '../net/http.ts';
import type { Listening } from '../net/listen.ts';
import { type Alice, givenAlice } from './delegations.ts';
import { openDoor } from './in-process-door.ts';
import { givenMachines } from './machines.ts';
import { raise, tokensAs } from './step-up.ts';

type Method = keyof typeof nextVerify & ('GET' | 'HEAD' | 'POST' | 'OPTIONS' | 'PUT' | 'PATCH' | 'DELETE');
type Asked = { method?: string; headers?: Record<string, string>; body?: string };
export type Said = { status: number; headers: Record<string, string>; body: string };
export type Gateway = (query: string, asked?: Asked, api?: string) => Promise<Said>;

const address = (query: string, api: string) => `/verify/${api}${query === '' ? '' : `?${query}`}`;

export const nodeGateway =
  (door: Listening): Gateway =>
  async (query, { method = 'GET', headers, body } = {}, api = 'orders') => {
    const sent = { method, ...(headers && { headers }), ...(body !== undefined && { body }) };
    const answer = await send(`${door.url}${address(query, api)}`, sent);
    const told = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return { status: answer.status, headers: Object.fromEntries(told), body: answer.text };
  };

export const nextGateway: Gateway = async (query, { method = 'GET', headers, body } = {}, api = 'orders') => {
  const request = new Request(`http://localhost${address(query, api)}`, {
    method,
    ...(headers && { headers }),
    ...(body !== undefined && { body }),
  });
  const answer = await nextVerify[method as Method](request);
  return {
    status: answer.status,
    headers: Object.fromEntries(answer.headers),
    body: await answer.text(),
  };
};

export const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` });

export type GatewayWorld = {
  door: Listening;
  alice: Alice;
  /** alice's access token, a JWT with the scope `read` */
  token: string;
  /** access token of a session with second factor */
  strong: string;
  machineToken: (form?: Record<string, string>) => Promise<string>;
};

/** Creates fixtures, alice's tokens, and a client with machine tokens. */
export async function givenGateway(): Promise<GatewayWorld> {
  const { tokenFor } = await givenMachines();
  await sql('update apis set introspection_secret_hash = $1', [
    sha256('fixture-orders-introspection-secret'),
  ]);
  const door = await openDoor();
  const alice = await givenAlice();
  const { access_token: token = '' } = await tokensAs(alice.cookie, { scope: 'read' });
  const raised = await givenAlice();
  await raise(raised.cookie, 2);
  const { access_token: strong = '' } = await tokensAs(raised.cookie, { scope: 'read' });
  return { door, alice, token, strong, machineToken: tokenFor };
}
