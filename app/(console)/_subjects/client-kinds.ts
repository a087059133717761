// Application kinds: label, page addresses, and registration questions by runtime environment.
import { ownValue } from '#lib/kit/wire.ts';
import { faultAt } from '#lib/management/refused.ts';
import {
  CLIENT_KIND_WORDS,
  type ClientKind,
  type ClientRow,
  checkedNewClient,
  type NewClient,
  newClient,
} from '#lib/registry/client.ts';
import { type ChoiceWords, type Fault, type FormField, faultsOf } from '#lib/registry/definition.ts';
import { type Area, path } from '../_kit/console-form.ts';
import { Fields, readForm } from '../_kit/posted.ts';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

/** Each kind in one word, beside a client's name. */
export const SHORT_KINDS: Readonly<Record<ClientKind, string>> = toSay({
  confidential: 'server',
  browser: 'browser',
  native: 'native',
});

/** Background client: authenticates itself, and sends no user to the sign-in page. */
export const isBackground = ({ kind, redirectUris }: Pick<ClientRow, 'kind' | 'redirectUris'>): boolean =>
  kind === 'confidential' && redirectUris.length === 0;

/** Builds client page addresses of an area, including subpages. */
export function clientPath(area: Area, clientId: string, ...more: string[]): string {
  return path(area, 'clients', clientId, ...more);
}

/** Catalogue of APIs available to the client. */
export const catalogueFor = (clientId: string): string =>
  `/developer/catalogue?${new URLSearchParams({ client: clientId })}`;

export function listOf(area: Area): { href: string; label: string } {
  return area === 'admin'
    ? { href: '/admin/clients', label: say('Clients') }
    : { href: '/developer', label: say('Applications') };
}

// Registration questions by runtime environment. `background`: a server client without user sign-in; the registry
// stores it as confidential.

export const RUN_KINDS = ['confidential', 'browser', 'native', 'background'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

export const RUN_KIND_WORDS: Readonly<Record<RunKind, ChoiceWords>> = toSay({
  confidential: {
    label: CLIENT_KIND_WORDS.confidential.label,
    note: 'A website with its own server, which can keep a secret.',
  },
  browser: {
    label: CLIENT_KIND_WORDS.browser.label,
    note: 'A single-page application, such as one with React or Vue. It has no secret.',
  },
  native: {
    label: CLIENT_KIND_WORDS.native.label,
    note: 'An application that people install. It has no secret.',
  },
  background: {
    label: 'In the background',
    note: 'A job or service that does not use the sign-in page. It keeps a secret.',
  },
});

const ON_SERVERS = ['confidential', 'background'] as const;
const WITH_PEOPLE = ['confidential', 'browser', 'native'] as const;

/** Kinds that show a field; default: all kinds. */
const ASKED_OF: Readonly<Record<string, readonly RunKind[]>> = {
  redirectUris: WITH_PEOPLE,
  privateUseSchemes: ['confidential'],
  tokenEndpointAuthMethod: ON_SERVERS,
  jwks: ON_SERVERS,
  jwksUri: ON_SERVERS,
  tokenEndpointAsAudience: ON_SERVERS,
  idJagAudiences: ON_SERVERS,
  refreshTokenRotation: ['confidential'],
  requirePushedAuthorizationRequests: WITH_PEOPLE,
  allowedOrigins: ['browser'],
  postLogoutRedirectUris: WITH_PEOPLE,
  backchannelLogoutUri: ['confidential'],
  backchannelLogoutSessionRequired: ['confidential'],
  idTokenSignedResponseAlg: WITH_PEOPLE,
  idTokenClaims: WITH_PEOPLE,
  subjectType: WITH_PEOPLE,
  sectorIdentifierUri: WITH_PEOPLE,
  defaultAcrValues: WITH_PEOPLE,
  requireAuthTime: WITH_PEOPLE,
  tosUri: WITH_PEOPLE,
  policyUri: WITH_PEOPLE,
  logoUri: WITH_PEOPLE,
};
/** Asked for in the three questions. */
const FIRST = ['kind', 'name', 'redirectUris'];
/** Fields after the questions; `Advanced` contains the rest. */
const NEXT = ['allowedOrigins', 'postLogoutRedirectUris'];

const askedOf = (name: string): readonly RunKind[] => ownValue(ASKED_OF, name) ?? RUN_KINDS;

export type Asked = { kinds: readonly RunKind[]; fields: FormField[] };

/** Fields after the three questions, grouping neighbours of equal kinds. */
export function askedLater(fields: readonly FormField[]): { next: Asked[]; advanced: Asked[] } {
  const later = fields.filter(({ name }) => !FIRST.includes(name));
  const groupByKinds = (some: FormField[]) =>
    [...Map.groupBy(some, ({ name }) => askedOf(name).join(' '))].map(([, group]) => ({
      kinds: askedOf(group[0]?.name ?? ''),
      fields: group,
    }));
  return {
    next: groupByKinds(later.filter(({ name }) => NEXT.includes(name))),
    advanced: groupByKinds(later.filter(({ name }) => !NEXT.includes(name))),
  };
}

/** Fields of an existing client: three questions and its kind's fields, then the rest. */
export function askedOfKind<Field extends FormField>(
  fields: readonly Field[],
  kind: string,
): { first: Field[]; advanced: Field[] } {
  const isFirst = ({ name }: Field) =>
    FIRST.includes(name) || (NEXT.includes(name) && isRunKind(kind) && askedOf(name).includes(kind));
  return { first: fields.filter(isFirst), advanced: fields.filter((field) => !isFirst(field)) };
}

const isRunKind = (kind: string): kind is RunKind => (RUN_KINDS as readonly string[]).includes(kind);

/** Input for the selected kind, and its faults. Omits fields of other kinds. */
export function readRegistration(typed: Fields): { input: NewClient; faults: Fault[] } {
  const kind = typed.one('kind');
  const entries = typed.entries
    .filter(([name]) => name !== 'kind' && (!isRunKind(kind) || askedOf(nameOf(name)).includes(kind)))
    .concat([['kind', registeredAs(kind)]]);
  // default: the creating user
  const ownerEmail = typed.text('ownerEmail');
  const input = { ...readForm(newClient, new Fields(entries)), ownerEmail };
  const parseResult = checkedNewClient.safeParse(input, { reportInput: true });
  const found = parseResult.success ? [] : faultsOf(parseResult.error);
  if (!isRunKind(kind))
    return { input, faults: [faultAt('kind', 'client.no_kind'), ...notOf(found, 'kind')] };
  const needsAddress = kind !== 'background' && input.redirectUris.length === 0;
  if (!needsAddress) return { input, faults: found };
  return { input, faults: [...found, faultAt('redirectUris', 'client.no_redirect')] };
}

const nameOf = (field: string) => field.split('.')[0] ?? field;
const notOf = (faults: readonly Fault[], name: string) => faults.filter(({ field }) => field !== name);
const registeredAs = (kind: string): ClientKind | string => (kind === 'background' ? 'confidential' : kind);
