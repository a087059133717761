// Custom texts of an API or client, by place ("slot") and language. Each is plain text with values of the original
// message in braces, never HTML, links or ICU choices.
import { z } from 'zod';
import { type FaultText, fault } from '#lib/kit/fault.ts';
import { type TextShape, unreadable } from '#lib/kit/text.ts';
import { LANGUAGES, type Language } from '#lib/settings/languages.ts';
import { isShownAt, type Wearer } from './brand.ts';

// Texts of sign-in pages and mails that an API or client can replace, and additional lines. Texts of the consent
// page, of errors and of second factors cannot be replaced, because users rely on them.

type TextSlot = {
  /** the page or mail with the text */
  at: string;
  /** key of the message that is replaced; null: an additional line, which has no default */
  replaces: string | null;
  /** maximum number of characters */
  longest: number;
  shape: TextShape;
  /** placeholders `{name}`: the text must contain exactly these */
  values: readonly string[];
};

const line = (at: string, longest: number, shape: TextShape = 'line') =>
  ({ at, replaces: null, longest, shape, values: [] }) satisfies TextSlot;

const instead = (at: string, replaces: string, longest: number, values: readonly string[] = []) =>
  ({ at, replaces, longest, shape: 'line', values }) satisfies TextSlot;

const SUBJECT = 100;
const PARAGRAPH = 400;

/** Slots in the order in which users see them. */
export const TEXT_SLOTS = {
  sign_in_lead: line('sign_in', 200),
  sign_in_help: line('sign_in', 300, 'lines'),
  sign_in_forgotten: instead('sign_in', 'sign_in.forgotten', 60),
  sign_in_new_here: instead('sign_in', 'sign_in.new_here', 100),
  registration_lead: line('registration', 200),
  registration_intro: instead('registration', 'register.lead', 300),
  registration_approval: instead('registration', 'register.approval_lead', 300),
  registration_waits: instead('registration', 'register.waits', PARAGRAPH),
  registration_closed: instead('registration', 'register.closed', PARAGRAPH),
  mail_closing: line('mails', 300, 'lines'),
  mail_code_subject: instead('registration-code', 'mail.confirm_subject', SUBJECT),
  mail_code: instead('registration-code', 'mail.code', PARAGRAPH, ['code', 'minutes']),
  mail_has_account_subject: instead('has-account', 'mail.has_account_subject', SUBJECT),
  mail_has_account: instead('has-account', 'mail.has_account', PARAGRAPH),
  mail_admitted_subject: instead('admitted', 'mail.admitted_subject', SUBJECT),
  mail_admitted: instead('admitted', 'mail.admitted', PARAGRAPH),
  mail_rejected_subject: instead('rejected', 'mail.rejected_subject', SUBJECT),
  mail_rejected: instead('rejected', 'mail.rejected', PARAGRAPH, ['host']),
  mail_waiting_ended_subject: instead('waiting-ended', 'mail.waiting_ended_subject', SUBJECT),
  mail_waiting_ended: instead('waiting-ended', 'mail.waiting_ended', PARAGRAPH, ['host']),
  mail_reset_subject: instead('password-reset', 'mail.reset_subject', SUBJECT),
  mail_reset: instead('password-reset', 'mail.reset', PARAGRAPH, ['minutes']),
  mail_no_account_subject: instead('no-account', 'mail.no_account_subject', SUBJECT),
  mail_no_account: instead('no-account', 'mail.no_account', PARAGRAPH),
} as const satisfies Record<string, TextSlot>;

export type TextSlotName = keyof typeof TEXT_SLOTS;

const isSlotName = (name: string): name is TextSlotName => Object.hasOwn(TEXT_SLOTS, name);
export const TEXT_SLOT_NAMES: readonly TextSlotName[] = Object.keys(TEXT_SLOTS).filter(isSlotName);

type ByLanguage = Partial<Record<Language, string>>;
/** A slot without a text shows the default text. */
export type OwnTexts = Readonly<Partial<Record<TextSlotName, Readonly<ByLanguage>>>>;

/** Maximum size of all texts of an API or client in UTF-8, so that they fit into a request to the management API. */
const MAX_BYTES = 49_152;

/**
 * Normalizes a text for storage: forms send CRLF, and a line with trailing spaces could look like the separator of a
 * mail signature.
 */
const tidyText = (text: string) => text.replaceAll(/\r\n?/g, '\n').replaceAll(/ +$/gm, '').trim();

function faultIn(text: string, { longest, shape, values }: TextSlot): FaultText | null {
  if (text.length > longest) return fault('must not be longer than {most} characters', { most: longest });
  const unseen = unreadable(text, shape);
  if (unseen !== null || text === '') return unseen;
  const placeholders: readonly string[] = text.match(/\{[^{}]*\}|[{}]/g) ?? [];
  const knownPlaceholders = values.map((name) => `{${name}}`);
  const other = placeholders.find((placeholder) => !knownPlaceholders.includes(placeholder));
  if (other !== undefined)
    return fault('must not contain {value}: there is no value for it', { value: other });
  const missing = knownPlaceholders.find((placeholder) => !placeholders.includes(placeholder));
  return missing === undefined
    ? null
    : fault('must contain {value}, which is replaced by a value', { value: missing });
}

function byLanguage(slot: TextSlot) {
  const { longest, values, replaces } = slot;
  const text = z
    .string()
    .overwrite(tidyText)
    .superRefine((value, context) => {
      const wrong = faultIn(value, slot);
      if (wrong !== null) context.addIssue({ code: 'custom', ...wrong });
    });
  const holds = values.length === 0 ? '' : `, with ${values.map((name) => `{${name}}`).join(' and ')}`;
  const what = replaces === null ? 'A separate line' : `In place of ${replaces}`;
  return z
    .record(z.string(), text.nullable())
    .superRefine((texts, context) => {
      const wrong = fault('must be one of {value}', { value: LANGUAGES });
      for (const tag of Object.keys(texts))
        if (!isTag(tag)) context.addIssue({ code: 'custom', path: [tag], ...wrong, input: texts });
    })
    .describe(`${what}, by language: up to ${longest} characters${holds}`);
}

const isTag = (tag: string): tag is Language => LANGUAGES.some((language) => language === tag);

type Slots = Record<TextSlotName, z.ZodOptional<z.ZodNullable<ReturnType<typeof byLanguage>>>>;

/** An empty text and null select the default text. An object without texts becomes null. */
export const optionalTexts = z
  .strictObject(
    Object.fromEntries(
      TEXT_SLOT_NAMES.map((name) => [name, byLanguage(TEXT_SLOTS[name]).nullish()]),
    ) as Slots,
  )
  .superRefine((texts, context) => {
    if (Buffer.byteLength(JSON.stringify(texts)) > MAX_BYTES)
      context.addIssue({
        code: 'custom',
        ...fault('must not exceed {most} bytes, all texts together', { most: MAX_BYTES }),
      });
  })
  .nullable()
  .transform(orderTexts)
  .default(null);

type Given = Readonly<
  Partial<Record<TextSlotName, Readonly<Record<string, string | null>> | null | undefined>>
>;

/** Texts in the order of the table, so that equal texts are equal values. */
function orderTexts(ownTexts: Given | null): OwnTexts | null {
  const slotEntries = TEXT_SLOT_NAMES.flatMap((name) => {
    const texts = LANGUAGES.flatMap((tag) => (ownTexts?.[name]?.[tag] ? [[tag, ownTexts[name][tag]]] : []));
    return texts.length === 0 ? [] : [[name, Object.fromEntries(texts)]];
  });
  return slotEntries.length === 0 ? null : Object.fromEntries(slotEntries);
}

/** Replaces the texts in one language. Null or an empty text selects the default text. */
export function withTexts(
  before: OwnTexts | null,
  language: Language,
  texts: Readonly<Partial<Record<TextSlotName, string | null>>>,
): Given {
  const changed = Object.entries(texts).map(([name, text]) => [
    name,
    { ...before?.[name as TextSlotName], [language]: text },
  ]);
  return { ...before, ...Object.fromEntries(changed) };
}

/** Texts of a page in its language: `messages` keyed by the replaced message, `lines` keyed by slot. */
export type TextsShown = {
  messages: ReadonlyMap<string, string>;
  lines: ReadonlyMap<string, string>;
};

type TextOwner = { texts: OwnTexts | null };

/**
 * Merges the texts of API and client; a text of the client takes precedence. Null: only default texts. A client whose
 * brand is not shown has no texts.
 */
export function textsShown(
  language: Language,
  api: TextOwner & { id: string },
  client: (TextOwner & Omit<Wearer, 'brand'>) | null,
): TextsShown | null {
  const owners = [client && isShownAt(client, api.id) ? client.texts : null, api.texts];
  if (owners.every((texts) => texts === null)) return null;
  const [messages, lines] = [new Map<string, string>(), new Map<string, string>()];
  for (const name of TEXT_SLOT_NAMES) {
    const text = owners.map((texts) => texts?.[name]?.[language]).find((slotText) => slotText !== undefined);
    if (text === undefined) continue;
    const { replaces } = TEXT_SLOTS[name];
    if (replaces === null) lines.set(name, text);
    else messages.set(replaces, text);
  }
  return { messages, lines };
}

const PREFIX = 'texts.';

/** Flattens texts for the audit log to one field each: `texts.sign_in_lead.de`. Other fields stay unchanged. */
export function withFlatTexts(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { texts, ...others } = fields;
  if (texts === undefined) return others;
  const flat = Object.entries((texts ?? {}) as OwnTexts).flatMap(([name, byTag]) =>
    Object.entries(byTag).map(([tag, text]) => [`${PREFIX}${name}.${tag}`, text]),
  );
  return { ...others, ...Object.fromEntries(flat) };
}

/** Slot and language of a flattened field. Null: another field. */
export function flatText(field: string): { slot: TextSlotName; language: Language } | null {
  if (!field.startsWith(PREFIX)) return null;
  const [given = '', tag = ''] = field.slice(PREFIX.length).split('.');
  const slot = TEXT_SLOT_NAMES.find((name) => name === given);
  return slot !== undefined && isTag(tag) ? { slot, language: tag } : null;
}
