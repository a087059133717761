export { countTokens, countTokensOfPerson, countWaitingDevices } from './count-tokens.ts';
export {
  type ClientRevocation,
  countAllOfClient,
  dropFormerTokens,
  endAllOfClient,
  endSignIns,
  endTokens,
  endTokensOfSubjects,
} from './endings.ts';
export { type Invalidated, invalidateBefore, invalidateMost } from './invalidate.ts';
export { removeFromRegistry } from './removal.ts';
