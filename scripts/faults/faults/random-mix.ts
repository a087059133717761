// The same grants, everything that can happen to them, in any order. First one step after the other against a model of what
// each must answer; then all at once, judged by the invariants.
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { decideSubscription, disablePerson, enablePerson, OPERATOR } from '../../../lib/management/index.ts';
import type { Client, Tokens } from '../support/client.ts';
import { asSettings, type Context, type Fault, type Person } from '../support/context.ts';

type Real = { client: Client; person: Person; tokens: Tokens[] };
/** What must be true of the one family that a run is about. */
type Model = { alive: boolean; enabled: boolean; approved: boolean; spent: number };
type Step = fc.AsyncCommand<Model, Real>;

const SUBSCRIPTION = { clientId: 'tru', api: 'orders' };

export const randomMix: Fault = {
  name: 'random-mix',
  title: 'a random mix of refresh, reuse, revoke, introspect, disable and suspend on the same grants',
  async run(context) {
    const instances = [await context.instance('a'), await context.instance('b')];
    await Promise.all(instances.map((instance) => instance.start()));
    let turn = 0;
    const client = context.client(() => instances[turn++ % 2]?.url ?? '');
    const runs = context.quick ? 12 : 200;
    const broken: string[] = [];
    const url = context.postgres.urlOf(context.database, 'owner');
    await asSettings(url, context.secret, async () => {
      const property = fc.asyncProperty(fc.commands(STEPS, { maxCommands: 25 }), async (steps) => {
        const person = context.person(0);
        const first = await client.signIn(person.email, person.password);
        if (!first) throw new Error('nobody could sign in');
        const model = { alive: true, enabled: true, approved: true, spent: 0 };
        const real = { client, person, tokens: [first] };
        await fc.asyncModelRun(() => ({ model, real }), steps);
        if (!model.enabled) await enablePerson(OPERATOR, { email: person.email });
        if (!model.approved) await decideSubscription(OPERATOR, { ...SUBSCRIPTION, action: 'resume' });
      });
      await fc
        .assert(property, { numRuns: runs })
        .catch((error: Error) => broken.push(error.message.slice(0, 600)));
    });
    await allAtOnce(context, () => instances[turn++ % 2]?.url ?? '');
    return { broken, notes: `${runs} runs of up to 25 steps against the model` };
  },
};

class Refresh implements Step {
  check = () => true;
  toString = () => 'refresh';
  async run(model: Model, { client, tokens }: Real): Promise<void> {
    const next = await client.refresh(tokens.at(-1) as Tokens, true);
    expectAnswer(client, expected(model, 'invalid_grant'));
    if (next) {
      tokens.push(next);
      model.spent += 1;
    }
  }
}

/** A token that was spent comes again: `back` steps before the current one. */
class Reuse implements Step {
  readonly back: number;
  constructor(back: number) {
    this.back = back;
  }
  check = ({ spent }: Readonly<Model>) => spent >= this.back;
  toString = () => `reuse(${this.back})`;
  async run(model: Model, { client, tokens }: Real): Promise<void> {
    await client.refresh(tokens.at(-1 - this.back) as Tokens, true);
    expectAnswer(client, model.approved ? 'invalid_grant' : 'unauthorized_client');
    // the one just before the current: its successor is unused, so it is a race and harms nothing
    if (model.approved && this.back > 1) model.alive = false;
  }
}

class Revoke implements Step {
  check = () => true;
  toString = () => 'revoke';
  async run(model: Model, { client, tokens }: Real): Promise<void> {
    await client.revoke(tokens.at(-1) as Tokens);
    expectAnswer(client, null);
    model.alive = false;
  }
}

class Introspect implements Step {
  check = () => true;
  toString = () => 'introspect';
  async run(model: Model, { client, tokens }: Real): Promise<void> {
    const { accessToken, family } = tokens.at(-1) as Tokens;
    const active = await client.isActive(accessToken, family);
    const should = model.alive && model.enabled && model.approved;
    if (active !== should) throw new Error(`a token is ${active ? 'active' : 'inactive'} and should not be`);
  }
}

class Disable implements Step {
  check = ({ enabled }: Readonly<Model>) => enabled;
  toString = () => 'disable';
  async run(model: Model, { person }: Real): Promise<void> {
    await disablePerson(OPERATOR, { email: person.email });
    Object.assign(model, { enabled: false, alive: false });
  }
}

class Enable implements Step {
  check = ({ enabled }: Readonly<Model>) => !enabled;
  toString = () => 'enable';
  async run(model: Model, { person }: Real): Promise<void> {
    await enablePerson(OPERATOR, { email: person.email });
    model.enabled = true;
  }
}

class Suspend implements Step {
  check = ({ approved }: Readonly<Model>) => approved;
  toString = () => 'suspend';
  async run(model: Model): Promise<void> {
    await decideSubscription(OPERATOR, { ...SUBSCRIPTION, action: 'suspend' });
    model.approved = false;
  }
}

class Resume implements Step {
  check = ({ approved }: Readonly<Model>) => !approved;
  toString = () => 'resume';
  async run(model: Model): Promise<void> {
    await decideSubscription(OPERATOR, { ...SUBSCRIPTION, action: 'resume' });
    model.approved = true;
  }
}

const STEPS: fc.Arbitrary<Step>[] = [
  fc.constant(new Refresh()),
  fc.constant(new Refresh()),
  fc.constant(new Refresh()),
  fc.integer({ min: 1, max: 3 }).map((back) => new Reuse(back)),
  fc.constant(new Revoke()),
  fc.constant(new Introspect()),
  fc.constant(new Disable()),
  fc.constant(new Enable()),
  fc.constant(new Suspend()),
  fc.constant(new Resume()),
];

/** null: a success. */
function expected({ alive, enabled, approved }: Model, dead: string): string | null {
  if (!approved) return 'unauthorized_client';
  return alive && enabled ? null : dead;
}

function expectAnswer(client: Client, error: string | null): void {
  const { status = 0, text = '' } = client.last ?? {};
  const got = status === 200 ? null : (JSON.parse(text) as { error: string }).error;
  if (got !== error) throw new Error(`answered ${got ?? 200} and should have answered ${error ?? 200}`);
}

/** Twelve actors on ten grants, none knowing of the others. */
async function allAtOnce(context: Context, target: () => string): Promise<void> {
  const owner = context.client(target);
  const grants = new Map<number, Tokens[]>();
  for (let index = 0; index < 10; index += 1) {
    const { email, password } = context.person(index + 1);
    const tokens = await owner.signIn(email, password);
    if (tokens) grants.set(index, [tokens]);
  }
  const until = performance.now() + (context.quick ? 1_500 : 20_000);
  const pick = <T>(list: T[]): T => list[Math.floor(Math.random() * list.length)] as T;
  const actor = async () => {
    const client = context.client(target);
    while (performance.now() < until) {
      const index = pick([...grants.keys()]);
      const grant = grants.get(index) ?? [];
      const current = grant.at(-1) as Tokens;
      const dice = Math.random();
      if (dice < 0.75) {
        const next = await client.refresh(current, true);
        if (next) grant.push(next);
      } else if (dice < 0.85) await client.refresh(pick(grant), true);
      else if (dice < 0.97) await client.isActive(current.accessToken, current.family);
      else {
        await client.revoke(current);
        const { email, password } = context.person(index + 1);
        const again = await client.signIn(email, password);
        if (again) grants.set(index, [again]);
      }
      await sleep(Math.random() * 5);
    }
  };
  await Promise.all(Array.from({ length: 12 }, actor));
}
