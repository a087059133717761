export { ensureManagementApi, MANAGEMENT_API, managementUrl } from './built-in.ts';
export { changesIdentity, changesOf, withChange } from './changes.ts';
export { claimFaultAt, ruleFaults, weakenedFaults } from './claim-faults.ts';
export {
  approvedPairs,
  type Consequences,
  consequencesOf,
  countEnding,
  type Foreseen,
  type Holding,
  type Pair,
} from './consequences.ts';
export { type Days, faultsOfDays, rangesOf, zoneOf } from './days.ts';
export { limitedWork } from './limited-work.ts';
export { type Context, enter, operation, operationName } from './operation.ts';
export { OPERATION_NAMES } from './operations.ts';
export { LIST_ORDERS, type ListName } from './orders.ts';
export { type Asked, type Page, readPage, searchOf, typedSearchOf } from './page.ts';
export {
  type Action,
  type Actor,
  CONFIGURATION,
  decidableBy,
  idOf,
  isDeciderOf,
  isHost,
  isOwnSession,
  MANAGEMENT_SCOPES,
  mayDo,
  missingScope,
  nameOf,
  OPERATOR,
  type Person,
  type RequestFacts,
  readerOf,
  refuseSelf,
  requesterOf,
  requireAction,
  requireDecider,
  requirePerson,
  requireRecent,
  ruleOf,
  whoOf,
} from './policy.ts';
export { countEdit, countNewClient, editOwn } from './quotas.ts';
export { type Author, authorOf, record } from './record.ts';
export {
  faultAt,
  OPERATOR_TEXTS,
  type RefusedCode,
  type RefusedKind,
  textOfRefusal,
} from './refusals/index.ts';
export {
  faulty,
  parseInput,
  Refused,
  refuseFaults,
  refuseStale,
  stale,
  taken,
  writtenText,
} from './refused.ts';
export { KeyNotProved, readTokenActor, SignInTooWeak } from './token-actor.ts';
