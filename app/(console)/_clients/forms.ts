// The forms about clients: the same at /developer and at /admin. The operations decide what a person may do.
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { enter } from '#lib/management/core/operation.ts';
import { faulty } from '#lib/management/core/refused.ts';
import { changeClient, previewClientChange } from '#lib/management/registry/client-change.ts';
import { addSecret } from '#lib/management/registry/client-secrets.ts';
import { createClient, enableClient, readClient } from '#lib/management/registry/clients.ts';
import { type ClientRow, newClient } from '#lib/registry/clients/client.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { BRAND_LABELS, brandPartOf, LOOK } from '../_forms/brand-part.ts';
import { confirmedForm } from '../_forms/confirm.ts';
import type { Fields } from '../_forms/fields.ts';
import { backWith, type Context, done, type Forms, shownOnce } from '../_forms/form.ts';
import { labelsOf } from '../_forms/labels.ts';
import { withNotice } from '../_forms/notices.ts';
import { formsOf } from '../_forms/questions.ts';
import { readForm } from '../_forms/read-form.ts';
import { catalogueFor, clientPath } from '../_objects/client-kinds.ts';
import { withoutPlayground } from './redirect-addresses.tsx';
import { readRegistration } from './run-kinds.ts';

const idOf = (fields: Fields) => ({ clientId: fields.one('clientId') });
const pageOf =
  (...below: string[]) =>
  (fields: Fields, { area }: Context) =>
    clientPath(area, fields.one('clientId'), ...below);
const overview = pageOf();

type Secret = Omit<Parameters<typeof shownOnce>[2], 'message' | 'file'> & {
  heading: EnglishSentence;
  clientId: string;
  secret: string;
};

const shownSecret = ({ heading, clientId, secret, ...more }: Secret) =>
  shownOnce(
    heading,
    [
      [english('Client id'), clientId],
      [english('Secret'), secret],
    ],
    {
      ...more,
      message: english(
        'Keep the secret somewhere safe now: it is shown this once, and no one can look it up later.',
      ),
      file: { name: `${clientId}.env`, text: `CLIENT_ID=${clientId}\nCLIENT_SECRET=${secret}\n` },
    },
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
      // the right first: what is wrong with the form is not for others
      await enter(actor, { action: 'clients.create' });
      const { input, faults } = readRegistration(fields);
      if (faults.length > 0) throw faulty(faults);
      const { clientId, secret } = await createClient(actor, input);
      const to = clientPath(area, clientId);
      if (secret === null) return done(to, 'client-created');
      return shownSecret({
        heading: english('The application is registered'),
        clientId,
        secret,
        next: withNotice(to, 'client-created'),
        // the catalogue is a developer's
        ...(area === 'developer' && {
          first: { href: catalogueFor(clientId), label: english('Choose an API') },
        }),
        isPage: true,
      });
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
  'playground-remove': confirmedForm({
    page: overview,
    read: async (fields, actor) => {
      const { clientId, redirectUris } = await readClient(actor, idOf(fields));
      return { clientId, redirectUris: withoutPlayground(redirectUris) };
    },
    preview: previewClientChange,
    run: changeClient,
    to: overview,
    notice: 'redirect-removed',
  }),
  'client-brand': {
    takesFile: true,
    page: overview,
    labels: BRAND_LABELS,
    run: async (actor, fields, context) => {
      if (fields.has('preview')) return LOOK;
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
      return shownSecret({ heading: english('A new secret'), ...idOf(fields), secret, next });
    },
  },
};
