import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import type { Door } from '#testing/net/door.ts';
import { Browser, hiddenFields } from '#testing/service/browser.ts';
import { type Context, type Fault, PLAIN } from '../../support/context.ts';
import { sameDistribution } from '../../support/mann-whitney.ts';

const TRIES = 3;
const LIKELY = 0.01;
/** Maximum difference of medians, checked only in a full run, because a short run has too few samples. */
const MOST_APART = 0.1;
const PEOPLE = 60;

type Form = { browser: Browser; path: string; fields: Record<string, string> };
/** A page that accepts an address. `says`: text that the page shows after every submission. */
type Place = { name: string; says: string; open: (door: Door) => Promise<(email: string) => Form> };

async function formOn(door: Door, query: Record<string, string> = {}) {
  const browser = new Browser(door);
  return { browser, fields: hiddenFields(await browser.start(PLAIN, query)) };
}

const PLACES: readonly Place[] = [
  {
    name: 'registration',
    says: 'Enter the code',
    open: async (door) => {
      const { browser, fields } = await formOn(door, { prompt: 'create' });
      return (email) => ({ browser, path: '/register/submit', fields: { ...fields, email } });
    },
  },
  {
    name: 'sign-in',
    says: 'Incorrect email',
    open: async (door) => {
      const { browser, fields } = await formOn(door);
      const wrong = { ...fields, password: 'not the password' };
      return (username) => ({ browser, path: '/login/submit', fields: { ...wrong, username } });
    },
  },
  {
    name: 'forgotten password',
    says: 'Open the link in the mail',
    open: async (door) => {
      const browser = new Browser(door);
      const fields = hiddenFields(await browser.get(`${door.url}/account/forgot-password`));
      return (email) => ({ browser, path: '/account/submit/forgot-password', fields: { ...fields, email } });
    },
  },
  {
    name: 'another code',
    says: 'We sent another code',
    open: async (door) => {
      const asked: Record<string, Form> = {};
      for (const email of [knownAddress(0), unknown(0)]) {
        const { browser, fields } = await formOn(door, { prompt: 'create' });
        const path = '/register/submit';
        const page = await browser.onward(await browser.submit(path, { ...fields, email }));
        asked[kindOf(email)] = { browser, path, fields: { ...hiddenFields(page), again: '1' } };
      }
      return (email) => asked[kindOf(email)] as Form;
    },
  },
];

/** imported bcrypt hash with cost 12, about ten times slower than Gatehouse's hash */
const KEPT = '$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW';

/** Addresses of template users, and equally many unknown addresses of equal length. */
const knownAddress = (n: number) => `p${(n % PEOPLE) + 1}@example.com`;
const unknown = (n: number) => `q${(n % PEOPLE) + 1}@example.com`;
const kindOf = (email: string) => email.charAt(0) as 'p' | 'q';

const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

type Compared = { likely: number; known: number; unknown: number };

/**
 * Submits known and unknown addresses alternately. In every second pair the unknown address is first. No limit is
 * reached.
 */
async function compare(
  context: Context,
  door: Door,
  { says, open }: Place,
  pairs: number,
): Promise<Compared> {
  const formFor = await open(door);
  const times = { p: [] as number[], q: [] as number[] };
  for (let n = 0; n < pairs; n += 1) {
    const pair = n % 2 === 0 ? [knownAddress(n), unknown(n)] : [unknown(n), knownAddress(n)];
    for (const [at, email] of pair.entries()) {
      const { browser, path, fields } = formFor(email);
      const from = { 'x-forwarded-for': `198.18.${n & 255}.${at + 1}` };
      const began = performance.now();
      const answer = await browser.submit(path, fields, from);
      times[kindOf(email)].push(performance.now() - began);
      // measured time excludes the page after the redirect
      const { text } = n === 0 ? await browser.onward(answer) : { text: says };
      if (answer.status !== 303 || !text.includes(says))
        throw new Error(`${email} at ${path}: ${answer.status} ${answer.location} ${text.slice(0, 300)}`);
    }
    await context.sql('delete from attempts');
  }
  return { likely: sameDistribution(times.p, times.q), known: medianOf(times.p), unknown: medianOf(times.q) };
}

const apart = (one: Compared) => Math.abs(one.known / one.unknown - 1);

/** Response times must not reveal whether an address has an account. Three measurements exclude chance results. */
export const addressesByTheClock: Fault = {
  name: 'addresses-by-the-clock',
  title: 'known and unknown addresses, told apart by the clock',
  async run(context) {
    const pairs = context.quick ? 40 : 200;
    await context.inside(() => changeAuthMethod(OPERATOR, { id: 'pw', config: { registration: 'open' } }));
    // half of the users get an imported password hash
    const numbers = Array.from({ length: PEOPLE / 2 }, (_, n) => `'${knownAddress(2 * n)}'`);
    await context.sql(`update people set password_hash = '${KEPT}' where email in (${numbers.join()})`);
    const { door } = await context.instance('only', { env: { TRUST_PROXY: '1' } });
    const broken: string[] = [];
    const notes: string[] = [];
    for (const place of PLACES) {
      const { name } = place;
      // warm-up: runs once-per-process work
      await compare(context, door, place, 5);
      const tries: Compared[] = [];
      const tells = (one: Compared) => one.likely < LIKELY || (!context.quick && apart(one) > MOST_APART);
      while (tries.length < TRIES && tries.every(tells))
        tries.push(await compare(context, door, place, pairs));
      const words = tries.map(
        (one) => `${one.known.toFixed(1)} and ${one.unknown.toFixed(1)} ms, p = ${one.likely.toFixed(2)}`,
      );
      if (tries.every(tells)) broken.push(`the clock tells at the ${name}: ${words.join('; ')}`);
      notes.push(`${name} ${words.at(-1)}`);
    }
    return { broken, notes: `medians of ${pairs} known and ${pairs} unknown: ${notes.join('; ')}` };
  },
};
