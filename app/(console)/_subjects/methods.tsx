// The configuration of a sign-in method as its form has it, the claims of its people, and what to do at a provider.
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

// What people of a verifier or broker have beside a name and an address: rows of our name of a claim and theirs.

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
        <Fact name={say('E-mail addresses')}>{say('are treated as verified')}</Fact>
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

/** Every field that a form of the type may have. */
export function everyField(type: AuthMethodType): FormField[] {
  const { choice, config } = methodKind(type);
  return [...(choice ? [{ ...IS_CHOICE, ...choice.field }] : []), ...formFields(config)];
}

type Config = Readonly<Record<string, unknown>>;

/** What a form asks for: a preset knows the rest. */
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

/** The address of a server of your own is needed then. */
const NO_PUBLIC_SERVER = { optional: false, hint: toSay('For example https://fs.example.') };

/** The second button of its form, where there is a service behind it. */
export const testFirst = (type: AuthMethodType) =>
  asksElsewhere(type) ? { intent: TEST, label: say('Test without saving') } : undefined;

/** Does its test take a person? */
export const triesPeople = (type: AuthMethodType): boolean => methodKind(type).trial !== undefined;

/** Whose sign-in a test tries; null: no one's. */
export function triedPerson(typed: Fields): TriedPerson | null {
  const name = typed.given('tried_name');
  return name === undefined ? null : { name, password: typed.one('password') || null };
}

export const hasClaims = (type: AuthMethodType): boolean => 'claims' in methodKind(type).config.shape;

/** The configuration file's keys, without what was left empty. `before`: what is stored. */
export function configOf(type: AuthMethodType, typed: Fields, before: Config = {}): Record<string, unknown> {
  const { config: definition, unsaid = {} } = methodKind(type);
  const read: Record<string, unknown> = readForm(definition, typed, 'config.');
  const config = Object.fromEntries(
    Object.entries(read).filter(([key, value]) => value !== '' && value !== null && value !== unsaid[key]),
  );
  const preset = before['preset'] ?? typed.given('config.preset');
  if (preset === undefined) return hasClaims(type) ? { ...config, claims: claimsOfForm(typed) } : config;
  const asked = configFields(type, { preset }).map(({ name }) => name);
  const isAsked = ([key]: [string, unknown]) => asked.includes(key);
  const kept = Object.entries(before).filter((entry) => !isAsked(entry));
  return Object.fromEntries(
    [...kept, ['preset', preset], ...Object.entries(config).filter(isAsked)].map(anyOf),
  );
}

/** The word for every one of them is typed where a list is. */
const anyOf = ([key, value]: (string | unknown)[]) =>
  Array.isArray(value) && value.length === 1 && value[0] === 'any' ? [key, 'any'] : [key, value];

// The steps at a provider with a preset, and the values to register at the provider.

/** `id`: of the method, or the one that is proposed. */
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
