export {
  type CatalogueEntry,
  changeApi,
  createApi,
  deleteApi,
  listCatalogue,
  pageApis,
  previewIntrospectionSecret,
  readApi,
  renewIntrospectionSecret,
} from './apis.ts';
export { reachClient } from './client-access.ts';
export { type ClientChange, changeClient, previewClientChange } from './client-change.ts';
export { deleteClient, previewClientDeletion, previewClientDisabling } from './client-deletion.ts';
export { previewClientRevocation, revokeClient } from './client-revocation.ts';
export { addSecret, dropSecret, previewSecretEnd, rotateClientSecret } from './client-secrets.ts';
export {
  type ClientDetail,
  createClient,
  disableClient,
  enableClient,
  pageClients,
  readClient,
} from './clients.ts';
export {
  listSigningKeys,
  previewKeyRetirement,
  resealSecrets,
  retireSigningKey,
  rotateSigningKeys,
} from './keys.ts';
export { readApiLogo, readClientLogo, setApiLogo, setClientLogo } from './logos.ts';
export {
  type AuthMethodView,
  changeAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  methodAsSaved,
  pageAuthMethods,
  readAuthMethod,
} from './methods.ts';
export {
  previewApiChange,
  previewApiDeletion,
  previewAuthMethodChange,
  previewAuthMethodDeletion,
} from './registry-preview.ts';
export { countOldSeals, resealStored } from './reseal.ts';
