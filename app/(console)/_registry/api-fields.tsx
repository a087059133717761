// The fields of an API, for publishing one and for editing it.
import type { AuthMethodView } from '#lib/management/index.ts';
import { api, formFields, plainText } from '#lib/registry/index.ts';
import { DefinedFields } from '../_objects/defined-fields.tsx';
import type { FormValues } from '../_visit/form-values.ts';

type ApiFieldsProps = {
  typed: FormValues;
  stored: Readonly<Record<string, unknown>>;
  methods: AuthMethodView[];
  isNew: boolean;
};

export function ApiFields({ typed, stored, methods, isNew }: ApiFieldsProps) {
  const authMethods = methods.map(({ id, name, type }) => ({
    value: id,
    label: plainText(name),
    note: <code>{`${id}, ${type}`}</code>,
  }));
  return <DefinedFields fields={formFields(api)} {...{ typed, stored, isNew }} options={{ authMethods }} />;
}
