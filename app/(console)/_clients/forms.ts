// The forms about clients: the same at /developer and at /admin. What of them somebody may do, the operations decide.
import {
  addSecret,
  type ClientChange,
  changeClient,
  createClient,
  deleteClient,
  disableClient,
  dropSecret,
  enableClient,
  previewClientChange,
  previewClientDeletion,
} from '#lib/management/index.ts';
import { mustConfirm } from '../_forms/confirm.ts';
import type { Fields } from '../_forms/fields.ts';
import { type ConsoleForm, type Context, done, type Forms, type Outcome } from '../_forms/form.ts';
import { withNotice } from '../_forms/notices.ts';
import { type ClientKind, clientPath, type IdTokenAlg, listOf } from './kinds.ts';

const overview = (fields: Fields, { area }: Context) => clientPath(area, fields.one('clientId'));
const below =
  (part: string) =>
  (fields: Fields, { area }: Context) =>
    clientPath(area, fields.one('clientId'), part);

type Run = ConsoleForm['run'];

const ONCE = 'Keep it somewhere safe now: it is shown this once, and nobody can look it up later.';

function valuesOf(fields: Fields) {
  return {
    name: fields.one('name'),
    kind: fields.one('kind') as ClientKind,
    redirectUris: fields.list('redirectUris'),
    allowedOrigins: fields.list('allowedOrigins'),
    logoUri: fields.given('logoUri') ?? null,
    postLogoutRedirectUris: fields.list('postLogoutRedirectUris'),
    backchannelLogoutUri: fields.given('backchannelLogoutUri') ?? null,
    backchannelLogoutSessionRequired: fields.has('backchannelLogoutSessionRequired'),
    idTokenSignedResponseAlg: fields.given('idTokenSignedResponseAlg') as IdTokenAlg | undefined,
  };
}

const create: Run = async (actor, fields, { area }) => {
  const { clientId, secret } = await createClient(actor, {
    ...valuesOf(fields),
    clientId: fields.given('clientId'),
    ownerEmail: fields.given('ownerEmail'),
  });
  const to = clientPath(area, clientId);
  if (secret === null) return done(to, 'client-created');
  return shownSecret('The application is registered', clientId, secret, withNotice(to, 'client-created'));
};

function shownSecret(heading: string, clientId: string, secret: string, next: string): Outcome {
  const values: [string, string][] = [
    ['Client id', clientId],
    ['Secret', secret],
  ];
  return {
    kind: 'shown',
    shown: { heading, message: ONCE, values, next: { href: next, label: 'I have kept it' } },
  };
}

const change: Run = async (actor, fields, { area }) => {
  const clientId = fields.one('clientId');
  const input: ClientChange = { clientId, ...valuesOf(fields) };
  if (fields.has('ownerEmail')) input.ownerEmail = fields.given('ownerEmail') ?? null;
  if (mustConfirm(await previewClientChange(actor, input), fields)) return { kind: 'confirm' };
  await changeClient(actor, { ...input, version: fields.number('version') });
  return done(clientPath(area, clientId), 'client-changed');
};

export const clientForms: Forms = {
  'client-create': { page: (_fields, { area }) => `/${area}/clients/new`, run: create },
  'client-change': { page: below('edit'), run: change },
  'client-delete': {
    page: below('delete'),
    run: async (actor, fields, { area }) => {
      const clientId = fields.one('clientId');
      if (mustConfirm(await previewClientDeletion(actor, { clientId }), fields)) return { kind: 'confirm' };
      await deleteClient(actor, { clientId, version: fields.number('version') });
      return done(listOf(area).href, 'client-deleted');
    },
  },
  'client-disable': {
    page: overview,
    run: async (actor, fields, context) => {
      await disableClient(actor, { clientId: fields.one('clientId') });
      return done(overview(fields, context), 'client-disabled');
    },
  },
  'client-enable': {
    page: overview,
    run: async (actor, fields, context) => {
      await enableClient(actor, { clientId: fields.one('clientId') });
      return done(overview(fields, context), 'client-enabled');
    },
  },
  'secret-add': {
    page: overview,
    run: async (actor, fields, context) => {
      const clientId = fields.one('clientId');
      const { secret } = await addSecret(actor, { clientId });
      return shownSecret('A new secret', clientId, secret, `${overview(fields, context)}#secrets`);
    },
  },
  'secret-drop': {
    page: overview,
    run: async (actor, fields, context) => {
      await dropSecret(actor, { clientId: fields.one('clientId'), secretId: fields.one('secretId') });
      return done(overview(fields, context), 'secret-dropped');
    },
  },
};
