// Checks tokens for route handlers of Next.js, and for its proxy.ts.

export { gatehouse } from './fetch.ts';
export type { Caller, Options, Requirement } from './options.ts';
