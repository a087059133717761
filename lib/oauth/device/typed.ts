// A code that a person types. Guesses are limited by browser, by address and over all; a right code belongs to the
// browser that typed it first.
import { underLimits } from '#lib/auth-methods/attempts.ts';
import { claimDeviceRequest, type DeviceRequest } from '#lib/store/device/device-requests.ts';
import { attemptLimit, callerLimits } from '#lib/store/tokens/limits.ts';
import { readTypedCode, typedCodeHmacs } from './typed-code.ts';

const WINDOW_SECONDS = 600;
const GUESSES = { what: 'user codes', each: 20, windowSeconds: WINDOW_SECONDS, all: 1_000, allSeconds: 5 };
const GUESSES_OF_BROWSER = 5;

type Typed = { typed: string; browser: string; ip: string | null; requestId: string };

/** The request that waits under this code; null: there is none, or it is another browser's. Throws TooManyAttempts. */
export async function findTyped({ typed, browser, ip, requestId }: Typed): Promise<DeviceRequest | null> {
  const code = readTypedCode(typed);
  // no device has shown it, so nothing is guessed
  if (code === null) return null;
  const limits = [
    ...callerLimits(GUESSES, ip),
    attemptLimit('browser', browser, GUESSES_OF_BROWSER, WINDOW_SECONDS),
  ];
  return underLimits(
    limits,
    { requestId, ip },
    () => claimDeviceRequest(typedCodeHmacs(code), Buffer.from(browser, 'base64url')),
    (found) => found === null,
  );
}
