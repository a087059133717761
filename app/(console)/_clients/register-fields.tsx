// The three questions about a new application, what matters where it runs, and the rest. A style sheet hides what is
// not asked where it runs (`data-kinds`), so it needs no script.

import { mayDo } from '#lib/management/index.ts';
import { defaultsOf, formFields, newClient } from '#lib/registry/index.ts';
import { DefinedFields } from '../_objects/defined-fields.tsx';
import { Say, say } from '../_texts/say.tsx';
import { Choice } from '../_ui/choices.tsx';
import { TextField } from '../_ui/fields.tsx';
import { ListField } from '../_ui/list-field.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { Visit } from '../_visit/visit.tsx';
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

const STORED = defaultsOf(newClient);

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
      <details className="advanced" open={isOpen(advanced, typed, faults)}>
        <summary>{say('Advanced')}</summary>
        <div className="form">{later(advanced)}</div>
      </details>
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
          values={{ address: <code>http://localhost:3000/callback</code> }}
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

/** Closed, but where the form came back with something in it. */
function isOpen(advanced: Asked[], typed: FormValues, faults: RegisterFieldsProps['faults']): boolean {
  const names = advanced.flatMap(({ fields }) => fields.map(({ name }) => name));
  const isWrong = Object.keys(faults).some((field) => names.includes(field.split('.')[0] ?? field));
  const isTyped = names.some((name) => {
    const given = typed.typed.all(name).filter((value) => value !== '');
    return given.length > 0 && given.join() !== String(STORED[name] ?? '');
  });
  return isWrong || isTyped;
}
