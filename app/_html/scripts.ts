// Script addresses. Their number changes with the file, so that caches never serve an old version.

/** Script of copy buttons. */
export const COPY_SCRIPT = '/copy.js?v=5';
/** Script of the theme chooser in the console; other pages use the chooser's links. */
export const THEME_SCRIPT = '/theme.js?v=1';
/** Scripts of the documentation's search and code blocks. */
export const DOCUMENTATION_SCRIPTS = [COPY_SCRIPT, '/search.js?v=1'];

/** Script of passkey forms. `node scripts/passkey-script.ts` builds the file and prints its address. */
export const PASSKEY_SCRIPT = '/passkeys.js?v=250f2edf014b';

/** Script of new password fields. Its number changes with the file, so that caches never serve an old version. */
export const NEW_PASSWORD_SCRIPT = '/new-password.js?v=1';
