export {
  type ClientRevocation,
  countAllOfClient,
  endAllOfClient,
  endSignIns,
  endTokens,
  endTokensOfSubjects,
} from './endings.ts';
export { countTokens } from './families.ts';
export { type Invalidated, invalidateBefore, invalidateMost } from './invalidate.ts';
export { removeFromRegistry } from './removal.ts';
