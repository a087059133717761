export {
  BY_INVITATION,
  createPersonRegistration,
  findProvedRegistration,
  letsIn,
  provePersonRegistration,
} from './asked-registrations.ts';
export { findBrokerState, keepBrokerState, takeBrokerState } from './broker-states.ts';
export { applyRuledGroups, type RuledGroups } from './group-rules.ts';
export { findScopesOfGroups } from './group-scopes.ts';
export { KEPT, keptSamples, openPepper, sealPepper } from './kept-hashes.ts';
export { findKeptSubject, findPersonBySub } from './kept-subjects.ts';
export { createMailToken, findMailToken, type MailPurpose } from './mail-tokens.ts';
export { findOwedPasswordFacts, type OwedPasswordFacts } from './owed-password.ts';
export {
  findPageState,
  MOST_PAGE_STATES,
  type PageState,
  storePageState,
  takePageState,
} from './page-states.ts';
export {
  acceptPasskey,
  findPasskey,
  type PasskeyUse,
  REMEMBERED,
  selectPasskeyNames,
} from './passkey-proofs.ts';
export { raiseSessionRow } from './raised-sessions.ts';
export { spendRecoveryCode } from './recovery-codes.ts';
export {
  beginGrace,
  findSecondFactorFacts,
  isSameSignIn,
  noteOffered,
  type SecondFactorFacts,
} from './second-factor.ts';
export {
  clearWrongCodes,
  findTotpSecrets,
  insertTotpSecret,
  MOST_TOTPS,
  noteWrongCode,
  replaceTotpSecret,
  spendTotpSteps,
} from './totp.ts';
export { deleteUsedForm, insertUsedForm } from './used-forms.ts';
