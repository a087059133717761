/** Behind forms for passkeys. `node scripts/passkey-script.ts` makes the file, and says its address. */
export const PASSKEY_SCRIPT = '/passkeys.js?v=f80ed4be6ef1';
