import { accountName } from '#lib/auth-methods/attempts.ts';
import { setPassword } from '#lib/catalogue/people/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { rememberDevice } from '#lib/sessions/known-device.ts';
import { attemptLimit } from '#lib/store/hot/limits.ts';
import type { Person } from '#testing/data/world.ts';
import { Browser, hiddenFields, signIn } from '#testing/service/browser.ts';
import { type Context, type Fault, PLAIN } from '../../support/context.ts';
import { comparedSignIns, pour, quietSignIns, rowsOver, signInsDuring } from '../../support/flood.ts';
import type { Instance } from '../../support/instance.ts';

const GUESSES_PER_SECOND = 100;
const NEW_PASSWORD = 'the-next-one-of-theirs';
/**
 * Limits for wrong passwords of an account in 15 minutes. All unknown browsers share one limit, and all known
 * browsers share another.
 */
const STRANGERS = 10;
const KNOWN = 100;

/** SQL: ten-minute window. The first rejection of each kind in a window is an audit event. */
const WINDOW = "date_bin('10 minutes', at, 'epoch'::timestamptz)";

type Guesser = { browser: Browser; fields: Record<string, string>; from: Record<string, string> };

/**
 * After a password change, browsers of the first account are strangers. Browsers of the second account remain known.
 */
export const knownBrowserFlood: Fault = {
  name: 'known-browser-flood',
  title: 'many browsers that two accounts signed in with guess, at one of them after a new password',
  async run(context) {
    const many = context.quick ? 12 : 150;
    const instance = await context.instance('only', { env: { TRUST_PROXY: '1' } });
    const [changed, kept] = [context.person(0), context.person(1)];
    const guessers = [
      ...(await guessersOf(context, instance, { person: changed, many, network: 51 })),
      ...(await guessersOf(context, instance, { person: kept, many, network: 52 })),
    ];
    await context.inside(() => setPassword(OPERATOR, { id: changed.id, password: NEW_PASSWORD }));
    const owner = { ...changed, password: NEW_PASSWORD };
    const ownBrowser = await signIn(instance.door, owner, PLAIN);
    const quiet = await quietSignIns(context, instance);
    const flood = pour({ seconds: context.quick ? 2 : 30, perSecond: GUESSES_PER_SECOND }, (number) =>
      guess(guessers[(number * 7) % guessers.length] as Guesser),
    );
    const signIns = comparedSignIns(context, quiet, await signInsDuring(context, instance, flood));
    const checked = {
      changed: await countFailures(context, accountOf(changed)),
      kept: await countFailures(context, `known ${accountOf(kept)}`),
    };
    const rows = await rowsOver(context, {
      devices: { of: "attempts where key like '4device:%'", most: many },
      // a flood across two windows repeats first events, including counts of the previous window
      events: {
        of: `audit_events where (event like '%.refused' or event = 'attempts.limited') and details -> 'count' is null
          and ${WINDOW} = (select max(${WINDOW}) from audit_events)`,
        most: 2 * many,
      },
    });
    const broken = [...signIns.broken, ...rows.broken, ...(await context.lostSlots(instance))];
    if (checked.changed > STRANGERS) broken.push(`${checked.changed} guesses at a new password were checked`);
    if (checked.kept > KNOWN) broken.push(`${checked.kept} guesses of known browsers were checked`);
    if (!(await getsIn(ownBrowser, owner))) broken.push('the owner does not get in with the new password');
    const notes = `2 × ${many} browsers: ${checked.changed} guesses at the new password were checked, and ${checked.kept} of browsers still known; ${signIns.note}; rows: ${rows.note}`;
    return { broken, notes };
  },
};

const accountOf = ({ email }: Person) => accountName({ id: 'pw', type: 'local' }, email);

/**
 * Returns browsers that show the sign-in page, with a sign-in cookie of this user and separate IP addresses.
 */
async function guessersOf(
  context: Context,
  instance: Instance,
  { person, many, network }: { person: Person; many: number; network: number },
): Promise<Guesser[]> {
  const [{ epoch = '' } = {}] = await context.sql<{ epoch: string }>(
    'select epoch::text from people where id = $1',
    [person.id],
  );
  const who = { personId: person.id, personEpoch: epoch };
  const cookies = await context.inside(async () =>
    Array.from({ length: many }, () => rememberDevice(undefined, [accountOf(person)], who)),
  );
  const opened = cookies.map(async (cookie, at): Promise<Guesser> => {
    const browser = new Browser(instance.door);
    browser.jar.keep([cookie]);
    const fields = hiddenFields(await browser.start(PLAIN));
    const from = { 'x-forwarded-for': `198.${network}.100.${at + 1}` };
    return { browser, from, fields: { ...fields, username: person.email, password: 'not-the-new-one' } };
  });
  return Promise.all(opened);
}

const guess = ({ browser, fields, from }: Guesser) =>
  browser.submit('/login/submit', fields, from).catch(() => null);

/** Counts the wrong passwords that were counted as attempts, and therefore checked. */
async function countFailures(context: Context, account: string): Promise<number> {
  const { key } = attemptLimit('account', account, 1);
  const [row] = await context.sql<{ failed: number }>('select failed from attempts where key = $1', [key]);
  return row?.failed ?? 0;
}

async function getsIn(browser: Browser, who: { email: string; password: string }): Promise<boolean> {
  const page = await browser.start(PLAIN, { prompt: 'login' });
  const answer = await browser.signInOn(page, who);
  return answer.location.includes('/continue');
}
