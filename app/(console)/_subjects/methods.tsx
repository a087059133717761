// Configuration of a sign-in method as form fields, claims about users, and setup steps at the provider.
import { CopyField } from '#app/_components/pieces.tsx';
import { ownCallbackUris } from '#lib/auth-methods/callback.ts';
import { PRESET_KEYS, type Preset, presetOf } from '#lib/catalogue/methods/broker/presets.ts';
import type { TriedPerson } from '#lib/catalogue/methods/kind.ts';
import type { AuthMethodType } from '#lib/catalogue/methods/kinds.ts';
import { asksElsewhere, methodKind } from '#lib/catalogue/methods/questions.ts';
import { type FormField, formFields } from '#lib/registry/definition.ts';
import { TEST } from '../_kit/console-form.ts';
import type { FormValues } from '../_kit/draft.ts';
import { PairsField } from '../_kit/pairs-field.tsx';
import { Fact } from '../_kit/pieces.tsx';
import { type Fields, readForm } from '../_kit/posted.ts';
import { copyWords, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

// Additional claims for users of a verifier or broker: rows with the name at Gatehouse and the name at the provider.

const CLAIMS = 'config.claims';
export const CLAIMS_LABEL = toSay('Claim mapping');
const mapIn = (config: Config) =>
  Object.entries(config['claims'] ?? {}).map(([name, member]) => ({ name, description: String(member) }));

/** Shows the additional claims on the page of the method. */
export function ClaimFacts({ config }: { config: Config }) {
  const map = mapIn(config).map(({ name, description }) => `${name}: ${description}`);
  return (
    <>
      {map.length > 0 && (
        <Fact name={say('Claims')}>
          <code>{map.join(', ')}</code>
        </Fact>
      )}
    </>
  );
}

type ClaimFieldsProps = { typed: FormValues; config: Config };

export function ClaimFields({ typed, config }: ClaimFieldsProps) {
  const stored = mapIn(config);
  return (
    <PairsField
      name={CLAIMS}
      label={say(CLAIMS_LABEL)}
      hint={say('The claim name in Gatehouse, and the name at the source.')}
      each={say('claim')}
      placeholders={{ name: 'groups', description: 'memberOf' }}
      values={typed.pairs(CLAIMS, stored)}
      meanwhile={typed.meanwhilePairs(CLAIMS, stored)}
    />
  );
}

/** Converts the claims that were typed to an object. */
export const claimsOfForm = (typed: Fields): Record<string, string> =>
  Object.fromEntries(typed.pairs(CLAIMS).map(({ name, description }) => [name, description]));

const IS_CHOICE = {
  kind: 'choice',
  optional: false,
  isNullable: false,
  maxLength: null,
  least: null,
  isText: false,
} as const;

/** Every field that a form of this type can have. */
export function everyField(type: AuthMethodType): FormField[] {
  const { choice, config } = methodKind(type);
  return [...(choice ? [{ ...IS_CHOICE, ...choice.field }] : []), ...formFields(config)];
}

type Config = Readonly<Record<string, unknown>>;

/** The form's fields without the settings that a preset defines. */
export function configFields(type: AuthMethodType, config: Config = {}): FormField[] {
  const preset = presetOf(config);
  if (!preset) return everyField(type).filter(({ name }) => !PRESET_KEYS.includes(name));
  const fieldNames = ['client_id', ...preset.own, 'trust_email'];
  const needs: readonly string[] = preset.needs ?? [];
  return everyField(type)
    .filter(({ name }) => fieldNames.includes(name))
    .map((field) =>
      field.name === 'base_url' && needs.includes(field.name) ? { ...field, ...NO_PUBLIC_SERVER } : field,
    );
}

/** The address is required, because the provider has no public server. */
const NO_PUBLIC_SERVER = { optional: false, hint: toSay('For example https://fs.example.') };

/** True if the form has a test button, because methods of this type call a remote service. */
export const testFirst = (type: AuthMethodType) =>
  asksElsewhere(type) ? { intent: TEST, label: say('Test without saving') } : undefined;

/** True if the connection test can also test the sign-in of a user. */
export const triesPeople = (type: AuthMethodType): boolean => methodKind(type).trial !== undefined;

/** The user whose sign-in the test tries; null: no user. */
export function triedPerson(typed: Fields): TriedPerson | null {
  const name = typed.text('tried_name');
  return name === undefined ? null : { name, password: typed.one('password') || null };
}

export const hasClaims = (type: AuthMethodType): boolean => 'claims' in methodKind(type).config.shape;

/**
 * Converts the input to the keys of the configuration file, without empty fields. `before`: the stored configuration.
 */
export function configOf(type: AuthMethodType, typed: Fields, before: Config = {}): Record<string, unknown> {
  const { config: definition, unsaid = {} } = methodKind(type);
  const read: Record<string, unknown> = readForm(definition, typed, 'config.');
  const config = Object.fromEntries(
    Object.entries(read).filter(([key, value]) => value !== '' && value !== null && value !== unsaid[key]),
  );
  const preset = before['preset'] ?? typed.text('config.preset');
  if (preset === undefined) return hasClaims(type) ? { ...config, claims: claimsOfForm(typed) } : config;
  const fieldNames = configFields(type, { preset }).map(({ name }) => name);
  const isAsked = ([key]: [string, unknown]) => fieldNames.includes(key);
  const oldEntries = Object.entries(before).filter((entry) => !isAsked(entry));
  return Object.fromEntries(
    [...oldEntries, ['preset', preset], ...Object.entries(config).filter(isAsked)].map(anyOf),
  );
}

/** Converts a list whose only line is "any" to the value `any`. */
const anyOf = ([key, value]: (string | unknown)[]) =>
  Array.isArray(value) && value.length === 1 && value[0] === 'any' ? [key, 'any'] : [key, value];

// Setup steps at the provider of a preset, and the values to register there.

/** Shows the setup steps. `id`: id of the method, or the proposed id of a new method. */
export function PresetSteps({ preset, id }: { preset: Preset; id: string }) {
  return (
    <>
      {ownCallbackUris(id).map((address) => (
        <CopyField
          key={address}
          label={say('redirect address')}
          value={address}
          said={copyWords(say('redirect address'))}
        />
      ))}
      <ol>
        <li>
          <a href={preset.registration} rel="noreferrer" target="_blank">
            {preset.registration}
          </a>
        </li>
        {preset.steps.map((step) => (
          <li key={step}>{say(step)}</li>
        ))}
      </ol>
    </>
  );
}
