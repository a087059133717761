export { addressChanges } from './address-changes.ts';
export { deleteConsent, isRelied, selectConsents } from './consents.ts';
export {
  type AgentRow,
  countDelegations,
  deleteDelegation,
  saveDelegation,
  selectAgents,
  selectDelegations,
} from './delegations.ts';
export {
  lastRecoveryCodeUse,
  listFactors,
  removePasskey,
  removeTotp,
  renamePasskey,
  renameTotp,
  takeFactors,
} from './factors.ts';
export {
  CAME_EVENTS,
  countImportedPeople,
  findTakenNames,
  type ImportedParts,
  type ImportedRow,
  insertImportedIdentities,
  insertImportedParts,
  insertImportedPeople,
  type NamesAsked,
  removeImportedPeople,
  selectImportRuns,
  type Taken,
} from './imported-people.ts';
export { findIdentityOwner, holdForJoin, moveIdentities, removeIdentity } from './linked-identities.ts';
export { markEmailVerified, takeMailToken } from './mail-tokens.ts';
export { selectMyIdentities, selectMyRequests } from './my-data.ts';
export { addPasskey, countOldPasskeys } from './passkeys.ts';
export {
  changeRole,
  endInvitations,
  findNameHolder,
  findPeopleByReference,
  findPersonByEmail,
  findPersonById,
  findPersonView,
  findProfile,
  insertPerson,
  type OwnedClient,
  PERSON_ROW,
  type PersonView,
  type ProfileRow,
  removePerson,
  replacePasswordHash,
  selectConfigPasswords,
  selectOwnedClients,
  selectSharedNames,
  setPasswordHash,
  setPersonDisabled,
  updatePerson,
  updateProfile,
} from './people.ts';
export { PEOPLE, type SeenFilter } from './people-list.ts';
export { searchPeople } from './people-search.ts';
export { countPepperSeals, resealPeppers } from './pepper-seals.ts';
export { findNewestRefreshToken, findPersonAtMethod, type PersonAtMethod } from './person-at-method.ts';
export { personRegistrations } from './person-registrations.ts';
export {
  holdRechecked,
  leaseRecheck,
  leaveRuledGroups,
  moveRecheck,
  noteFound,
  noteMissing,
  type PersonToRecheck,
  peopleToRecheck,
  type RecheckLease,
  recheckTime,
} from './rechecks.ts';
export { countRecoveryCodes, replaceRecoveryCodes } from './recovery-codes.ts';
export {
  countReach,
  countWithoutFactor,
  countWithRole,
  hasAdministrator,
  hasOtherAdministrator,
  selectReadersOf,
} from './roles.ts';
export { endPersonSessions, endSessionRow, nameSession, SESSIONS } from './session-list.ts';
export { countTotpSeals, resealTotpSecrets } from './totp-seals.ts';
export { forgetTrustedBrowsers, listTrustedBrowsers, nameTrustedBrowser } from './trusted-browsers.ts';
export { type BeganToWait, waitingPeople } from './waiting-people.ts';
