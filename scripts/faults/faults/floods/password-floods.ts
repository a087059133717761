import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { subjectSalt } from '#lib/keys/keys.ts';
import { wrapHash } from '#lib/kit/kept-hashes/kept-hash.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { renewKept } from '#lib/store/keys.ts';
import { database } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { startVerifier, VERIFY_TOKEN } from '#testing/brokers/verifier.ts';
import { fixtureClient } from '#testing/data/fixtures.ts';
import { type Context, type Fault, PASSWORD } from '../../support/context.ts';
import { comparedSignIns, pour, quietSignIns, signInsDuring } from '../../support/flood.ts';
import type { Instance } from '../../support/instance.ts';

const SECONDS = { quick: 5, whole: 20 };
const GUESSES_PER_SECOND = 40;
/** Number of template users that the floods target. */
const TARGETS = 20;
const LONGEST = 'y'.repeat(1_024);
/** bcrypt hash of cost 12, of a password that is not guessed. */
const BCRYPT_12 = '$2y$12$6GWTdpTVPEABbtVqEhUm4.tPHZU2Zhe5ir2mIVQ/YaBXtkB8Tfb8q';

/** Sends password guesses for the target users from one network. */
const guesses = (context: Context, instance: Instance, password: (number: number) => string) =>
  pour(
    { seconds: context.quick ? SECONDS.quick : SECONDS.whole, perSecond: GUESSES_PER_SECOND },
    (number) => {
      const client = context.client(instance, fixtureClient('trunat'));
      client.headers = { 'x-forwarded-for': '198.51.100.1' };
      return client.signIn(context.person(number % TARGETS).email, password(number), true);
    },
  );

async function giveHash(context: Context, hash: string | null): Promise<void> {
  const emails = Array.from({ length: TARGETS }, (_, number) => context.person(number).email);
  await context.sql(
    "update people set password_hash = $1, import_run = 'flood' where email = any ($2::text[])",
    [hash, emails],
  );
  await context.inside(async () => {
    await subjectSalt(await currentSnapshot());
    await renewKept(database());
  });
}

async function compareFlood(context: Context, instance: Instance, password: (number: number) => string) {
  const quiet = await quietSignIns(context, instance);
  const flooded = await signInsDuring(context, instance, guesses(context, instance, password));
  const { broken, note } = comparedSignIns(context, quiet, flooded);
  return { broken: [...broken, ...(await context.lostSlots(instance))], notes: note };
}

/** Half of the guessed passwords exceed the maximum length, and half have exactly the maximum length. */
export const longPasswordFlood: Fault = {
  name: 'long-password-flood',
  title:
    'guesses of 60,000 and 1,024 bytes from one network at accounts with a hash of 100,000 rounds of SHA-512',
  async run(context) {
    await giveHash(context, await wrapHash(`$6$rounds=100000$saltsalt$${'a'.repeat(86)}`));
    const instance = await context.instance('only', { env: { TRUST_PROXY: '1' } });
    return compareFlood(context, instance, (number) => (number % 2 === 0 ? 'x'.repeat(60_000) : LONGEST));
  },
};

/**
 * A former service checks the passwords of the guessed users. Other users, with a Gatehouse hash, sign in during the
 * flood.
 */
export const formerServiceFlood: Fault = {
  name: 'former-service-flood',
  title: 'guesses from one network at accounts whose password a former service checks',
  async run(context) {
    await giveHash(context, null);
    const verifier = await startVerifier();
    context.onEnd(() => verifier.close());
    await context.inside(() =>
      changeAuthMethod(OPERATOR, {
        id: 'pw',
        config: { former: { verify_url: verifier.url, until: '2999-12-31', allow_private_network: true } },
        secret: VERIFY_TOKEN,
      }),
    );
    const instance = await context.instance('only', { env: { TRUST_PROXY: '1' } });
    return compareFlood(context, instance, (number) => `not ${PASSWORD} ${number}`);
  },
};

/** During this flood, the service measures for the first time how long each kind of hash takes. */
export const paceUnderLoad: Fault = {
  name: 'pace-under-load',
  title: 'hash times that are measured during a flood of guesses',
  async run(context) {
    const instance = await context.instance('only', { env: { TRUST_PROXY: '1' } });
    await giveHash(context, BCRYPT_12);
    const quiet = await quietSignIns(context, instance);
    const again = await context.instance('measures-under-load', { env: { TRUST_PROXY: '1' } });
    await guesses(context, again, (number) => `not ${PASSWORD} ${number}`);
    // measured again after one minute
    const after = await quietSignIns(context, again);
    const { broken, note } = comparedSignIns(context, quiet, after);
    return { broken, notes: note.replaceAll('without it', 'in a process that measured without load') };
  },
};
