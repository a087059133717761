// Sign-in and consent pages for the preview of a brand: the real pages with example data, without a request, session or
// form.

import { returnHost } from '#lib/catalogue/clients/definition.ts';
import { METHOD_KINDS } from '#lib/catalogue/methods/kinds.ts';
import { isOpenToAll, methodCan } from '#lib/catalogue/methods/questions.ts';
import type { BrandColours, BrandValues } from '#lib/registry/brand.ts';
import { OPENID_SCOPES } from '#lib/registry/claims.ts';
import { type OwnTexts, type TextsShown, textsShown } from '#lib/registry/own-texts.ts';
import { returnsToLoopbackOnly } from '#lib/registry/unregistered.ts';
import type { Language } from '#lib/settings/languages.ts';
import { signInNames } from '#lib/sign-in/steps.ts';
import {
  currentSnapshot,
  type Snapshot,
  type SnapshotApi,
  type SnapshotClient,
} from '#lib/store/snapshot.ts';
import type { ConsentView } from './consent.ts';
import { apiView, clientView, scopesShown } from './frame.ts';
import type { RegisterView } from './register.ts';
import type { SignInView } from './sign-in.ts';

type Api = Pick<
  SnapshotApi,
  'id' | 'name' | 'contactUri' | 'tosUri' | 'policyUri' | 'brand' | 'texts' | 'scopes' | 'authMethods'
>;
type Client = Parameters<typeof clientView>[0]['client'] & Pick<SnapshotClient, 'redirectUris' | 'texts'>;

const NOTHING = { tosUri: null, policyUri: null, contactUri: null, brand: null, texts: null, logoUri: null };
const EXAMPLE_API: Api = { ...NOTHING, id: 'example', name: 'Orders', scopes: [], authMethods: [] };
const EXAMPLE_CLIENT: Client = {
  ...NOTHING,
  clientId: 'example',
  name: 'Shop',
  origin: null,
  redirectUris: ['https://shop.example/callback'],
  subscriptions: [],
};

/** Input of a preview. `brand`, `texts`: new values for the client or, without a client, for the API. */
type Chosen = { apiId?: string; clientId?: string; brand: BrandValues | null; texts: OwnTexts | null };
type Ready<View> = Extract<View, { kind: 'ready' }>;

/** Renders an approved client at the API. Null: unknown API or client. */
export async function previewPages({ apiId, clientId, brand, texts }: Chosen): Promise<{
  signIn: Ready<SignInView>;
  register: Ready<RegisterView>;
  consent: Ready<ConsentView>;
  colours: BrandColours | null;
  textsIn: (language: Language) => TextsShown | null;
} | null> {
  const snapshot = await currentSnapshot();
  const chosenClient = clientId === undefined ? EXAMPLE_CLIENT : snapshot.clients.get(clientId);
  const at = apiId ?? chosenClient?.subscriptions[0]?.apiId;
  const chosenApi = at === undefined ? EXAMPLE_API : snapshot.apis.get(at);
  if (!chosenClient || !chosenApi) return null;
  const api = clientId === undefined ? { ...chosenApi, brand, texts } : chosenApi;
  const client = {
    ...chosenClient,
    ...(clientId !== undefined && { brand, texts }),
    subscriptions: [{ apiId: api.id, state: 'approved' }],
  };
  const asking = { client, issuer: { api } };
  const baseView = {
    client: clientView(asking),
    api: apiView(api),
    interaction: '',
    antiForgery: '',
    ...{ alert: null, wrong: false },
  };
  const [uri = ''] = client.redirectUris;
  const consentScopes = [...OPENID_SCOPES.slice(0, 2), ...api.scopes.slice(0, 4)].map(({ name }) => name);
  return {
    signIn: {
      kind: 'ready',
      ...baseView,
      ...methodShown(api, snapshot),
      username: '',
      notice: null,
      passkey: null,
    },
    register: { kind: 'ready', ...baseView, step: 'address', email: '', approval: false, signIn: '#' },
    consent: {
      kind: 'ready',
      ...baseView,
      scopes: scopesShown({ issuer: { api }, consentScopes }),
      person: { label: 'ada@example.com' },
      returnTo: uri === '' ? 'shop.example' : returnHost(uri),
      onlyHere: client.origin !== null && returnsToLoopbackOnly(client.redirectUris),
      locale: null,
    },
    colours: baseView.client.colours,
    textsIn: (language) => textsShown(language, api, client),
  };
}

const { type: WITH_ACCOUNTS } =
  METHOD_KINDS.find(({ capabilities }) => capabilities.hasAccounts) ?? METHOD_KINDS[0];

/** Returns the API's first method with a password form. */
function methodShown({ authMethods }: Api, snapshot: Snapshot) {
  const { methods } = snapshot;
  const method =
    authMethods
      .flatMap((id) => methods.get(id) ?? [])
      .find((snapshotMethod) => methodCan(snapshotMethod, 'asksPassword')) ??
    methods.values().find((candidate) => methodCan(candidate, 'hasAccounts'));
  const { id = 'example', name = 'E-mail and password', type = WITH_ACCOUNTS } = method ?? {};
  return {
    method: { id, name, type } as const,
    names: signInNames({ type }, snapshot),
    changeAt: null,
    forgotten: methodCan({ type }, 'hasAccounts') ? '#' : null,
    register: method && isOpenToAll(method) ? '#' : null,
  };
}
