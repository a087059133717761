// The fields of a client that is there. Some are for administrators only.
import { mayDo } from '#lib/management/core/policy.ts';
import { newClient } from '#lib/registry/clients/client.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { DefinedFields } from '../_objects/defined-fields.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { Visit } from '../_visit/visit.tsx';
import { Advanced } from './advanced.tsx';
import { askedOfKind } from './run-kinds.ts';

export const CHECKS = {
  redirectUris: { href: '/developer/check', along: 'kind privateUseSchemes' },
  allowedOrigins: { href: '/developer/check', along: 'origin' },
  postLogoutRedirectUris: { href: '/developer/check', along: 'kind privateUseSchemes' },
};

export const ADMINISTRATORS_ONLY = ['ownerEmail', 'idJagAudiences'];

type ClientFieldsProps = {
  actor: Visit['actor'];
  typed: FormValues;
  stored: Readonly<Record<string, unknown>>;
  faults: Readonly<Record<string, string>>;
};

/** What matters for its kind comes first, as where it is registered; nothing is left out of the form. */
export function ClientFields({ actor, typed, stored, faults }: ClientFieldsProps) {
  const mayName = mayDo(actor, 'clients.manage-all');
  const fields = formFields(newClient).filter(
    ({ name, only }) => only !== 'new' && (mayName || !ADMINISTRATORS_ONLY.includes(name)),
  );
  const { first, advanced } = askedOfKind(fields, typed.one('kind', String(stored['kind'])));
  const shown = (some: typeof fields) => (
    <DefinedFields fields={some} checks={CHECKS} typed={typed} stored={stored} />
  );
  return (
    <>
      {shown(first)}
      <Advanced names={advanced.map(({ name }) => name)} {...{ typed, stored, faults }}>
        {shown(advanced)}
      </Advanced>
    </>
  );
}
