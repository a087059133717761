// The fields of a sign-in method, by its type. Those of `config.` are the configuration file's keys.
import type { AuthMethodView } from '#lib/management/index.ts';
import { Check } from '../_ui/choices.tsx';
import { TextField } from '../_ui/fields.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import { ClaimFields } from './claim-fields.tsx';

export type MethodType = AuthMethodView['type'];

export const METHOD_TYPES: Record<MethodType, { label: string; note: string }> = {
  local: { label: 'Local', note: 'E-mail and password of this service’s own people.' },
  external: { label: 'External', note: 'We ask another service whether a username and password are right.' },
  broker: { label: 'Broker', note: 'People sign in at an OpenID Connect or OAuth 2.0 provider.' },
};

type Key = {
  key: string;
  label: string;
  hint?: string;
  type?: 'url' | 'number' | 'text';
  optional?: boolean;
};
const KEYS: Record<MethodType, readonly Key[]> = {
  local: [],
  external: [
    {
      key: 'verify_url',
      label: 'Address that checks',
      type: 'url',
      hint: 'It gets the username and password as JSON, with the secret below as a bearer token.',
    },
    { key: 'timeout_ms', label: 'Give up after, milliseconds', type: 'number', optional: true },
  ],
  broker: [
    {
      key: 'issuer',
      label: 'Issuer',
      type: 'url',
      optional: true,
      hint: 'An OpenID Connect provider. Without one, the four addresses below describe a plain OAuth 2.0 provider.',
    },
    {
      key: 'client_id',
      label: 'Our client id there',
      hint: 'The redirect address to register there is on the method’s page.',
    },
    { key: 'scopes', label: 'Scopes we ask for', optional: true, hint: 'With a space between.' },
    { key: 'authorization_endpoint', label: 'Authorization address', type: 'url', optional: true },
    { key: 'token_endpoint', label: 'Token address', type: 'url', optional: true },
    { key: 'userinfo_endpoint', label: 'Userinfo address', type: 'url', optional: true },
    { key: 'subject_claim', label: 'Claim that names the person', optional: true },
    { key: 'timeout_ms', label: 'Give up after, milliseconds', type: 'number', optional: true },
  ],
};
export const keysOf = (type: MethodType): readonly Key[] => KEYS[type];

type MethodFieldsProps = {
  type: MethodType;
  typed: FormValues;
  stored: Pick<AuthMethodView, 'name' | 'config' | 'hasSecret'>;
  isNew: boolean;
};

export function MethodFields({ type, typed, stored, isNew }: MethodFieldsProps) {
  const text = (key: string) => {
    const value = stored.config[key];
    return Array.isArray(value) ? value.join(' ') : String(value ?? '');
  };
  return (
    <>
      {isNew && (
        <TextField
          name="id"
          label="Id"
          code
          hint="In every address of the method, and never changed: small letters, digits and hyphens."
          value={typed.one('id')}
          maxLength={63}
        />
      )}
      <TextField
        name="name"
        label="Name"
        hint="People see it when they choose how to sign in."
        value={typed.one('name', stored.name)}
        meanwhile={typed.meanwhile('name', stored.name)}
        maxLength={200}
      />
      {keysOf(type).map(({ key, ...field }) => (
        <TextField
          key={key}
          name={`config.${key}`}
          {...field}
          code={field.type === undefined}
          value={typed.one(`config.${key}`, text(key))}
          meanwhile={typed.meanwhile(`config.${key}`, text(key))}
        />
      ))}
      {type !== 'local' && (
        <>
          <TextField
            name="secret"
            label={type === 'external' ? 'Token we send' : 'Our client secret there'}
            type="password"
            autoComplete="off"
            optional={!isNew}
            hint={secretHint(typed.kept, stored.hasSecret)}
          />
          <ClaimFields typed={typed} config={stored.config} />
          <fieldset className="group">
            <legend>Network</legend>
            <Check
              name="config.allow_private_network"
              label="It may be called at a private address, and over http"
              note="Only for a service in your own network. Otherwise such addresses are refused."
              checked={typed.checked(
                'config.allow_private_network',
                stored.config['allow_private_network'] === true,
              )}
            />
          </fieldset>
        </>
      )}
      {type === 'broker' && !isNew && (
        <fieldset className="group">
          <legend>Where people come back to</legend>
          <Check
            name="config.shared_callback"
            label="People still come back to /auth/callback/broker"
            note="The address that all brokers may use. Register the method’s own address there before you take this away."
            checked={typed.checked('config.shared_callback', stored.config['shared_callback'] === true)}
          />
        </fieldset>
      )}
    </>
  );
}

function secretHint(typedBefore: boolean, stored: boolean): string {
  if (typedBefore) return 'It was not kept on the way: type it again, if you typed one.';
  if (stored) return 'There is one. Leave this empty to keep it; it is never shown.';
  return 'It is stored sealed and never shown.';
}
