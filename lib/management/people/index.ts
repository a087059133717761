export { type FactorReset, readSecondFactors, resetFactors } from './factor-reset.ts';
export { invitePeople, listInvitingMethods, pageInvitations, withdrawInvitation } from './invitations.ts';
export {
  readMailToken,
  requestEmailVerification,
  requestPasswordReset,
  resetPassword,
  sendPasswordReset,
  verifyEmail,
} from './mail-links.ts';
export {
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  findByRef,
  findPerson,
  grantRole,
  type PersonRef,
  removeAccount,
  revokeRole,
  setPassword,
} from './people.ts';
export { changePerson, type PersonView, pagePeople, readPerson } from './people-view.ts';
export { type PersonStep, previewPersonStep } from './person-steps.ts';
export { RESET_LINK_MINUTES } from './reset-link.ts';
export { endSession, endSessionsOf, pageSessions } from './sessions.ts';
export {
  approvePerson,
  endWaitingAt,
  pageWaitingPeople,
  readWaitingPerson,
  rejectPerson,
} from './waiting-people.ts';
