/** Behind forms for passkeys. `node scripts/passkey-script.ts` makes the file, and says its address. */
export const PASSKEY_SCRIPT = '/passkeys.js?v=250f2edf014b';
