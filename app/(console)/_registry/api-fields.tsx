// The fields of an API, for publishing one and for editing it: made of its definition, so that what is wrong finds its
// field and a new setting has one.
import { inWords } from '#app/_components/duration.ts';
import type { AuthMethodView } from '#lib/management/index.ts';
import { type ApiValues, api, defaultsOf, formFields } from '#lib/registry/index.ts';
import { Check, Checks, Choice, type Option } from '../_ui/choices.tsx';
import { TextArea, TextField } from '../_ui/fields.tsx';
import { ListField } from '../_ui/list-field.tsx';
import { PairsField } from '../_ui/pairs-field.tsx';
import type { FormValues } from '../_visit/form-values.ts';

export const NEW_API: ApiValues = { ...(defaultsOf(api) as ApiValues), id: '', name: '', url: '' };

const FIELDS = formFields(api);
type Field = (typeof FIELDS)[number];
const of = (kind: Field['kind']) => FIELDS.filter((field) => field.kind === kind);

type ApiFieldsProps = { typed: FormValues; stored: ApiValues; methods: AuthMethodView[]; isNew: boolean };

export function ApiFields({ typed, stored, methods, isNew }: ApiFieldsProps) {
  const descriptions = typed.every('scopeDescription');
  const scopes = typed.kept
    ? typed
        .every('scopeName')
        .map((name, at) => ({ name, description: descriptions[at] ?? '' }))
        .filter((pair) => pair.name !== '' || pair.description !== '')
    : stored.scopes;
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
      {of('text').map((field) => (
        <Text key={field.name} {...{ field, typed, stored }} />
      ))}
      <Checks
        name="authMethods"
        {...wordsOf('authMethods')}
        options={methods.map(({ id, name, type }) => ({
          value: id,
          label: name,
          note: <code>{`${id}, ${type}`}</code>,
        }))}
        values={typed.list('authMethods', stored.authMethods)}
      />
      <PairsField
        {...wordsOf('scopes')}
        each="scope"
        names={{ name: 'scopeName', description: 'scopeDescription', faults: 'scopes' }}
        placeholders={{ name: 'orders:read', description: 'See your orders' }}
        values={scopes}
        meanwhile={typed.meanwhilePairs('scopeName', 'scopeDescription', stored.scopes)}
      />
      <div className="columns">
        {of('number').map((field) => (
          <Seconds key={field.name} {...{ field, typed, stored }} />
        ))}
      </div>
      {of('choice').map(({ name, label }) => (
        <Choice
          key={name}
          {...{ name, label }}
          value={typed.one(name, String(stored[name]))}
          options={OPTIONS[name] ?? []}
        />
      ))}
      <fieldset className="group">
        <legend>Rules</legend>
        {of('checkbox').map(({ name, label, note }) => (
          <Check key={name} {...{ name, label, note }} checked={typed.checked(name, stored[name] === true)} />
        ))}
      </fieldset>
      <ListField
        name="tokenClaims"
        {...wordsOf('tokenClaims')}
        each="claim"
        values={typed.list('tokenClaims', stored.tokenClaims)}
        meanwhile={typed.meanwhile('tokenClaims', stored.tokenClaims.join('\n'))}
      />
      <ListField
        name="approvers"
        {...wordsOf('approvers')}
        each="approver"
        values={typed.list('approvers', stored.approvers)}
        meanwhile={typed.meanwhile('approvers', stored.approvers.join('\n'))}
      />
    </>
  );
}

function wordsOf(of: Field['name']) {
  const { label = of, hint, placeholder = '' } = FIELDS.find(({ name }) => name === of) ?? {};
  return { label, hint, placeholder };
}

type Part = { field: Field; typed: FormValues; stored: ApiValues };

function Text({ field: { name, label, hint, optional, as }, typed, stored }: Part) {
  const value = String(stored[name] ?? '');
  const entry = {
    name,
    label,
    hint,
    optional,
    value: typed.one(name, value),
    meanwhile: typed.meanwhile(name, value),
  };
  if (as === 'lines') return <TextArea {...entry} maxLength={2000} />;
  return as === 'url' ? <TextField {...entry} type="url" /> : <TextField {...entry} maxLength={200} />;
}

function Seconds({ field: { name, label }, typed, stored }: Part) {
  const value = Number(stored[name]);
  return (
    <TextField
      {...{ name, label }}
      type="number"
      min={1}
      hint={`${value} is ${inWords(value)}.`}
      value={typed.one(name, String(value))}
      meanwhile={typed.meanwhile(name, String(value))}
    />
  );
}

const OPTIONS: Partial<Record<Field['name'], readonly Option[]>> = {
  accessTokenFormat: [
    { value: 'jwt', label: 'Signed (JWT)', note: 'The API checks them itself with our published keys.' },
    {
      value: 'opaque',
      label: 'Opaque',
      note: 'The API asks us about each, and a revocation counts at once.',
    },
  ],
  signingAlg: [
    { value: 'ES256', label: 'ES256', note: 'Short and fast.' },
    { value: 'RS256', label: 'RS256', note: 'For libraries that know nothing else.' },
  ],
};
