// Script addresses. Their number changes with the file, so that caches never serve an old version.

/** Script of copy buttons. */
export const COPY_SCRIPT = '/copy.js?v=5';
/** Behind the chooser of light and dark, in the console; elsewhere its links are followed. */
export const THEME_SCRIPT = '/theme.js?v=1';
/** Behind the search of the documentation, and its code blocks. */
export const DOCUMENTATION_SCRIPTS = [COPY_SCRIPT, '/search.js?v=1'];

/** Behind forms for passkeys. `node scripts/passkey-script.ts` makes the file, and says its address. */
export const PASSKEY_SCRIPT = '/passkeys.js?v=250f2edf014b';

/** Script of new password fields. Its number changes with the file, so that caches never serve an old version. */
export const NEW_PASSWORD_SCRIPT = '/new-password.js?v=1';
