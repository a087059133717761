export {
  addressFaults,
  applicationTypeOf,
  CLIENT_KIND_WORDS,
  CLIENT_KINDS,
  type ClientKind,
  type ClientRow,
  type ClientValues,
  checkedClient,
  checkedNewClient,
  client,
  clientRow,
  kindOf,
  type NewClient,
  newClient,
} from './client.ts';
export { authenticationFaults, authenticationFields, takesSecret } from './client-keys.ts';
export { type IdJagAudience, idJagAudienceOf } from './id-jag-audiences.ts';
export {
  ASYMMETRIC_ALGS,
  formerKeySet,
  hasPrivatePart,
  MAX_KEYS,
  type PublicKeySet,
  publicKey,
  publicKeySet,
} from './public-keys.ts';
export {
  type ApplicationType,
  isLocalHost,
  isPrivateUse,
  originFault,
  proposedRedirectUri,
  redirectUriFault,
  returnHost,
} from './redirect-rules.ts';
export { sectorOf, webHost } from './sector.ts';
export { isSubjectForm, PAIRWISE_SUB, PERSON_ID } from './subject-forms.ts';
export {
  type AutoApproval,
  autoApproveFaults,
  type ClientOrigin,
  clientOrigin,
  documentHost,
  hostMatches,
  returnsToLoopbackOnly,
  unregisteredClientFields,
} from './unregistered.ts';
