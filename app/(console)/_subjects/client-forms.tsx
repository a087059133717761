// Forms of a client, shared by /developer and /admin. The operations check permissions.

import { type ClientRow, newClient } from '#lib/catalogue/clients/definition.ts';
import {
  addSecret,
  type ClientDetail,
  changeClient,
  createClient,
  enableClient,
  previewClientChange,
  readClient,
} from '#lib/catalogue/clients/operations.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { enter } from '#lib/management/operations.ts';
import { faulty } from '#lib/management/refused.ts';
import { formFields } from '#lib/registry/definition.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  type Area,
  backWith,
  type Context,
  confirmedForm,
  type Forms,
  pathOfEnding,
  redirectAfter,
  shownOnce,
} from '../_kit/console-form.ts';
import { Form, Submit } from '../_kit/form.tsx';
import { labelsOf } from '../_kit/in-words.ts';
import { withNotice } from '../_kit/notices.ts';
import { Callout } from '../_kit/pieces.tsx';
import { type Fields, readForm } from '../_kit/posted.ts';
import { formsOf } from '../_kit/questions.ts';
import type { Visit } from '../_kit/visit.tsx';
import { withQuery } from '../_kit/with-query.ts';
import { say } from '../_texts/say.tsx';
import { BRAND_LABELS, brandPartOf, LOOK, languageIn, TEXTS_LABELS, textsTyped } from './brand-form.ts';
import { catalogueFor, clientPath, readRegistration } from './client-kinds.ts';
import { Consequences } from './object-forms.tsx';

// Redirect addresses for users. An empty list causes a warning, and the address of the playground can be removed.

export const playgroundAddress = () => `${settings().baseUrl}/developer/playground`;

const withoutPlayground = (uris: readonly string[]): string[] =>
  uris.filter((uri) => uri !== playgroundAddress());

type RedirectAddressesProps = Pick<Visit, 'actor' | 'form' | 'typed'> & { area: Area; client: ClientDetail };

export function RedirectAddresses({ area, client, ...visit }: RedirectAddressesProps) {
  const { clientId, redirectUris, kind, origin } = client;
  if (redirectUris.length === 0)
    return (
      <Callout>
        <p>
          {say('None. The application cannot send people to the sign-in page.')}{' '}
          {kind === 'confidential' &&
            `${say('Applications that act in their own name need no redirect address.')} `}
          {origin !== 'document' && (
            <a href={clientPath(area, clientId, 'edit')}>{say('Add redirect address')}</a>
          )}
        </p>
      </Callout>
    );
  return (
    <ul>
      {redirectUris.map((uri) => (
        <li key={uri}>
          <code>{uri}</code>
          {uri === playgroundAddress() && <OfPlayground client={client} {...visit} />}
        </li>
      ))}
    </ul>
  );
}

async function OfPlayground({ client, actor, form, typed }: Omit<RedirectAddressesProps, 'area'>) {
  const { clientId, version, origin } = client;
  const values = typed('playground-remove');
  const redirectUris = withoutPlayground(client.redirectUris);
  return (
    <>
      <p className="soft">
        {say('The console’s playground returns to this address. Your application does not need it.')}
      </p>
      {origin !== 'document' && (
        <Form {...(await form('playground-remove'))} fields={{ clientId, version }} className="inline">
          {values.confirming && (
            <Consequences
              of={await previewClientChange(actor, { clientId, redirectUris })}
              heading={say('Removing this address has consequences')}
              agreed={values.one('confirmed')}
            />
          )}
          <Submit tone="plain" of={say('the playground’s address')}>
            {values.confirming ? say('Remove anyway') : say('Remove')}
          </Submit>
        </Form>
      )}
    </>
  );
}

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
        'Store the secret safely now: it is shown only once, and no one can look it up later.',
      ),
      file: { name: `${clientId}.env`, text: `CLIENT_ID=${clientId}\nCLIENT_SECRET=${secret}\n` },
    },
  );

/** The form has no field for the authentication method of a public client, so `none` stays `none`. */
export function clientChangeOf(
  fields: Fields,
  { clientId, tokenEndpointAuthMethod: stored }: Pick<ClientRow, 'clientId' | 'tokenEndpointAuthMethod'>,
) {
  const form = readForm(newClient, fields);
  const keeps = stored === 'none' && form.kind !== 'confidential';
  return { ...form, ...(keeps && { tokenEndpointAuthMethod: stored }), clientId };
}

const labels = labelsOf(formFields(newClient));

export const clientForms: Forms = {
  'client-create': {
    labels,
    page: (_fields, { area }) => `/${area}/clients/new`,
    run: async (actor, fields, { area }) => {
      // checks permission first, so that unauthorized users learn no faults of the form
      await enter(actor, { action: 'clients.create' });
      const { input, faults } = readRegistration(fields);
      if (faults.length > 0) throw faulty(faults);
      const { clientId, secret } = await createClient(actor, input);
      const to = clientPath(area, clientId);
      if (secret === null) return redirectAfter(to, 'client-created');
      return shownSecret({
        heading: english('The application is registered'),
        clientId,
        secret,
        next: withNotice(to, 'client-created'),
        // only developers have a catalogue
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
    page: pageOf('brand'),
    labels: BRAND_LABELS,
    run: async (actor, fields, context) => {
      if (fields.has('preview')) return LOOK;
      await changeClient(actor, {
        ...idOf(fields),
        version: fields.number('version'),
        brandPart: brandPartOf(fields),
      });
      return redirectAfter(pageOf('brand')(fields, context), 'brand-saved');
    },
  },
  ...formsOf('client-delete', 'client-revoke', 'client-disable', 'secret-drop'),
  'client-enable': backWith(
    (fields, { area }) => pathOfEnding(area, fields.one('clientId')),
    'client-enabled',
    (actor, fields) => enableClient(actor, idOf(fields)),
  ),
  'secret-add': {
    page: overview,
    run: async (actor, fields, context) => {
      const { secret } = await addSecret(actor, idOf(fields));
      const next = `${overview(fields, context)}#secrets`;
      return shownSecret({ heading: english('A new secret'), ...idOf(fields), secret, next });
    },
  },
};

// The form for a client's texts, for administrators.

const textsPage = (fields: Fields) =>
  withQuery(clientPath('admin', idOf(fields).clientId, 'texts'), { in: languageIn(fields) });

export const clientTextsForm: Forms = {
  'client-texts': {
    page: textsPage,
    labels: TEXTS_LABELS,
    run: async (actor, fields) => {
      await enter(actor, { action: 'clients.manage-all' });
      if (fields.has('preview')) return LOOK;
      const { texts } = await readClient(actor, idOf(fields));
      const version = fields.number('version');
      await changeClient(actor, { ...idOf(fields), version, texts: textsTyped(fields, texts) });
      return redirectAfter(textsPage(fields), 'texts-saved');
    },
  },
};
