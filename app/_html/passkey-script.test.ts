import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addressOf, makePasskeyScript, SCRIPT_FILE } from '../../scripts/passkey-script.ts';
import { PASSKEY_SCRIPT } from './scripts.ts';

test('the passkey script matches its sources, and its address contains a content hash', async () => {
  const made = await makePasskeyScript();
  expect(made === readFileSync(SCRIPT_FILE, 'utf8'), 'run: node scripts/passkey-script.ts').toBe(true);
  expect(PASSKEY_SCRIPT).toBe(addressOf(made));
  expect(made.length).toBeLessThan(16_000);
});
