/** More rows than these are not counted, so that a page of millions costs what another one does. */
export const MOST_COUNTED = 10_000;
