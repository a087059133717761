// The three questions about a new application, what matters where it runs, and the rest. A style sheet hides what is
// not asked where it runs (`data-kinds`), so it needs no script.

import { mayDo } from '#lib/management/core/policy.ts';
import { newClient } from '#lib/registry/clients/client.ts';
import { defaultsOf } from '#lib/registry/fields/definition.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { DefinedFields } from '../_objects/defined-fields.tsx';
import { Say, say } from '../_texts/say.tsx';
import { Choice } from '../_ui/choices.tsx';
import { TextField } from '../_ui/fields.tsx';
import { ListField } from '../_ui/list-field.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { Visit } from '../_visit/visit.tsx';
import { Advanced } from './advanced.tsx';
import { ADMINISTRATORS_ONLY, CHECKS } from './client-fields.tsx';
import { KindPicture } from './kind-pictures.tsx';
import { type Asked, askedLater, RUN_KIND_WORDS, RUN_KINDS } from './run-kinds.ts';

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

/** A client that a person makes here may use any library: some read the ID token alone. */
const STORED = { ...defaultsOf(newClient), idTokenClaims: true };

export function RegisterFields({ actor, typed, faults }: RegisterFieldsProps) {
  const mayName = mayDo(actor, 'clients.manage-all');
  const fields = formFields(newClient).filter(({ name }) => mayName || !ADMINISTRATORS_ONLY.includes(name));
  const name = fields.find((field) => field.name === 'name');
  const { next, advanced } = askedLater(fields);
  const later = (asked: Asked[]) =>
    asked.map(({ kinds, fields: some }) => (
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
        label={say('Where does it run?')}
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
      {say('Where people come back to after signing in, letter by letter.')}{' '}
      <span data-kinds="confidential browser">
        <Say
          text="It begins with https, or with http on localhost while you develop, such as {address}."
          values={{ address: <code>http://localhost:5173/callback</code> }}
        />
      </span>
      <span data-kinds="native">
        <Say
          text="An address of your own, such as {own}, an https address that opens your application, or {loopback} on a desktop, which matches on any port."
          values={{
            own: <code>com.example.app:/callback</code>,
            loopback: <code>http://127.0.0.1/callback</code>,
          }}
        />
      </span>
    </>
  );
}
