// The fields of an API, for publishing one and for editing it.
import type { AuthMethodView } from '#lib/management/registry/methods.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { api } from '#lib/registry/objects/api.ts';
import { DefinedFields } from '../_objects/defined-fields.tsx';
import type { FormValues } from '../_visit/form-values.ts';

type ApiFieldsProps = {
  typed: FormValues;
  stored: Readonly<Record<string, unknown>>;
  methods: AuthMethodView[];
  groups: readonly { id: string; name: string }[];
  isNew: boolean;
};

/** Of more groups than these some are typed, and the browser offers them. */
const MOST_CHECKS = 20;

export function ApiFields({ typed, stored, methods, groups: all, isNew }: ApiFieldsProps) {
  const authMethods = methods.map(({ id, name, type }) => ({
    value: id,
    label: plainText(name),
    note: <code>{`${id}, ${type}`}</code>,
  }));
  const groups = all.map(({ id, name }) => ({
    value: id,
    label: <bdi>{name}</bdi>,
    note: <code>{id}</code>,
  }));
  const isShort = groups.length <= MOST_CHECKS;
  return (
    <DefinedFields
      fields={formFields(api)}
      {...{ typed, stored, isNew }}
      options={isShort ? { authMethods, groups } : { authMethods }}
      suggestions={isShort ? undefined : { groups: all.map(({ id }) => id) }}
    />
  );
}
