// The fields of a sign-in method, by its type. Those of `config.` are the configuration file's keys.

import type { AuthMethodView } from '#lib/management/registry/methods.ts';
import { defaultsOf } from '#lib/registry/fields/definition.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { presetOf } from '#lib/registry/methods/broker/presets.ts';
import type { AuthMethodType } from '#lib/registry/methods/kinds.ts';
import { methodKind } from '#lib/registry/methods/questions.ts';
import { authMethod } from '#lib/registry/objects/auth-method.ts';
import { DefinedFields } from '../_objects/defined-fields.tsx';
import { say } from '../_texts/say.tsx';
import { TextField } from '../_ui/fields.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import { ClaimFields } from './claim-fields.tsx';
import { configFields, hasClaims, triesPeople } from './methods.ts';

type MethodFieldsProps = {
  type: AuthMethodType;
  typed: FormValues;
  stored: Pick<AuthMethodView, 'name' | 'config' | 'hasSecret'> & { id?: string };
  isNew: boolean;
};

export function MethodFields({ type, typed, stored, isNew }: MethodFieldsProps) {
  const { choice, config: definition, secret, unsaid } = methodKind(type);
  const [texts, checkboxes] = [false, true].map((checked) =>
    configFields(type, stored.config).filter(({ kind }) => (kind === 'checkbox') === checked),
  );
  const config = {
    ...{ typed, isNew, prefix: 'config.' },
    stored: {
      ...defaultsOf(definition),
      ...unsaid,
      ...stored.config,
      ...(choice && { [choice.field.name]: choice.chosen(stored.config) }),
    },
  };
  return (
    <>
      <DefinedFields fields={formFields(authMethod)} {...{ typed, stored, isNew }} />
      <DefinedFields fields={texts ?? []} {...config} />
      {secret && (
        <TextField
          name="secret"
          label={say(secret.label)}
          type="password"
          autoComplete="off"
          optional={!isNew || secret.within !== undefined || secret.isOptional === true}
          hint={secretHint(typed.kept, stored.hasSecret)}
        />
      )}
      {hasClaims(type) && !presetOf(stored.config) && <ClaimFields typed={typed} config={stored.config} />}
      <DefinedFields fields={checkboxes ?? []} {...config} />
      {triesPeople(type) && <TriedFields name={typed.one('tried_name')} />}
    </>
  );
}

/** Whose sign-in a test tries: nothing of it is saved. */
export function TriedFields({ name }: { name: string }) {
  return (
    <fieldset className="group">
      <legend>{say('For the test alone')}</legend>
      <TextField
        name="tried_name"
        label={say('Name of a person')}
        value={name}
        autoComplete="off"
        optional
        hint={say('The test looks for this person, and tells what it would learn of them.')}
      />
      <TextField
        name="password"
        label={say('Password of the person')}
        type="password"
        autoComplete="off"
        optional
        hint={say('With it, the test tries a whole sign-in. It is not kept.')}
      />
    </fieldset>
  );
}

function secretHint(typedBefore: boolean, stored: boolean): string {
  if (typedBefore) return say('It was not kept on the way: type it again, if you typed one.');
  if (stored) return say('There is one. Leave this empty to keep it; it is never shown.');
  return say('It is stored sealed and never shown.');
}
