// Sign-in method configuration in form format, user claims, and provider setup steps.
import { CopyField } from '#app/_components/pieces.tsx';
import { ownCallbackUris } from '#lib/auth-methods/callback.ts';
import { type FormField, formFields } from '#lib/registry/definition.ts';
import { PRESET_KEYS, type Preset, presetOf } from '#lib/registry/methods/broker/presets.ts';
import type { TriedPerson } from '#lib/registry/methods/kind.ts';
import type { AuthMethodType } from '#lib/registry/methods/kinds.ts';
import { asksElsewhere, methodKind } from '#lib/registry/methods/questions.ts';
import { TEST } from '../_kit/console-form.ts';
import type { FormValues } from '../_kit/draft.ts';
import { PairsField } from '../_kit/pairs-field.tsx';
import { Fact } from '../_kit/pieces.tsx';
import { type Fields, readForm } from '../_kit/posted.ts';
import { copyWords, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';

// Additional claims of verifier or broker users: rows of Gatehouse claim name and provider name.

const CLAIMS = 'config.claims';
export const CLAIMS_LABEL = toSay('Claim mapping');
const mapIn = (config: Config) =>
  Object.entries(config['claims'] ?? {}).map(([name, member]) => ({ name, description: String(member) }));

/** The same on the method's page. */
export function ClaimFacts({ config }: { config: Config }) {
  const map = mapIn(config).map(({ name, description }) => `${name}: ${description}`);
  return (
    <>
      {map.length > 0 && (
        <Fact name={say('Claims')}>
          <code>{map.join(', ')}</code>
        </Fact>
      )}
      {config['trust_email'] === true && (
        <Fact name={say('Email addresses')}>{say('are treated as verified')}</Fact>
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

/** The map that was typed. */
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

/** Every possible form field of the type. */
export function everyField(type: AuthMethodType): FormField[] {
  const { choice, config } = methodKind(type);
  return [...(choice ? [{ ...IS_CHOICE, ...choice.field }] : []), ...formFields(config)];
}

type Config = Readonly<Record<string, unknown>>;

/** Form fields, except settings defined by a preset. */
export function configFields(type: AuthMethodType, config: Config = {}): FormField[] {
  const preset = presetOf(config);
  if (!preset) return everyField(type).filter(({ name }) => !PRESET_KEYS.includes(name));
  const asked = ['client_id', ...preset.own, 'trust_email'];
  const needs: readonly string[] = preset.needs ?? [];
  return everyField(type)
    .filter(({ name }) => asked.includes(name))
    .map((field) =>
      field.name === 'base_url' && needs.includes(field.name) ? { ...field, ...NO_PUBLIC_SERVER } : field,
    );
}

/** Requires the address of a self-hosted server. */
const NO_PUBLIC_SERVER = { optional: false, hint: toSay('For example https://fs.example.') };

/** Test button, for methods with a remote service. */
export const testFirst = (type: AuthMethodType) =>
  asksElsewhere(type) ? { intent: TEST, label: say('Test without saving') } : undefined;

/** Does its test take a person? */
export const triesPeople = (type: AuthMethodType): boolean => methodKind(type).trial !== undefined;

/** The user whose sign-in a test tries; null: none. */
export function triedPerson(typed: Fields): TriedPerson | null {
  const name = typed.text('tried_name');
  return name === undefined ? null : { name, password: typed.one('password') || null };
}

export const hasClaims = (type: AuthMethodType): boolean => 'claims' in methodKind(type).config.shape;

/** Configuration file keys without empty fields. `before`: stored configuration. */
export function configOf(type: AuthMethodType, typed: Fields, before: Config = {}): Record<string, unknown> {
  const { config: definition, unsaid = {} } = methodKind(type);
  const read: Record<string, unknown> = readForm(definition, typed, 'config.');
  const config = Object.fromEntries(
    Object.entries(read).filter(([key, value]) => value !== '' && value !== null && value !== unsaid[key]),
  );
  const preset = before['preset'] ?? typed.text('config.preset');
  if (preset === undefined) return hasClaims(type) ? { ...config, claims: claimsOfForm(typed) } : config;
  const asked = configFields(type, { preset }).map(({ name }) => name);
  const isAsked = ([key]: [string, unknown]) => asked.includes(key);
  const kept = Object.entries(before).filter((entry) => !isAsked(entry));
  return Object.fromEntries(
    [...kept, ['preset', preset], ...Object.entries(config).filter(isAsked)].map(anyOf),
  );
}

/** Parses "any" typed into list fields. */
const anyOf = ([key, value]: (string | unknown)[]) =>
  Array.isArray(value) && value.length === 1 && value[0] === 'any' ? [key, 'any'] : [key, value];

// Provider setup steps of a preset, and values to register at the provider.

/** `id`: method id, or the proposed id. */
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
