// Rejections and faults of fields in the language of the page, with the labels of the page.
import { asSentence, type EnglishSentence, isTooMany, type Message, tooMany } from '#lib/language/message.ts';
import { isMessage } from '#lib/language/words.ts';
import { type Refused, textOfRefusal } from '#lib/management/refused.ts';
import type { Fault, FormField } from '#lib/registry/definition.ts';
import type { PageWords } from '../_texts/page-words.ts';
import type { Problem } from './notices.ts';

// Rewrites faults with the labels of the page. Operations return `token_endpoint_auth_method must be …`, with the
// name of the configuration file and the wire format, but users of a form know only its labels.

type Label = Pick<FormField, 'label' | 'each' | 'choices'>;
/** Keyed by the field name in the fault: `redirectUris`, `config.verify_url`. */
export type Labels = Readonly<Record<string, Label>>;

export const labelsOf = (fields: readonly FormField[], prefix = ''): Labels =>
  Object.fromEntries(fields.map((field) => [`${prefix}${field.name}`, field]));

type Sentence = Pick<Fault, 'field' | 'message'>;

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Removes the prefix `config.`, which messages omit. */
const short = (field: string) => field.replace(/^config\./, '');

/** The message as a part of a sentence, without the value of the field. */
export function inLabels({ field, message }: Fault, labels: Labels): string {
  const key = Object.keys(labels).find((name) => field === name || field.startsWith(`${name}.`));
  const label = key === undefined ? undefined : labels[key];
  const place = field.slice((key ?? '').length + 1);
  const about = nameIn({ field, message }) === undefined ? '' : `${subjectOf(label, place)} `;
  return about + replaceLabels(withoutName({ field, message }), label, labels);
}

/** The message without field name and field value. */
function withoutName({ field, message }: Sentence): string {
  const named = nameIn({ field, message });
  const rest = named === undefined ? message : message.slice(named.length + 1);
  return rest.replace(/^(?:redirect URI|origin) \S+: /, '');
}

/** The field name at the start of the message. */
function nameIn({ field, message }: Sentence): string | undefined {
  const [first = '', ...below] = short(field).split('.');
  const names = [short(field), [snake(first), ...below].join('.')];
  return names.find((name) => message.startsWith(`${name} `));
}

/**
 * Subject of the sentence about a fault. `place`: position of the fault inside the value; empty: the fault concerns
 * the entire value.
 */
function subjectOf(label: Label | undefined, place: string): string {
  if (label === undefined) return 'this';
  if (place === '') return quote(label.label);
  return label.each !== undefined && /^\d+$/.test(place) ? `${label.each} ${Number(place) + 1}` : 'this';
}

const quote = (label: string) => `“${label}”`;

/**
 * Replaces names and values of other fields in a message with the labels of the page. Field names that are also
 * ordinary words are replaced only after `beside` or a similar word.
 */
function replaceLabels(message: string, fieldLabel: Label | undefined, labels: Labels): string {
  const words = new Map<string, string>();
  for (const [name, { label, choices = {} }] of Object.entries(labels)) {
    for (const spelled of [short(name), snake(short(name)), snake(short(name)).replace(/\.[^.]*$/, '')])
      words.set(spelled, quote(label));
    for (const [value, { label: chosen }] of Object.entries(choices))
      if (value.includes('_')) words.set(value, quote(chosen));
  }
  for (const [value, { label }] of Object.entries(fieldLabel?.choices ?? {}))
    if (value !== '') words.set(value, quote(label));
  const isOwn = (word: string) =>
    fieldLabel?.choices !== undefined && Object.hasOwn(fieldLabel.choices, word);
  const named = message.replace(/(?<![\w.:/-])[a-z][\w.-]*\w(?![\w-])/gi, (word, at: number) => {
    const isName =
      word.includes('_') ||
      isOwn(word) ||
      /\b(?:beside|with|needs|requires|takes) $/.test(message.slice(0, at));
    return (isName && words.get(word)) || word;
  });
  return describeCheckboxes(named);
}

/** The configuration file requires `true`; in the form, the same rule requires a ticked checkbox. */
const describeCheckboxes = (message: string): string =>
  message
    .replace(/(“[^”]*” is(?: not)?) true\b/g, '$1 ticked')
    .replace(/(“[^”]*” is) false\b/g, '$1 not ticked');

/** The reason for the rejection, in the language of the page. */
export function refusedInWords(words: PageWords | null, refused: Refused): string {
  const { code, values, retryAfterSeconds } = refused;
  if (words && retryAfterSeconds !== null && isTooMany(code))
    return words.sentence(tooMany(code, retryAfterSeconds));
  if (words && isMessage(refused)) return words.sentence(refused);
  if (words === null || words.language === 'en') return asSentence(refused.message);
  const fault = quotedFault(refused);
  return fault ? faultInWords(words, fault, {}) : words.say(textOfRefusal(code), values);
}

/** The fault whose English message the message of the refusal quotes. */
const quotedFault = ({ code, faults }: Refused) => (code === 'input.faulty' ? faults[0] : undefined);

/** Text of the refusal, or of its quoted fault. */
export function whyOf(refused: Refused): Problem['why'] {
  const fault = quotedFault(refused);
  if (fault?.text !== undefined) return sentenceOf(fault);
  if (isMessage(refused)) return { code: refused.code, values: refused.values } as Message;
  return { text: textOfRefusal(refused.code), values: refused.values };
}

/** The fault as a sentence that pages can translate. */
export function sentenceOf({ text, message, values = {} }: Fault): EnglishSentence {
  if (text === undefined) return { text: message };
  const plain = Object.entries(values).map(([name, value]) => [name, [value].flat().join(', ')]);
  return { text, values: Object.fromEntries(plain) };
}

/** The reason for the failure, as a sentence that follows its subject. */
export function problemInWords({ told }: PageWords, { of, why }: Problem): string {
  const text = told(why);
  const whole = /[.!?。]$/.test(text) ? text : `${text}.`;
  return of === undefined ? whole : `${of}: ${whole}`;
}

/** Text of a fault, displayed below its field. English messages name other fields by their label. */
export function faultInWords(words: PageWords | null, fault: Fault, labels: Labels): string {
  const english = asSentence(inLabels(fault, labels));
  if (words === null || words.language === 'en') return english;
  if (isMessage(fault)) return words.sentence(fault);
  return faultSentence(words, fault, labels) ?? english;
}

/** The translated sentence of a fault. Null: the catalogue does not contain it. */
export function faultSentence(
  { language, translates, say }: PageWords,
  { text, values = {} }: Pick<Fault, 'text' | 'values'>,
  labels: Labels = {},
): string | null {
  if (text === undefined || !translates(text)) return null;
  const list = new Intl.ListFormat(language, { type: 'disjunction' });
  const shown = Object.entries(values).map(([name, value]) => {
    if (typeof value === 'object') return [name, list.format(value)];
    const label = name === 'field' ? labels[`config.${value}`]?.label : undefined;
    return [name, label === undefined ? value : quote(say(label))];
  });
  return say(text, Object.fromEntries(shown));
}
