export { settleSubscription } from './configured-subscriptions.ts';
export { type DecidedOne, decideSubscriptions, MOST_AT_ONCE } from './decide-many.ts';
export { previewDecision } from './decision-preview.ts';
export { changeTerms, decideSubscription } from './decisions.ts';
export {
  type Agent,
  endMyDelegation,
  giveDelegation,
  listMyAgents,
  listMyDelegations,
} from './delegations.ts';
export { takeStep } from './subscription-steps.ts';
export {
  listWaitingApis,
  pageInbox,
  pageSubscriptions,
  readSubscription,
  type SubscriptionView,
} from './subscription-view.ts';
export {
  cancelSubscription,
  changeSubscription,
  previewCancelling,
  previewSubscriptionChange,
  requestSubscription,
} from './subscriptions.ts';
export { UNDO_SECONDS, undoDecision } from './undo-decision.ts';
