// All operations on the same grants, in random order: first sequentially against a model of expected responses, then
// concurrently against the invariants.
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { disablePerson, enablePerson } from '#lib/catalogue/people/operations.ts';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { listMyConsents, withdrawConsent } from '#lib/management/my-account.ts';
import { type Actor, OPERATOR } from '#lib/management/policy.ts';
import type { Person } from '#testing/data/world.ts';
import type { Door } from '#testing/net/door.ts';
import { Browser } from '#testing/service/browser.ts';
import { type Client, codeOf, type Tokens } from '../../support/client.ts';
import { type Context, type Fault, PLAIN } from '../../support/context.ts';
import { startBalanced } from '../processes/round-robin.ts';

/** Session and tokens of a user who signed in and consented in a browser. */
type Real = { client: Client; person: Person; browser: Browser; tokens: Tokens[] };
/** Expected state of a new token family and its session. */
const FRESH = { alive: true, enabled: true, approved: true, consented: true, signedIn: true, spent: 0 };
type Model = typeof FRESH;
type Step = fc.AsyncCommand<Model, Real>;

const SUBSCRIPTION = { clientId: PLAIN.clientId, api: 'orders' };

export const randomMix: Fault = {
  name: 'random-mix',
  title:
    'a random mix of refresh, reuse, revoke, introspect, sign-out, withdraw, disable and suspend on the same grants',
  async run(context) {
    const { door } = await startBalanced(context, ['a', 'b']);
    const client = context.client(door, PLAIN);
    const runs = context.quick ? 12 : 200;
    const broken: string[] = [];
    await context.inside(async () => {
      const property = fc.asyncProperty(
        fc.commands(STEPS, { maxCommands: 25, size: 'max' }),
        async (steps) => {
          const person = context.person(0);
          const { browser, tokens } = await grant(client, person);
          const model = { ...FRESH };
          const real = { client, person, browser, tokens: [tokens] };
          await fc.asyncModelRun(() => ({ model, real }), steps);
          if (!model.enabled) await enablePerson(OPERATOR, { email: person.email });
          if (!model.approved) await decideSubscription(OPERATOR, { ...SUBSCRIPTION, action: 'resume' });
        },
      );
      await fc
        .assert(property, { numRuns: runs })
        .catch((error: Error) => broken.push(error.message.slice(0, 600)));
      await allAtOnce(context, door);
    });
    return { broken, notes: `${runs} runs of up to 25 steps against the model` };
  },
};

/** Signs a user in with consent in a new browser, and returns this browser and the tokens of the client. */
async function grant(client: Client, person: Person): Promise<{ browser: Browser; tokens: Tokens }> {
  const browser = new Browser(client.door);
  const code = await codeOf(browser, PLAIN, person);
  if (!code) throw new Error('a sign-in did not end in a code');
  const tokens = await client.redeem(code);
  if (!tokens) throw new Error(`a code was not redeemed: ${client.last?.status} ${client.last?.text}`);
  return { browser, tokens };
}

/** Withdraws the user's consent for the application. `false`: no consent existed. */
async function withdraw({ id, email }: Person): Promise<boolean> {
  const actor: Actor = { kind: 'person', id, email, roles: [], signedInAt: null, request: null };
  const consent = (await listMyConsents(actor)).find(({ clientId }) => clientId === PLAIN.clientId);
  if (!consent) return false;
  await withdrawConsent(actor, { id: consent.id });
  return true;
}

/** Defines an operation. `check`: returns true if the operation is possible in the current state. */
const step = (
  name: string,
  run: (model: Model, real: Real) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): fc.Arbitrary<Step> => fc.constant({ check, run, toString: () => name });

const refresh = step('refresh', async (model, { client, tokens }) => {
  const next = await client.refresh(tokens.at(-1) as Tokens, true);
  expectAnswer(client, expectedError(model, 'invalid_grant'));
  if (!next) return;
  tokens.push(next);
  model.spent += 1;
});

/** Reuses a redeemed refresh token, `back` steps before the current one. */
const reuse = (back: number) =>
  step(
    `reuse(${back})`,
    async (model, { client, tokens }) => {
      await client.refresh(tokens.at(-1 - back) as Tokens, true);
      expectAnswer(client, model.approved ? 'invalid_grant' : 'unauthorized_client');
      // the reused token is the direct predecessor of an unused token, so its reuse is a harmless race and revokes
      // nothing
      if (model.approved && back > 1) model.alive = false;
    },
    ({ spent }) => spent >= back,
  );

/** Ending the browser's session does not revoke the tokens of applications. */
const signOut = step(
  'sign-out',
  async (model, { browser }) => {
    await browser.signOut();
    model.signedIn = false;
  },
  ({ signedIn }) => signedIn,
);

const STEPS: fc.Arbitrary<Step>[] = [
  refresh,
  refresh,
  refresh,
  fc.integer({ min: 1, max: 3 }).chain(reuse),
  step('revoke', async (model, { client, tokens }) => {
    await client.revoke(tokens.at(-1) as Tokens);
    expectAnswer(client, null);
    model.alive = false;
  }),
  step('introspect', async (model, { client, tokens }) => {
    const { accessToken, family } = tokens.at(-1) as Tokens;
    const active = await client.isActive(accessToken, family);
    const should = model.alive && model.enabled && model.approved;
    if (active !== should) throw new Error(`a token is ${active ? 'active' : 'inactive'} and should not be`);
  }),
  signOut,
  step('renew', async (model, { browser, person }) => {
    const code = await codeOf(browser, PLAIN, person, { prompt: 'none' });
    const should = model.signedIn && model.consented && model.enabled && model.approved;
    if ((code !== null) !== should) throw new Error(`a silent renewal ${code ? 'gave a' : 'gave no'} code`);
  }),
  step(
    'withdraw',
    async (model, { person }) => {
      if (!(await withdraw(person))) throw new Error('the consent is not there');
      Object.assign(model, { consented: false, alive: false });
    },
    ({ consented, enabled }) => consented && enabled,
  ),
  step(
    'disable',
    async (model, { person }) => {
      await disablePerson(OPERATOR, { email: person.email });
      Object.assign(model, { enabled: false, alive: false, signedIn: false });
    },
    ({ enabled }) => enabled,
  ),
  step(
    'enable',
    async (model, { person }) => {
      await enablePerson(OPERATOR, { email: person.email });
      model.enabled = true;
    },
    ({ enabled }) => !enabled,
  ),
  step(
    'suspend',
    async (model) => {
      await decideSubscription(OPERATOR, { ...SUBSCRIPTION, action: 'suspend' });
      model.approved = false;
    },
    ({ approved }) => approved,
  ),
  step(
    'resume',
    async (model) => {
      await decideSubscription(OPERATOR, { ...SUBSCRIPTION, action: 'resume' });
      model.approved = true;
    },
    ({ approved }) => !approved,
  ),
];

/** Returns the error that the model expects; null: the request must succeed. */
function expectedError({ alive, enabled, approved }: Model, dead: string): string | null {
  if (!approved) return 'unauthorized_client';
  return alive && enabled ? null : dead;
}

function expectAnswer(client: Client, error: string | null): void {
  const { status = 0, text = '' } = client.last ?? {};
  const got = status === 200 ? null : (JSON.parse(text) as { error: string }).error;
  if (got !== error) throw new Error(`answered ${got ?? 200} and should have answered ${error ?? 200}`);
}

/** Runs twelve actors on ten grants at the same time. */
async function allAtOnce(context: Context, door: Door): Promise<void> {
  const owner = context.client(door, PLAIN);
  const grants = new Map<number, { browser: Browser; tokens: Tokens[] }>();
  const begin = async (index: number) => {
    const { browser, tokens } = await grant(owner, context.person(index + 1));
    grants.set(index, { browser, tokens: [tokens] });
  };
  for (let index = 0; index < 10; index += 1) await begin(index);
  const until = performance.now() + (context.quick ? 1_500 : 20_000);
  const pick = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)] as T;
  const actor = async () => {
    const client = context.client(door, PLAIN);
    while (performance.now() < until) {
      const index = pick([...grants.keys()]);
      const held = grants.get(index);
      if (!held) {
        await sleep(5);
        continue;
      }
      const { browser, tokens } = held;
      const current = tokens.at(-1) as Tokens;
      const dice = Math.random();
      if (dice < 0.75) {
        const next = await client.refresh(current, true);
        if (next) tokens.push(next);
      } else if (dice < 0.85) await client.refresh(pick(tokens), true);
      else if (dice < 0.94) await client.isActive(current.accessToken, current.family);
      else if (dice < 0.96) await browser.signOut();
      else {
        // reserve the grant first: two actors must not end and restart the same grant
        if (!grants.delete(index)) continue;
        if (dice < 0.98) await client.revoke(current);
        else await withdrawn(context, index, current.family);
        await begin(index);
      }
      await sleep(Math.random() * 5);
    }
  };
  await Promise.all(Array.from({ length: 12 }, actor));
}

/** Records a revocation: later requests of this family must fail. */
async function withdrawn(context: Context, index: number, family: string): Promise<void> {
  const began = performance.now();
  const done = await withdraw(context.person(index + 1));
  context.ledger.append({
    kind: 'revoke',
    family,
    began,
    ended: performance.now(),
    status: done ? 200 : 404,
    expected: true,
  });
}
