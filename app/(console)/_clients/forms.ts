// The forms about clients: the same at /developer and at /admin. The operations decide what a person may do.
import {
  addSecret,
  changeClient,
  createClient,
  enableClient,
  previewClientChange,
  readClient,
} from '#lib/management/index.ts';
import { type ClientRow, formFields, newClient } from '#lib/registry/index.ts';
import { BRAND_LABELS, brandPartOf } from '../_forms/brand-part.ts';
import { confirmedForm } from '../_forms/confirm.ts';
import type { Fields } from '../_forms/fields.ts';
import { backWith, type Context, done, type Forms, shownOnce } from '../_forms/form.ts';
import { labelsOf } from '../_forms/labels.ts';
import { withNotice } from '../_forms/notices.ts';
import { formsOf } from '../_forms/questions.ts';
import { readForm } from '../_forms/read-form.ts';
import { clientPath } from '../_objects/client-kinds.ts';

const idOf = (fields: Fields) => ({ clientId: fields.one('clientId') });
const pageOf =
  (...below: string[]) =>
  (fields: Fields, { area }: Context) =>
    clientPath(area, fields.one('clientId'), ...below);
const overview = pageOf();

const shownSecret = (heading: string, clientId: string, secret: string, next: string) =>
  shownOnce(
    heading,
    [
      ['Client id', clientId],
      ['Secret', secret],
    ],
    { message: ', and nobody can look it up later.', next },
  );

/** The form does not ask how a public client authenticates, so `none` stays `none`. */
export function clientChangeOf(
  fields: Fields,
  { clientId, tokenEndpointAuthMethod: stored }: Pick<ClientRow, 'clientId' | 'tokenEndpointAuthMethod'>,
) {
  const typed = readForm(newClient, fields);
  const keeps = stored === 'none' && typed.kind !== 'confidential';
  return { ...typed, ...(keeps && { tokenEndpointAuthMethod: stored }), clientId };
}

const labels = labelsOf(formFields(newClient));

export const clientForms: Forms = {
  'client-create': {
    labels,
    page: (_fields, { area }) => `/${area}/clients/new`,
    run: async (actor, fields, { area }) => {
      // left empty: the person who creates it
      const ownerEmail = fields.given('ownerEmail');
      const input = { ...readForm(newClient, fields), ownerEmail };
      const { clientId, secret } = await createClient(actor, input);
      const to = clientPath(area, clientId);
      if (secret === null) return done(to, 'client-created');
      return shownSecret('The application is registered', clientId, secret, withNotice(to, 'client-created'));
    },
  },
  'client-change': confirmedForm({
    page: pageOf('edit'),
    labels,
    read: async (fields, actor) => clientChangeOf(fields, await readClient(actor, idOf(fields))),
    preview: previewClientChange,
    run: changeClient,
    to: overview,
    notice: 'client-changed',
  }),
  'client-brand': {
    takesFile: true,
    page: overview,
    labels: BRAND_LABELS,
    run: async (actor, fields, context) => {
      await changeClient(actor, {
        ...idOf(fields),
        version: fields.number('version'),
        brandPart: brandPartOf(fields),
      });
      return done(overview(fields, context), 'brand-saved');
    },
  },
  ...formsOf('client-delete', 'client-revoke', 'client-disable', 'secret-drop'),
  'client-enable': backWith(overview, 'client-enabled', (actor, fields) => enableClient(actor, idOf(fields))),
  'secret-add': {
    page: overview,
    run: async (actor, fields, context) => {
      const { secret } = await addSecret(actor, idOf(fields));
      const next = `${overview(fields, context)}#secrets`;
      return shownSecret('A new secret', idOf(fields).clientId, secret, next);
    },
  },
};
