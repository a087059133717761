// What a field of an event is called, as the form of its object calls it.
import { type Labels, labelsOf } from '#app/(console)/_forms/labels.ts';
import { SLOT_LABELS, SLOT_PLACES } from '#app/(console)/_objects/texts-part.ts';
import { CLAIMS_LABEL } from '#app/(console)/_registry/claim-fields.tsx';
import { RULES_LABEL } from '#app/(console)/_registry/group-rules.ts';
import { configFields } from '#app/(console)/_registry/methods.ts';
import { TERMS_LABELS } from '#app/(console)/_subscriptions/terms-fields.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { ownValue } from '#lib/kit/own-value.ts';
import { newClient } from '#lib/registry/clients/client.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { METHOD_TYPES } from '#lib/registry/methods/questions.ts';
import { api } from '#lib/registry/objects/api.ts';
import { authMethod } from '#lib/registry/objects/auth-method.ts';
import { group } from '#lib/registry/objects/group.ts';
import { person } from '#lib/registry/objects/person.ts';
import { flatText } from '#lib/registry/texts/own-texts.ts';
import { TEXT_SLOTS } from '#lib/registry/texts/slots.ts';

/** `choices`: the words of its values. `of`: where a text of a page or mail is. */
export type FieldWords = {
  label: string;
  of?: { place: string; language: string };
  choices?: Readonly<Record<string, { label: string }>>;
};

export const sayField = ({ label, of }: FieldWords): string =>
  of === undefined
    ? say(label)
    : say('{place}: {text} ({language})', { place: say(of.place), text: say(label), language: of.language });

const plain = (labels: Readonly<Record<string, string>>): Labels =>
  Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, { label }]));

const OF: Readonly<Record<string, Labels>> = {
  client: {
    ...plain(toSay({ brand: 'Brand', ownerId: 'Owner', secret: 'Secret' })),
    ...labelsOf(formFields(newClient)),
  },
  api: {
    ...plain(toSay({ brand: 'Brand', introspectionSecret: 'Credential' })),
    ...labelsOf(formFields(api)),
  },
  auth_method: {
    ...plain(toSay({ type: 'Type', secret: 'Secret', claims: CLAIMS_LABEL })),
    ...Object.assign({}, ...METHOD_TYPES.map((type) => labelsOf(configFields(type)))),
    ...labelsOf(formFields(authMethod)),
  },
  group: { ...plain({ from: RULES_LABEL }), ...labelsOf(formFields(group)) },
  person: {
    ...plain(toSay({ picture: 'Picture', locale: 'Language', zoneinfo: 'Time zone' })),
    ...plain(toSay({ emailVerified: 'Address is proved' })),
    ...labelsOf(formFields(person)),
  },
  subscription: {
    ...plain(
      toSay({
        trusted: 'Trusted',
        machine: 'Tokens in its own name',
        device: 'Connects devices',
        scopes: 'Scopes',
      }),
    ),
    ...plain(toSay({ requiredClaim: 'Only for people with the claim' })),
    ...TERMS_LABELS,
  },
};

/** Parts of a value that is an object. */
const PARTS: Readonly<Record<string, string>> = toSay({
  logo: 'Logo',
  accent: 'Colour',
  accent_dark: 'Colour on dark pages',
  name: 'Name',
  values: 'Values',
  description: 'Description',
  required_acr: 'Strength of the sign-in',
});

/** A field without words gets those of its name. */
export function wordsOfField(event: string, field: string): FieldWords {
  const [family = ''] = event.split('.');
  const text = flatText(field);
  if (text !== null) {
    const { slot, language } = text;
    return { label: SLOT_LABELS[slot], of: { place: SLOT_PLACES[TEXT_SLOTS[slot].at] ?? '', language } };
  }
  const known = ownValue(ownValue(OF, family) ?? {}, field);
  const { label = spelled(field), choices } = known ?? {};
  // a value of seconds is told as a length of time
  return { label: label.replace(/, (?:milli)?seconds$/, ''), ...(choices && { choices }) };
}

/** An English text to say; null: a name that the operator chose. */
export const wordsOfPart = (part: string): string | null => ownValue(PARTS, part) ?? null;

function spelled(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
