export { type Coded, englishOf, faultAt, kindOfRefusal, type RefusedCode } from './codes.ts';
export type { RefusedKind } from './kinds.ts';
