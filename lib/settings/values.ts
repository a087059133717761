// The shapes that values of settings have.
import { z } from 'zod';

export const origin = z.string().refine((value) => {
  const url = URL.parse(value);
  return (
    url !== null &&
    /^https?:$/.test(url.protocol) &&
    url.origin === value.replace(/\/$/, '') &&
    url.username === ''
  );
}, 'must be an origin such as https://login.example, without a path');

/** Digits only; Number() would also accept signs, fractions, 0x10 and 1e3. */
const digits = (least: number, most: number, message: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message);

/** `of`: the unit, in the plural. */
export const whole = (least: number, most: number, of?: string) =>
  digits(
    least,
    most,
    `must be a whole number ${of === undefined ? '' : `of ${of} `}from ${least} to ${most}`,
  );

export const secondsFrom1 = digits(1, Number.MAX_SAFE_INTEGER, 'must be a whole number of seconds from 1');
export const port = digits(0, 65_535, 'must be a port from 0 to 65535');
export const yesOrNo = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .default('false')
  .transform((value) => value === 'true');
export const bearerToken = z.string().min(16, 'must have 16 or more characters');

export const choice = <const Values extends readonly [string, ...string[]]>(values: Values, list: string) =>
  z.enum(values, { error: `must be ${list}` });
