export { examineBeforeUpgrade } from './before-upgrade.ts';
export { type Expiring, listExpiring, MOST_DAYS } from './expiring.ts';
export {
  type FirstDay,
  type FirstDayStep,
  markFirstDay,
  putChecklistAway,
  readFirstDay,
} from './first-day.ts';
export { type FirstToken, type FirstTokenStep, readFirstToken } from './first-token.ts';
export { readService, type ServiceState } from './service-state.ts';
