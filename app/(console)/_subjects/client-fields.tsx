// Fields of a client: on the page that registers a client, and on the page that edits it.
import type { ReactNode } from 'react';
import { newClient } from '#lib/catalogue/clients/definition.ts';
import { type ClientDetail, previewClientChange } from '#lib/catalogue/clients/operations.ts';
import { enter } from '#lib/management/operations.ts';
import { mayDo } from '#lib/management/policy.ts';
import { defaultsOf, formFields } from '#lib/registry/definition.ts';
import { Choice } from '../_kit/choices.tsx';
import type { Area } from '../_kit/console-form.ts';
import type { FormValues } from '../_kit/draft.ts';
import { TextField } from '../_kit/fields.tsx';
import { Form } from '../_kit/form.tsx';
import { ListField } from '../_kit/list-field.tsx';
import { Title } from '../_kit/pieces.tsx';
import { consolePage, type Visit } from '../_kit/visit.tsx';
import { Say, say } from '../_texts/say.tsx';
import { clientChangeOf } from './client-forms.tsx';
import {
  type Asked,
  askedLater,
  askedOfKind,
  clientPath,
  listOf,
  RUN_KIND_WORDS,
  RUN_KINDS,
  type RunKind,
} from './client-kinds.ts';
import { DefinedFields } from './object-fields.tsx';
import { renderEdit } from './object-forms.tsx';
import type { ObjectVisit } from './object-page.tsx';

// Fields that are rarely needed. They are collapsed, unless the form was rejected and one of them contains input.

type Props = {
  /** names of the fields in the group */
  names: readonly string[];
  typed: FormValues;
  /** values of the fields without a draft */
  stored: Readonly<Record<string, unknown>>;
  faults: Readonly<Record<string, string>>;
  children: ReactNode;
};

function Advanced({ names, typed, stored, faults, children }: Props) {
  const isWrong = Object.keys(faults).some((field) => names.includes(field.split('.')[0] ?? field));
  const isTyped = names.some((name) => {
    const values = typed.typed.all(name).filter((value) => value !== '');
    return values.length > 0 && values.join() !== textOf(stored[name]);
  });
  return (
    <details className="advanced" open={isWrong || isTyped}>
      <summary>{say('Advanced')}</summary>
      <div className="form">{children}</div>
    </details>
  );
}

/** Converts a stored value to the text that the form sends for it. */
const textOf = (value: unknown): string => (value === true ? 'on' : String(value ?? ''));

const CHECKS = {
  redirectUris: { href: '/developer/check', along: 'kind privateUseSchemes' },
  allowedOrigins: { href: '/developer/check', along: 'origin' },
  postLogoutRedirectUris: { href: '/developer/check', along: 'kind privateUseSchemes' },
};

const ADMINISTRATORS_ONLY = ['ownerEmail', 'idJagAudiences'];

type ClientFieldsProps = {
  actor: Visit['actor'];
  typed: FormValues;
  stored: Readonly<Record<string, unknown>>;
  faults: Readonly<Record<string, string>>;
};

/**
 * Fields that matter for the client's kind come first, as in the registration form. The form contains every field.
 */
function ClientFields({ actor, typed, stored, faults }: ClientFieldsProps) {
  const mayName = mayDo(actor, 'clients.manage-all');
  const fields = formFields(newClient).filter(
    ({ name, only }) => only !== 'new' && (mayName || !ADMINISTRATORS_ONLY.includes(name)),
  );
  const { first, advanced } = askedOfKind(fields, typed.one('kind', String(stored['kind'])));
  const renderFields = (some: typeof fields) => (
    <DefinedFields fields={some} checks={CHECKS} typed={typed} stored={stored} />
  );
  return (
    <>
      {renderFields(first)}
      <Advanced names={advanced.map(({ name }) => name)} {...{ typed, stored, faults }}>
        {renderFields(advanced)}
      </Advanced>
    </>
  );
}

// Maps each runtime environment to the picture next to its label.

const LINES: Record<RunKind, ReactNode> = {
  confidential: (
    <>
      <rect x="8" y="5" width="32" height="11" rx="2.5" />
      <rect x="8" y="19.5" width="32" height="11" rx="2.5" />
      <path d="M14 10.5h.01M19 10.5h.01M14 25h.01M19 25h.01M28 10.5h6M28 25h6M24 30.5V37M15 37h18" />
    </>
  ),
  browser: (
    <>
      <rect x="5" y="6" width="38" height="30" rx="3" />
      <path d="M5 14.5h38M10 10.3h.01M14.5 10.3h.01M19 10.3h.01M18 21l-5 4.5 5 4.5M30 21l5 4.5-5 4.5M26 20l-4 11" />
    </>
  ),
  native: (
    <>
      <rect x="6" y="8" width="26" height="18" rx="2.5" />
      <path d="M14 33h8M19 26v7" />
      <rect x="28" y="14" width="14" height="24" rx="3" className="over" />
      <path d="M33.5 33.5h3" />
    </>
  ),
  background: (
    <>
      <path d="M38 21a14 14 0 1 1-4.6-10.4" />
      <path d="M34 4.5v6.5h-6.5" />
      <path d="M24 13.5V21l5 3.5" />
    </>
  ),
};

function KindPicture({ of }: { of: RunKind }) {
  return (
    <svg
      className="kind-picture"
      viewBox="0 0 48 42"
      width="48"
      height="42"
      aria-hidden="true"
      focusable="false"
    >
      {LINES[of]}
    </svg>
  );
}

// Three questions about a new application, then the fields that matter for it, then the rest. CSS hides the fields of
// other environments (`data-kinds`), without JavaScript.

type RegisterFieldsProps = {
  actor: Visit['actor'];
  typed: FormValues;
  faults: Readonly<Record<string, string>>;
};

const PLACEHOLDERS = {
  confidential: 'https://shop.example/callback',
  browser: 'https://shop.example/callback',
  native: 'com.example.app:/callback',
};

/**
 * Defaults of a new client in the console. Its ID token contains claims, because some libraries read only the
 * ID token.
 */
const STORED = { ...defaultsOf(newClient), idTokenClaims: true };

function RegisterFields({ actor, typed, faults }: RegisterFieldsProps) {
  const mayName = mayDo(actor, 'clients.manage-all');
  const fields = formFields(newClient).filter(({ name }) => mayName || !ADMINISTRATORS_ONLY.includes(name));
  const name = fields.find((field) => field.name === 'name');
  const { next, advanced } = askedLater(fields);
  const later = (fieldGroups: Asked[]) =>
    fieldGroups.map(({ kinds, fields: some }) => (
      <div
        key={some[0]?.name}
        className="form"
        data-kinds={kinds.length < RUN_KINDS.length ? kinds.join(' ') : undefined}
      >
        <DefinedFields fields={some} checks={CHECKS} typed={typed} stored={STORED} isNew />
      </div>
    ));
  return (
    <>
      <Choice
        name="kind"
        label={say('Where does the application run?')}
        pictured
        options={RUN_KINDS.map((value) => ({
          value,
          label: say(RUN_KIND_WORDS[value].label),
          note: say(RUN_KIND_WORDS[value].note),
          picture: <KindPicture of={value} />,
        }))}
        value={typed.one('kind')}
      />
      <TextField
        name="name"
        label={say('Name')}
        hint={name?.hint && say(name.hint)}
        value={typed.one('name')}
        autoComplete="off"
        {...(name?.maxLength ? { maxLength: name.maxLength } : {})}
      />
      <div data-kinds="confidential browser native">
        <ListField
          name="redirectUris"
          label={say('Redirect address')}
          each={say('redirect address')}
          hint={<RedirectHint />}
          values={typed.list('redirectUris')}
          placeholder={PLACEHOLDERS.confidential}
          placeholders={{ along: 'kind', by: PLACEHOLDERS }}
          check={CHECKS.redirectUris}
        />
      </div>
      {later(next)}
      <Advanced
        names={advanced.flatMap(({ fields: some }) => some.map((field) => field.name))}
        typed={typed}
        stored={STORED}
        faults={faults}
      >
        {later(advanced)}
      </Advanced>
    </>
  );
}

function RedirectHint() {
  return (
    <>
      {say('Where people return to after signing in. The address must match exactly.')}{' '}
      <span data-kinds="confidential browser">
        <Say
          text="The address must start with https, or with http on localhost during development, such as {address}."
          values={{ address: <code>http://localhost:5173/callback</code> }}
        />
      </span>
      <span data-kinds="native">
        <Say
          text="A custom address such as {own}, or an https address that opens your application. On a desktop, use {loopback}, which matches any port."
          values={{
            own: <code>com.example.app:/callback</code>,
            loopback: <code>http://127.0.0.1/callback</code>,
          }}
        />
      </span>
    </>
  );
}

export const newClientPage = (area: Area) =>
  consolePage(
    { path: `/${area}/clients/new`, here: () => listOf(area).href },
    async ({ actor, form, typed }) => {
      await enter(actor, { action: area === 'admin' ? 'clients.manage-all' : 'clients.create' });
      const start = await form('client-create');
      const list = listOf(area);
      return (
        <Form
          {...start}
          className="form panel register"
          above={
            <Title
              back={list}
              lead={say('Three questions. You can change everything later, except the client id.')}
            >
              {area === 'admin' ? say('Register a client') : say('Register an application')}
            </Title>
          }
          submit={say('Register')}
          leave={{ href: list.href, label: say('Cancel') }}
        >
          <RegisterFields actor={actor} typed={typed('client-create')} faults={start.faults} />
        </Form>
      );
    },
  );

/** The form with the settings of a client. */
export const renderClientEdit = (client: ClientDetail, visit: ObjectVisit): Promise<ReactNode> => {
  const { actor, area } = visit;
  const { clientId, version } = client;
  return renderEdit(visit, 'client-change', {
    fields: { clientId, version },
    leave: clientPath(area, clientId),
    preview: ({ typed }) => previewClientChange(actor, clientChangeOf(typed, client)),
    children: (typed, { faults }) => <ClientFields stored={client} {...{ actor, typed, faults }} />,
  });
};
