// What people, and the operator at the command line, may do. Every operation takes the actor first.
export {
  createClient,
  disableClient,
  enableClient,
  listClients,
  rotateClientSecret,
} from './clients.ts';
export { examine } from './doctor.ts';
export { invalidateIssued } from './invalidate.ts';
export { listSigningKeys, retireSigningKey, rotateSigningKeys } from './keys.ts';
export { startMaintenance } from './maintenance.ts';
export {
  createPerson,
  disablePerson,
  enablePerson,
  findPerson,
  grantRole,
  listPeople,
  revokeRole,
  setPassword,
} from './people.ts';
export {
  type Action,
  type Actor,
  mayDo,
  OPERATOR,
  Refused,
  ROLES,
  type Role,
  requireAction,
} from './policy.ts';
export { type ApplicationType, originFault, redirectUriFault } from './redirect-rules.ts';
export { type SubscriptionState, stateWhenChanged, stateWhenRequested } from './subscription-states.ts';
export {
  changeSubscription,
  decideSubscription,
  listSubscriptions,
  requestSubscription,
  subscriptionHistory,
} from './subscriptions.ts';
