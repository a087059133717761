/** More rows than these are not counted, so that a page of millions costs what another one does. */
export const MOST_COUNTED = 10_000;
/** Results of each kind that the search over everything shows; the list of that kind shows the rest. */
export const MOST_FOUND = 10;
/** Authenticator apps of one person; the table `totp_secrets` allows no more. */
export const MOST_TOTPS = 5;
