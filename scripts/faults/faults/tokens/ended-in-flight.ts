import { disableClient, enableClient } from '#lib/catalogue/clients/operations.ts';
import { endSessionsOf, setPassword } from '#lib/catalogue/people/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import type { Person } from '#testing/data/world.ts';
import { Browser } from '#testing/service/browser.ts';
import { type Client, codeOf, type Tokens } from '../../support/client.ts';
import { type Context, type Fault, PLAIN } from '../../support/context.ts';

const LOOPS = 8;

/** Operations that end a person's tokens. */
const ENDINGS: Record<string, (context: Context, person: Person) => Promise<unknown>> = {
  'a changed password': async (_, person) => {
    person.password = `${person.password}x`;
    await setPassword(OPERATOR, { id: person.id, password: person.password });
  },
  'a sign-out everywhere': (_, person) => endSessionsOf(OPERATOR, { personId: person.id }),
  'a disabled client': () => disableClient(OPERATOR, { clientId: PLAIN.clientId }),
  'a withdrawn consent': (context, person) =>
    context.sql('delete from consents where person_id = $1', [person.id]),
};

export const endedInFlight: Fault = {
  name: 'ended-in-flight',
  title: 'tokens asked for in eight loops on two instances, while a person or an administrator ends them',
  async run(context) {
    const instances = await Promise.all(['a', 'b'].map((name) => context.instance(name)));
    const broken: string[] = [];
    const rounds = context.quick ? 3 : 50;
    let given = 0;
    await context.inside(async () => {
      for (let round = 0; round < rounds; round += 1) {
        for (const [name, end] of Object.entries(ENDINGS)) {
          const clients = instances.map((instance) => context.client(instance, PLAIN));
          const person = context.person(round);
          const browsers = await Promise.all(
            instances.map(async ({ door }) => {
              const browser = new Browser(door);
              if (!(await codeOf(browser, PLAIN, person))) throw new Error('nobody could sign in');
              return browser;
            }),
          );
          const tokens = await beside(browsers, clients, person, () => end(context, person));
          given += tokens.length;
          // undoing the operation revives no token
          await enableClient(OPERATOR, { clientId: PLAIN.clientId });
          const living = await survivors(tokens, clients[0] as Client);
          if (living > 0) broken.push(`${living} of ${tokens.length} outlived ${name}`);
        }
      }
    });
    // removes the expected rejections from the entries that the invariants check
    context.ledger.forget();
    return { broken, notes: `${given} families given` };
  },
};

/**
 * Runs eight loops that request tokens without user interaction, until `end` completes. Returns all tokens that
 * they received.
 */
async function beside(
  browsers: Browser[],
  clients: Client[],
  person: Person,
  end: () => Promise<unknown>,
): Promise<Tokens[]> {
  const all: Tokens[] = [];
  let stopped = false;
  let busy = () => {};
  const underWay = new Promise<void>((resolve) => {
    busy = resolve;
  });
  const loops = Array.from({ length: LOOPS }, async (_, at) => {
    const [browser, client] = [browsers[at % 2] as Browser, clients[at % 2] as Client];
    while (!stopped) {
      const code = await codeOf(browser, PLAIN, person, { prompt: 'none' });
      const tokens = code ? await client.redeem(code) : null;
      if (tokens) all.push(tokens);
      if (all.length >= LOOPS) busy();
    }
  });
  await underWay;
  await end();
  stopped = true;
  await Promise.all(loops);
  return all;
}

async function survivors(tokens: Tokens[], client: Client): Promise<number> {
  const living = await Promise.all(
    tokens.map(
      async (one) => (await client.isActive(one.accessToken, one.family)) || (await client.refresh(one)),
    ),
  );
  return living.filter(Boolean).length;
}
