// What a connection test found, taken to the page after its form: sealed in the address, for the person who asked, and
// for ten minutes.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { nowSeconds, seal, unseal } from '#lib/kit/index.ts';
import type { ConnectionTest } from '#lib/management/index.ts';
import { settings } from '#lib/settings/index.ts';

const LIFE_SECONDS = 600;
/** in characters; some proxies refuse longer addresses */
const MAX_LENGTH = 6_000;

/** `of`: what was tested; a page shows only its own. */
type Result = { of: string; at: number; test: ConnectionTest };

const purpose = (personId: string) => `connection test ${personId}`;

export function sealResult(of: string, test: ConnectionTest, personId: string): string {
  const sealed = (shown: ConnectionTest) => {
    const text = JSON.stringify({ of, at: nowSeconds(), test: shown } satisfies Result);
    return seal(
      deflateRawSync(Buffer.from(text)).toString('base64url'),
      purpose(personId),
      settings().secrets,
    );
  };
  const whole = sealed(test);
  if (whole.length <= MAX_LENGTH) return whole;
  return sealed(shortened(test));
}

/** Without what was sent and what came back: the longest parts. */
export const shortened = ({ steps, ...test }: ConnectionTest): ConnectionTest => ({
  ...test,
  steps: steps.map((step) => ({ ...step, sent: null, answered: null })),
});

/** Null: it is about something else, of another person, or too old. */
export function openResult(value: string | undefined, of: string, personId: string): ConnectionTest | null {
  const packed = value && unseal(value, purpose(personId), settings().secrets);
  if (!packed) return null;
  const result = JSON.parse(inflateRawSync(Buffer.from(packed, 'base64url')).toString()) as Result;
  return result.of !== of || nowSeconds() - result.at > LIFE_SECONDS ? null : result.test;
}
