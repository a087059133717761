// The fields of an API, for publishing one and for editing it. Their names are the operation's, so that what is wrong
// finds its field.
import { inWords } from '#app/_components/duration.ts';
import type { ApiRow, MethodView } from '#lib/management/index.ts';
import { Check, Checks, Choice } from '../_ui/choices.tsx';
import { TextArea, TextField } from '../_ui/fields.tsx';
import { ListField } from '../_ui/list-field.tsx';
import { PairsField } from '../_ui/pairs-field.tsx';
import type { Typed } from '../_visit/typed.ts';

export type ApiValues = Omit<
  ApiRow,
  'hasIntrospectionSecret' | 'subscriptions' | 'pending' | 'managed' | 'createdAt' | 'updatedAt' | 'version'
>;

export const NEW_API: ApiValues = {
  id: '',
  name: '',
  description: '',
  url: '',
  authMethods: [],
  scopes: [],
  accessTokenTtlSeconds: 3600,
  accessTokenFormat: 'jwt',
  signingAlg: 'ES256',
  refreshTokenTtlSeconds: 2_592_000,
  refreshFamilyTtlSeconds: 7_776_000,
  requireRedirectUri: true,
  requireScope: false,
  requireApproval: false,
  approvers: [],
};

type ApiFieldsProps = { typed: Typed; stored: ApiValues; methods: MethodView[]; isNew: boolean };

export function ApiFields({ typed, stored, methods, isNew }: ApiFieldsProps) {
  const descriptions = typed.every('scopeDescription');
  const scopes = typed.kept
    ? typed
        .every('scopeName')
        .map((name, at) => ({ name, description: descriptions[at] ?? '' }))
        .filter((pair) => pair.name !== '' || pair.description !== '')
    : stored.scopes;
  const text = (name: 'name' | 'description' | 'url') => ({
    value: typed.one(name, stored[name]),
    meanwhile: typed.meanwhile(name, stored[name]),
  });
  return (
    <>
      {isNew && (
        <TextField
          name="id"
          label="Id"
          code
          hint="In every address of the API, and never changed: small letters, digits and hyphens."
          value={typed.one('id')}
          maxLength={63}
        />
      )}
      <TextField
        name="name"
        label="Name"
        hint="People and developers see it."
        {...text('name')}
        maxLength={200}
      />
      <TextArea name="description" label="Description" optional {...text('description')} maxLength={2000} />
      <TextField
        name="url"
        label="Address"
        type="url"
        hint="Where it is called. Access tokens name it as their audience."
        {...text('url')}
      />
      <Checks
        name="authMethods"
        label="Sign-in methods"
        hint="With each, the API has an issuer of its own."
        options={methods.map(({ id, name, type }) => ({
          value: id,
          label: name,
          note: <code>{`${id}, ${type}`}</code>,
        }))}
        values={typed.list('authMethods', stored.authMethods)}
      />
      <PairsField
        label="Scopes"
        each="scope"
        hint="Its name in requests, and the sentence that people read when they are asked to allow it."
        names={{ name: 'scopeName', description: 'scopeDescription', faults: 'scopes' }}
        placeholders={{ name: 'orders:read', description: 'See your orders' }}
        values={scopes}
        meanwhile={typed.meanwhilePairs('scopeName', 'scopeDescription', stored.scopes)}
      />
      <Lifetimes typed={typed} stored={stored} />
      <Tokens typed={typed} stored={stored} />
      <fieldset className="group">
        <legend>Rules</legend>
        <Check
          name="requireApproval"
          label="Every subscription needs approval"
          note="Trusted ones always do."
          checked={typed.checked('requireApproval', stored.requireApproval)}
        />
        <Check
          name="requireRedirectUri"
          label="Requests must name their redirect address"
          checked={typed.checked('requireRedirectUri', stored.requireRedirectUri)}
        />
        <Check
          name="requireScope"
          label="Requests must name their scopes"
          note="Otherwise a request without a scope asks for all of them."
          checked={typed.checked('requireScope', stored.requireScope)}
        />
      </fieldset>
      <ListField
        name="approvers"
        label="Approvers"
        each="approver"
        hint="E-mail addresses of those who may decide on requests for this API. With none, every approver may. Administrators always may."
        placeholder="lead@example.com"
        values={typed.list('approvers', stored.approvers)}
        meanwhile={typed.meanwhile('approvers', stored.approvers.join('\n'))}
      />
    </>
  );
}

type Part = { typed: Typed; stored: ApiValues };

function Lifetimes({ typed, stored }: Part) {
  const seconds = (name: 'accessTokenTtlSeconds' | 'refreshTokenTtlSeconds' | 'refreshFamilyTtlSeconds') => ({
    name,
    type: 'number',
    min: 1,
    hint: `${stored[name]} is ${inWords(stored[name])}.`,
    value: typed.one(name, String(stored[name])),
    meanwhile: typed.meanwhile(name, String(stored[name])),
  });
  return (
    <div className="columns">
      <TextField label="Access token, seconds" {...seconds('accessTokenTtlSeconds')} />
      <TextField label="Refresh token unused, seconds" {...seconds('refreshTokenTtlSeconds')} />
      <TextField label="Longest sign-in, seconds" {...seconds('refreshFamilyTtlSeconds')} />
    </div>
  );
}

function Tokens({ typed, stored }: Part) {
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
            note: 'The API checks them itself with our published keys.',
          },
          {
            value: 'opaque',
            label: 'Opaque',
            note: 'The API asks us about each, and a revocation counts at once.',
          },
        ]}
      />
      <Choice
        name="signingAlg"
        label="Signed with"
        value={typed.one('signingAlg', stored.signingAlg)}
        options={[
          { value: 'ES256', label: 'ES256', note: 'Short and fast.' },
          { value: 'RS256', label: 'RS256', note: 'For libraries that know nothing else.' },
        ]}
      />
    </>
  );
}
