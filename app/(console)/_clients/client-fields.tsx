// The fields of a client, for registering one and for editing it.
import { Choice } from '../_ui/choices.tsx';
import { TextField } from '../_ui/fields.tsx';
import { ListField } from '../_ui/list-field.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import { type ClientKind, kindOptions } from './kinds.ts';

type Values = {
  name: string;
  kind: ClientKind | undefined;
  redirectUris: readonly string[];
  allowedOrigins: readonly string[];
  logoUri: string | null;
};

export function ClientFields({ typed, stored }: { typed: FormValues; stored: Values }) {
  return (
    <>
      <TextField
        name="name"
        label="Name"
        hint="People see it when they are asked to allow access."
        value={typed.one('name', stored.name)}
        meanwhile={typed.meanwhile('name', stored.name)}
        maxLength={200}
      />
      <Choice
        name="kind"
        label="Where does it run?"
        options={kindOptions}
        value={typed.one('kind', stored.kind) || undefined}
      />
      <ListField
        name="redirectUris"
        label="Redirect addresses"
        each="redirect address"
        hint="Where people come back to after signing in. Each is compared letter by letter: https, or http on localhost while you develop; an application on a phone may use its own scheme, such as com.example.app:/callback."
        placeholder="https://shop.example/callback"
        values={typed.list('redirectUris', stored.redirectUris)}
        meanwhile={typed.meanwhile('redirectUris', stored.redirectUris.join('\n'))}
        check={{ href: '/developer/check', along: 'kind' }}
      />
      <ListField
        name="allowedOrigins"
        label="Allowed origins"
        each="origin"
        hint="Only for an application in the browser whose pages stand elsewhere than its redirect addresses. Left empty, the origins of those are allowed."
        placeholder="https://shop.example"
        values={typed.list('allowedOrigins', stored.allowedOrigins)}
        meanwhile={typed.meanwhile('allowedOrigins', stored.allowedOrigins.join('\n'))}
        check={{ href: '/developer/check', along: 'origin' }}
      />
      <TextField
        name="logoUri"
        label="Logo"
        type="url"
        optional
        hint="The address of a square picture, https."
        value={typed.one('logoUri', stored.logoUri ?? '')}
        meanwhile={typed.meanwhile('logoUri', stored.logoUri ?? '')}
      />
    </>
  );
}
