export {
  changeMyPassword,
  changeMyProfile,
  endMySession,
  endMySessions,
  listMyConsents,
  listMySessions,
  listMySignIns,
  type Profile,
  readMyProfile,
  withdrawConsent,
} from './account.ts';
export { finishAddressChange, readAddressChange, startAddressChange } from './address-change.ts';
export {
  type JoinView,
  linkIdentity,
  listMyLinks,
  type MyLinks,
  proveLink,
  readJoin,
  startLink,
  unlinkIdentity,
} from './links.ts';
export { readMyData, readPersonData } from './my-data.ts';
export { DELETION_WORD, type DeletionPreview, deleteMyAccount, previewMyDeletion } from './my-deletion.ts';
export { nameMyDevice } from './my-devices.ts';
export {
  addMyPasskey,
  addMyTotp,
  forgetMyBrowsers,
  MOST_TOTPS,
  type MyFactors,
  readMyFactors,
  removeMyPasskey,
  removeMyTotp,
  renameMyPasskey,
  renameMyTotp,
  renewMyRecoveryCodes,
  replaceMyTotp,
} from './my-factors.ts';
export { askConsolePasskey, askPasskeyAgain, signInToConsoleByPasskey } from './passkey-sign-in.ts';
export {
  confirmByCode,
  confirmByPasskey,
  graceOf,
  maySetUpNow,
  putOffSetUp,
  setUpFirst,
  viewNewFactor,
  viewReplacement,
  viewSecondStep,
} from './second-step.ts';
export {
  type Browser,
  type ConsoleMethod,
  listConsoleMethods,
  signInByNewPassword,
  signInToConsole,
  viewOwedPassword,
} from './sign-in.ts';
