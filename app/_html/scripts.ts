import { COPY_SCRIPT } from '#lib/http/page.ts';

// Addresses of scripts. The number in an address changes with the file, so that caches never serve an old version.

/** Script of the console's theme chooser. On other pages the chooser consists of links. */
export const THEME_SCRIPT = '/theme.js?v=1';
/** Scripts of the documentation's search and code blocks. */
export const DOCUMENTATION_SCRIPTS = [COPY_SCRIPT, '/search.js?v=1'];

/** Script of passkey forms. `node scripts/passkey-script.ts` builds the file and prints the address. */
export const PASSKEY_SCRIPT = '/passkeys.js?v=250f2edf014b';

/**
 * Script of fields for a new password. The number changes with the file, so that caches never serve an old version.
 */
export const NEW_PASSWORD_SCRIPT = '/new-password.js?v=1';
