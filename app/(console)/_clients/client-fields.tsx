// The fields of a client, for registering one and for editing it.
import { Check, Choice } from '../_ui/choices.tsx';
import { TextField } from '../_ui/fields.tsx';
import { ListField } from '../_ui/list-field.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import { type ClientKind, type IdTokenAlg, kindOptions } from './kinds.ts';

type Values = {
  name: string;
  kind: ClientKind | undefined;
  redirectUris: readonly string[];
  allowedOrigins: readonly string[];
  logoUri: string | null;
  postLogoutRedirectUris: readonly string[];
  backchannelLogoutUri: string | null;
  backchannelLogoutSessionRequired: boolean;
  idTokenSignedResponseAlg: IdTokenAlg;
};

const ALGS: { value: IdTokenAlg; label: string; note: string }[] = [
  { value: 'RS256', label: 'RS256', note: 'Every library can check it.' },
  { value: 'ES256', label: 'ES256', note: 'Smaller and faster.' },
];

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
      <ListField
        name="postLogoutRedirectUris"
        label="Sign-out redirect addresses"
        each="sign-out redirect address"
        hint="Where people may come back to after signing out here. The same rules as for redirect addresses."
        placeholder="https://shop.example/signed-out"
        values={typed.list('postLogoutRedirectUris', stored.postLogoutRedirectUris)}
        meanwhile={typed.meanwhile('postLogoutRedirectUris', stored.postLogoutRedirectUris.join('\n'))}
        check={{ href: '/developer/check', along: 'kind' }}
      />
      <TextField
        name="backchannelLogoutUri"
        label="Back-channel sign-out address"
        type="url"
        optional
        hint="Your server is told here when somebody has signed out, https."
        value={typed.one('backchannelLogoutUri', stored.backchannelLogoutUri ?? '')}
        meanwhile={typed.meanwhile('backchannelLogoutUri', stored.backchannelLogoutUri ?? '')}
      />
      <Check
        name="backchannelLogoutSessionRequired"
        label="The back-channel sign-out must name the session"
        checked={typed.checked('backchannelLogoutSessionRequired', stored.backchannelLogoutSessionRequired)}
      />
      <Choice
        name="idTokenSignedResponseAlg"
        label="ID tokens signed with"
        options={ALGS}
        value={typed.one('idTokenSignedResponseAlg', stored.idTokenSignedResponseAlg)}
      />
    </>
  );
}
