// Users with an authenticator app, plus generated codes.
import { HOTP, Secret } from 'otpauth';
import { enrollTotp, newTotp } from '#lib/factors/totp.ts';
import { now, shiftClock } from '#lib/kit/clock.ts';
import { query } from '#lib/store/pool.ts';

const STEP_MS = 30_000;
export const FACTOR_CONTEXT = { requestId: 'request', ip: null };

export const currentStep = (): number => Math.floor(now().getTime() / STEP_MS);

/** Returns the code that the app shows now, or this number of time steps later. */
export const codeOf = (secret: string, stepsFromNow = 0): string =>
  HOTP.generate({ secret: Secret.fromBase32(secret), counter: currentStep() + stepsFromNow });

/** Returns a code that is currently invalid. */
export function wrongCodeOf(...secrets: string[]): string {
  const right = secrets.flatMap((secret) => [-1, 0, 1].map((steps) => codeOf(secret, steps)));
  return Array.from({ length: 30 }, (_, n) => `${111_111 + n}`).find((code) => !right.includes(code)) ?? '';
}

let at = Math.floor(Date.now() / STEP_MS);
/** Moves this process's clock forward to the middle of a later time step of 30 s. */
export function laterBySteps(steps: number): void {
  at += steps;
  shiftClock(at * STEP_MS + 5_000 - Date.now());
}

export async function givenBarePerson(): Promise<string> {
  const [row] = await query<{ id: string }>({
    text: `insert into people (email, name) values (gen_random_uuid() || '@example.com', 'Ada') returning id`,
  });
  return row?.id ?? '';
}

/** Returns the app that the person set up first. */
export async function totpOf(personId: string): Promise<string> {
  const [row] = await query<{ id: string }>({
    text: 'select id from totp_secrets where person_id = $1 order by created_at limit 1',
    values: [personId],
  });
  return row?.id ?? '';
}

/**
 * Creates a user whose app was set up three steps ago, so that current codes are unused. Also returns the
 * secret.
 */
export async function givenPersonWithApp(): Promise<{ personId: string; secret: string }> {
  const personId = await givenBarePerson();
  const { secret } = await newTotp({ label: 'ada@example.com' });
  const outcome = await enrollTotp({ personId, secret, code: codeOf(secret), ...FACTOR_CONTEXT });
  if (outcome !== 'enrolled') throw new Error(`the app is ${outcome}`);
  await query({
    text: 'update totp_secrets set last_step = last_step - 3 where person_id = $1',
    values: [personId],
  });
  return { personId, secret };
}
