// Kinds of application: their labels, the addresses of their pages, and the registration questions by runtime
// environment.

import {
  CLIENT_KIND_WORDS,
  type ClientKind,
  type ClientRow,
  checkedNewClient,
  type NewClient,
  newClient,
} from '#lib/catalogue/clients/definition.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { faultAt } from '#lib/management/refused.ts';
import { type ChoiceWords, type Fault, type FormField, faultsOf } from '#lib/registry/definition.ts';
import { type Area, path } from '../_kit/console-form.ts';
import { Fields, readForm } from '../_kit/posted.ts';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

/** Each kind in one word, next to the name of a client. */
export const SHORT_KINDS: Readonly<Record<ClientKind, string>> = toSay({
  confidential: 'server',
  browser: 'browser',
  native: 'native',
});

/** A background client authenticates as itself, and redirects no user to the sign-in page. */
export const isBackground = ({ kind, redirectUris }: Pick<ClientRow, 'kind' | 'redirectUris'>): boolean =>
  kind === 'confidential' && redirectUris.length === 0;

/** Address of a client's page in an area, or of a page below it. */
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

// Registration questions by runtime environment. `background`: a client on a server without user sign-in, which the
// registry stores as confidential.

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
    note: 'A job or service that gets tokens without the sign-in page. It keeps a secret.',
  },
});

const ON_SERVERS = ['confidential', 'background'] as const;
const WITH_PEOPLE = ['confidential', 'browser', 'native'] as const;

/**
 * For each field, the kinds of clients whose form shows it. Fields that are not listed are shown for all
 * kinds.
 */
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
/** Fields of the three questions. */
const FIRST = ['kind', 'name', 'redirectUris'];
/** Fields after the three questions. All other fields are below `Advanced`. */
const NEXT = ['allowedOrigins', 'postLogoutRedirectUris'];

const askedOf = (name: string): readonly RunKind[] => ownValue(ASKED_OF, name) ?? RUN_KINDS;

export type Asked = { kinds: readonly RunKind[]; fields: FormField[] };

/** Returns the fields after the three questions. Adjacent fields for the same kinds form a group. */
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

/**
 * Returns the fields of an existing client: the three questions and the fields of its kind, then all other fields.
 */
export function askedOfKind<Field extends FormField>(
  fields: readonly Field[],
  kind: string,
): { first: Field[]; advanced: Field[] } {
  const isFirst = ({ name }: Field) =>
    FIRST.includes(name) || (NEXT.includes(name) && isRunKind(kind) && askedOf(name).includes(kind));
  return { first: fields.filter(isFirst), advanced: fields.filter((field) => !isFirst(field)) };
}

const isRunKind = (kind: string): kind is RunKind => (RUN_KINDS as readonly string[]).includes(kind);

/** Reads the input for the selected kind, and its faults. Fields of other kinds are ignored. */
export function readRegistration(typed: Fields): { input: NewClient; faults: Fault[] } {
  const kind = typed.one('kind');
  const entries = typed.entries
    .filter(([name]) => name !== 'kind' && (!isRunKind(kind) || askedOf(nameOf(name)).includes(kind)))
    .concat([['kind', registeredAs(kind)]]);
  // optional field: by default the user who creates the client is its owner
  const ownerEmail = typed.text('ownerEmail');
  const input = { ...readForm(newClient, new Fields(entries)), ownerEmail };
  const parseResult = checkedNewClient.safeParse(input, { reportInput: true });
  const faults = parseResult.success ? [] : faultsOf(parseResult.error);
  if (!isRunKind(kind))
    return { input, faults: [faultAt('kind', 'client.no_kind'), ...notOf(faults, 'kind')] };
  const needsAddress = kind !== 'background' && input.redirectUris.length === 0;
  if (!needsAddress) return { input, faults: faults };
  return { input, faults: [...faults, faultAt('redirectUris', 'client.no_redirect')] };
}

const nameOf = (field: string) => field.split('.')[0] ?? field;
const notOf = (faults: readonly Fault[], name: string) => faults.filter(({ field }) => field !== name);
const registeredAs = (kind: string): ClientKind | string => (kind === 'background' ? 'confidential' : kind);
