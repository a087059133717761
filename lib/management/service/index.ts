export { examine, examineElsewhere, examineHere, examineSettings, registryFinding } from './doctor.ts';
export { type Finding, finding, formatCount } from './doctor-finding.ts';
export { databaseRole, examineAdministrators } from './doctor-operation.ts';
export { type AccessExplanation, EXPLAINED_GRANTS, explainAccess, readDecidedApi } from './explanation.ts';
export { type StepTold, stepInEnglish } from './explanation-words.ts';
export { type InspectedRequest, pageClientRequests, requestInEnglish } from './inspector.ts';
export { invalidateIssued } from './invalidate.ts';
export {
  listMailPreviews,
  type MailPreview,
  type MailPreviewAsked,
  previewMail,
  sendMailPreview,
} from './mail-previews.ts';
export { maintain, startMaintenance } from './maintenance.ts';
export { type Overview, readOverview } from './overview.ts';
export { readUsage, type Usage, type UsageChoice, type UsageStepView } from './usage.ts';
