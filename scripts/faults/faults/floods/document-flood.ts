import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { documentOf } from '#testing/clients/client-documents.ts';
import { ASSERTION_TYPE, makeAssertion, makePair, type Pair, setOf } from '#testing/clients/client-keys.ts';
import { AGENT_CALLBACK, agentRequest } from '#testing/clients/unregistered.ts';
import { attempt } from '#testing/net/http.ts';
import { listen } from '#testing/net/listen.ts';
import { signIn } from '#testing/service/browser.ts';
import { type Fault, PLAIN } from '../../support/context.ts';
import { comparedSignIns, pour, quietSignIns, rowsOver, signInsDuring } from '../../support/flood.ts';
import type { Instance } from '../../support/instance.ts';

const REQUESTS_PER_SECOND = 40;
/** Number of pending documents, each at a separate address. */
const DOCUMENTS = 8;
const HONEST = 'localhost';
/**
 * Limits: changes per day of one pending document, and fetches per minute and process for all unapproved documents
 * together.
 */
const CHANGES = 10;
const CALLS = 300;

export const documentFlood: Fault = {
  name: 'document-flood',
  title: 'documents that say something else at each fetch, and strangers who ask for them',
  async run(context) {
    const pairs = [await makePair(), await makePair(), await makePair()];
    const host = await startLiar(pairs);
    context.onEnd(() => host.close());
    await context.sql("update apis set agents = 'ask' where id = 'orders'");
    const env = { TRUST_PROXY: '1', CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' };
    const instance = await context.instance('only', { env });
    const agents = Array.from({ length: DOCUMENTS }, (_, at) => host.at(`127.0.0.${at + 2}`));
    const honest = host.at(HONEST);
    const browser = await signIn(instance.door, context.person(0), PLAIN);
    for (const agent of [...agents, honest]) await browser.get(instance.door.url + agentRequest(agent));
    await context.inside(() =>
      decideSubscription(OPERATOR, { clientId: honest, api: 'orders', action: 'approve' }),
    );
    // a new process has an empty cache and fetches each document, so every restart is another chance for writes
    for (let round = 0; round < (context.quick ? 1 : CHANGES + 2); round += 1) {
      await instance.kill();
      await instance.start();
      await Promise.all(agents.map((agent) => comeWith(instance, agent, round)));
    }
    const quiet = await quietSignIns(context, instance);
    const calls = host.calls();
    const flood = pour({ seconds: context.quick ? 2 : 20, perSecond: REQUESTS_PER_SECOND }, (number) => {
      const agent = agents[number % DOCUMENTS] as string;
      if (number % 3 === 0) return comeWith(instance, host.at(`127.0.1.${number % 250}`), number);
      return tokenBy(instance, { agent, pair: pairs[number % 3] as Pair, number });
    });
    const signIns = comparedSignIns(context, quiet, await signInsDuring(context, instance, flood));
    const called = host.calls() - calls;
    const rows = await rowsOver(context, {
      changes: { of: "audit_events where event = 'client.changed'", most: CHANGES * DOCUMENTS },
      clients: { of: "clients where origin = 'document'", most: DOCUMENTS + 1 },
      large: { of: 'audit_events where length(details::text) > 4000', most: 0 },
      events: { of: "audit_events where client_id like 'http%'", most: 3 * CHANGES * DOCUMENTS + 200 },
    });
    const broken = [...signIns.broken, ...rows.broken, ...(await context.lostSlots(instance))];
    if (called > 2 * CALLS) broken.push(`${called} calls of hosts, ${2 * CALLS} at most`);
    const answer = await tokenBy(instance, { agent: honest, pair: host.newest(HONEST), number: 0 });
    if (answer.json()['error'] !== 'invalid_grant')
      broken.push(`the document of an approved client is not read: ${answer.status} ${answer.text}`);
    return { broken, notes: `${called} calls of hosts; ${signIns.note}; rows: ${rows.note}` };
  },
};

/**
 * Serves a document at each address of this machine. Each fetch returns a new name, a new key and 40 new redirect URIs.
 */
async function startLiar(pairs: readonly Pair[]) {
  const said = new Map<string, number>();
  let all = 0;
  const pairOf = (said: number) => pairs[said % pairs.length] as Pair;
  const server = http.createServer((request, response) => {
    const name = String(request.headers.host).replace(/:\d+$/, '');
    const number = (said.get(name) ?? 0) + 1;
    said.set(name, number);
    all += 1;
    const uris = Array.from({ length: 40 }, (_, at) => `https://agent.example/${number}/${at}`);
    const members = documentOf(
      {
        client_name: `Agent ${number}`,
        redirect_uris: [AGENT_CALLBACK, ...uris],
        token_endpoint_auth_method: 'private_key_jwt',
        jwks: setOf(pairOf(number)),
      },
      `http://${request.headers.host}${request.url}`,
    );
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(members));
  });
  const { port, close } = await listen(server, { host: '0.0.0.0' });
  return {
    close,
    at: (name: string) => `http://${name}:${port}/agent`,
    calls: () => all,
    /** Returns the key that the next fetched document will contain. */
    newest: (name: string) => pairOf((said.get(name) ?? 0) + 1),
  };
}

const from = (number: number) => ({
  'x-forwarded-for': `198.51.${(number >> 7) % 250}.${(number % 128) + 1}`,
});

/** Sends the authorization request of an anonymous caller. */
const comeWith = (instance: Instance, agent: string, number: number) =>
  attempt(instance.url + agentRequest(agent), { headers: from(number) });

async function tokenBy(instance: Instance, by: { agent: string; pair: Pair; number: number }) {
  const path = '/auth/pw/api/orders';
  const asserted = { clientId: by.agent, audience: instance.door.url + path, pair: by.pair };
  const form = {
    grant_type: 'refresh_token',
    refresh_token: 'x',
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: await makeAssertion(asserted, { claims: { jti: randomUUID() } }),
  };
  return attempt(`${instance.url}${path}/token`, { form, headers: from(by.number) });
}
