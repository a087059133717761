// The fields of a client, for registering one and for editing it. Some are for administrators only.
import { mayDo } from '#lib/management/index.ts';
import { formFields, newClient } from '#lib/registry/index.ts';
import { DefinedFields } from '../_objects/defined-fields.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { Visit } from '../_visit/visit.tsx';

type ClientFieldsProps = {
  actor: Visit['actor'];
  typed: FormValues;
  stored: Readonly<Record<string, unknown>>;
  isNew: boolean;
};

export const CHECKS = {
  redirectUris: { href: '/developer/check', along: 'kind' },
  allowedOrigins: { href: '/developer/check', along: 'origin' },
  postLogoutRedirectUris: { href: '/developer/check', along: 'kind' },
};

export const ADMINISTRATORS_ONLY = ['ownerEmail', 'idJagAudiences'];

export function ClientFields({ actor, ...props }: ClientFieldsProps) {
  const mayName = mayDo(actor, 'clients.manage-all');
  const fields = formFields(newClient).filter(({ name }) => mayName || !ADMINISTRATORS_ONLY.includes(name));
  return <DefinedFields fields={fields} checks={CHECKS} {...props} />;
}
