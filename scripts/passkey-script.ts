// Bundles public/passkeys.js from app/_html/passkeys-in-browser.ts and its library, and prints its URL. Run after
// changing either: `node scripts/passkey-script.ts`.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const BANNER =
  '/* Passkeys. Made by scripts/passkey-script.ts; contains @simplewebauthn/browser, (c) Matthew Miller, MIT License. */';

export const SCRIPT_FILE = path.join(root, 'public/passkeys.js');

export async function makePasskeyScript(): Promise<string> {
  const bundle = await rolldown({
    input: path.join(root, 'app/_html/passkeys-in-browser.ts'),
    platform: 'browser',
  });
  const { output } = await bundle.generate({ format: 'iife', minify: true, comments: false });
  await bundle.close();
  return `${BANNER}\n${output[0].code.trim()}\n`;
}

/** Returns the URL of the script. It contains a digest, so browsers cache the file permanently. */
export const addressOf = (script: string): string =>
  `/passkeys.js?v=${createHash('sha256').update(script).digest('hex').slice(0, 12)}`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const script = await makePasskeyScript();
  writeFileSync(SCRIPT_FILE, script);
  process.stdout.write(`${script.length} bytes; app/_html/scripts.ts: ${addressOf(script)}\n`);
}
