// The fields of a sign-in method, by its type. Those of `config.` are the configuration file's keys.

import type { AuthMethodView } from '#lib/management/index.ts';
import {
  type AuthMethodType,
  authMethod,
  defaultsOf,
  formFields,
  methodKind,
  presetOf,
} from '#lib/registry/index.ts';
import { DefinedFields } from '../_objects/defined-fields.tsx';
import { say } from '../_texts/say.tsx';
import { TextField } from '../_ui/fields.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import { ClaimFields } from './claim-fields.tsx';
import { configFields, hasClaims } from './methods.ts';

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
          optional={!isNew}
          hint={secretHint(typed.kept, stored.hasSecret)}
        />
      )}
      {hasClaims(type) && !presetOf(stored.config) && <ClaimFields typed={typed} config={stored.config} />}
      <DefinedFields fields={checkboxes ?? []} {...config} />
    </>
  );
}

function secretHint(typedBefore: boolean, stored: boolean): string {
  if (typedBefore) return say('It was not kept on the way: type it again, if you typed one.');
  if (stored) return say('There is one. Leave this empty to keep it; it is never shown.');
  return say('It is stored sealed and never shown.');
}
