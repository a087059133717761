// The fields of an API, for creating one and for editing it.
import { Fields } from '#app/(console)/_forms/fields.ts';
import { Check, Checks, Choice } from '#app/(console)/_ui/choices.tsx';
import { TextArea, TextField } from '#app/(console)/_ui/fields.tsx';
import { ListField } from '#app/(console)/_ui/list-field.tsx';
import type { Typed } from '#app/(console)/_visit/typed.ts';
import type { ApiRow, MethodView } from '#lib/management/index.ts';
import { scopesOf } from './forms.ts';
import { ScopesField } from './scopes-field.tsx';

export type Stored = Omit<
  ApiRow,
  | 'id'
  | 'hasIntrospectionSecret'
  | 'subscriptions'
  | 'pending'
  | 'managed'
  | 'createdAt'
  | 'updatedAt'
  | 'version'
>;
type Props = { typed: Typed; stored: Stored };

const METHOD_TYPES: Record<MethodView['type'], string> = {
  local: 'E-mail and password, kept here',
  external: 'Another service checks the password',
  broker: 'People are sent to another provider',
};

export function ApiFields({ typed, stored, methods }: Props & { methods: MethodView[] }) {
  const { entries } = typed.draft ?? { entries: [] };
  const scopes = entries.length > 0 ? scopesOf(new Fields(entries)) : stored.scopes;
  const changed = typed.meanwhile('scopeName', stored.scopes.map(({ name }) => name).join('\n'));
  const text = (name: 'name' | 'description' | 'url') => ({
    name,
    value: typed.one(name, stored[name]),
    meanwhile: typed.meanwhile(name, stored[name]),
  });
  return (
    <>
      <TextField {...text('name')} label="Name" maxLength={200} />
      <TextArea
        {...text('description')}
        label="Description"
        hint="One sentence, for developers who look for an API."
        maxLength={2000}
        optional
        rows={2}
      />
      <TextField
        {...text('url')}
        label="Address"
        type="url"
        hint="Where the API stands. It is the audience of its access tokens, and no two APIs share one."
      />
      <Checks
        name="authMethods"
        label="Who may sign in"
        hint="Each method chosen makes an issuer of its own. Without one, nobody can sign in to this API."
        values={typed.list('authMethods', stored.authMethods)}
        options={methods.map(({ id, name, type }) => ({
          value: id,
          label: name,
          note: METHOD_TYPES[type],
        }))}
      />
      <ScopesField values={scopes} meanwhile={changed} />
      <TokenFields typed={typed} stored={stored} />
      <RuleFields typed={typed} stored={stored} />
    </>
  );
}

function TokenFields({ typed, stored }: Props) {
  const number = (
    name: 'accessTokenTtlSeconds' | 'refreshTokenTtlSeconds' | 'refreshFamilyTtlSeconds',
    label: string,
    hint: string,
  ) => (
    <TextField
      {...{ name, label, hint }}
      type="number"
      min={1}
      value={typed.one(name, String(stored[name]))}
      meanwhile={typed.meanwhile(name, String(stored[name]))}
    />
  );
  return (
    <>
      <Choice
        name="accessTokenFormat"
        label="Access tokens"
        value={typed.one('accessTokenFormat', stored.accessTokenFormat)}
        options={[
          {
            value: 'jwt',
            label: 'Signed (JWT)',
            note: 'The API checks them by itself, with our public keys.',
          },
          { value: 'opaque', label: 'Opaque', note: 'The API asks us about each. Revoking works at once.' },
        ]}
      />
      <Choice
        name="signingAlg"
        label="Signed with"
        value={typed.one('signingAlg', stored.signingAlg)}
        options={[
          { value: 'ES256', label: 'ES256', note: 'Short and quick. Every current library knows it.' },
          { value: 'RS256', label: 'RS256', note: 'For an API whose library knows nothing else.' },
        ]}
      />
      {number('accessTokenTtlSeconds', 'An access token lives', 'In seconds. 3600 is an hour.')}
      {number(
        'refreshTokenTtlSeconds',
        'A sign-in lapses when unused for',
        'In seconds. 2592000 is 30 days. Each use of the refresh token starts it anew.',
      )}
      {number(
        'refreshFamilyTtlSeconds',
        'A sign-in lasts at the most',
        'In seconds. 7776000 is 90 days. People sign in again after that.',
      )}
    </>
  );
}

function RuleFields({ typed, stored }: Props) {
  const check = (
    name: 'requireApproval' | 'requireRedirectUri' | 'requireScope',
    label: string,
    note: string,
  ) => <Check {...{ name, label, note }} checked={typed.checked(name, stored[name])} />;
  return (
    <>
      <fieldset className="group">
        <legend>Rules</legend>
        <div className="cards">
          {check(
            'requireApproval',
            'Every subscription waits for approval',
            'Trusted ones always do, whatever is chosen here.',
          )}
          {check(
            'requireRedirectUri',
            'Requests must name their redirect address',
            'Without it, a client with a single address may leave it out.',
          )}
          {check(
            'requireScope',
            'Requests must name their scopes',
            'Without it, a request that names none asks for all of them.',
          )}
        </div>
      </fieldset>
      <ListField
        name="approvers"
        label="Approvers"
        each="approver"
        hint="Their e-mail addresses. Left empty, every approver may decide. Administrators always may."
        placeholder="lead@example.com"
        values={typed.list('approvers', stored.approvers)}
        meanwhile={typed.meanwhile('approvers', stored.approvers.join('\n'))}
      />
    </>
  );
}
