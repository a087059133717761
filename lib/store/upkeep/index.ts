export {
  type ChecklistName,
  type DeveloperFacts,
  isChecklistAway,
  selectDeveloperFacts,
  selectDoneSteps,
  setChecklistAway,
  setStepDone,
} from './checklists.ts';
export { type ExpiringRow, selectExpiring } from './expiring.ts';
export {
  type MaintenanceRun,
  noteFailedMaintenance,
  noteMaintenance,
  type QueueLengths,
  selectMaintenance,
  selectQueueLengths,
} from './service-facts.ts';
