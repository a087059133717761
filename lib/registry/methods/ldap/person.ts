// Who an entry is: the subject, which stays, and what the claim map names.

import type { Entry } from './connection.ts';
import type { Directory } from './directory.ts';
import { type Assertion, inFilter } from './names.ts';

/** The attributes that hold what an address and a name are, where the map says nothing. */
const EMAIL = ['mail'];
const NAME = ['displayName', 'cn'];

/** Sixteen bytes. */
const GUID = 'objectguid';
const TEXT = /^[\x21-\x7e]{1,255}$/;

/** What is read of a person's entry. */
export const attributesOf = ({ subjectAttribute, claims }: Directory): string[] => [
  ...new Set([subjectAttribute, ...Object.values(claims), ...EMAIL, ...NAME]),
];

/** Null: the entry has none, or more than one, or none that can be kept. */
export function subjectOf({ subjectAttribute }: Directory, entry: Entry): string | null {
  const values = entry.attributes.get(subjectAttribute.toLowerCase()) ?? [];
  const [value] = values;
  if (values.length !== 1 || value === undefined) return null;
  if (subjectAttribute.toLowerCase() === GUID) return guidOf(value);
  return typeof value === 'string' && TEXT.test(value) ? value : null;
}

/** The subject as the directory compares it; null: no entry has one like it. */
export function subjectBytes({ subjectAttribute }: Directory, subject: string): Buffer | null {
  if (subjectAttribute.toLowerCase() !== GUID) return Buffer.from(subject);
  const hex = subject.replaceAll('-', '');
  if (!/^[0-9a-f]{32}$/.test(hex)) return null;
  const bytes = Buffer.from(hex, 'hex');
  for (const [from, to] of GUID_FROM_ITS_END) bytes.subarray(from, to).reverse();
  return bytes;
}

/** The parts of a GUID that Windows writes from their end. */
const GUID_FROM_ITS_END = [
  [0, 4],
  [4, 6],
  [6, 8],
] as const;

function guidOf(value: string | Buffer): string | null {
  if (!Buffer.isBuffer(value) || value.length !== 16) return null;
  const bytes = Buffer.from(value);
  for (const [from, to] of GUID_FROM_ITS_END) bytes.subarray(from, to).reverse();
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** By the names of the claim map: one value is a text, more are a list; bytes that are no text are left out. */
export function profileOf({ claims }: Directory, entry: Entry): Record<string, string | string[]> {
  const said = (attribute: string): string | string[] | undefined => {
    const values = (entry.attributes.get(attribute.toLowerCase()) ?? []).filter(
      (one) => typeof one === 'string',
    );
    return values.length > 1 ? values : values[0];
  };
  const first = (attributes: string[]) =>
    attributes.map((one) => [said(one)].flat()[0]).find((value) => value !== undefined);
  const named = Object.values(claims).map((attribute) => [attribute, said(attribute)] as const);
  const usual = [
    ['email', first(EMAIL)],
    ['name', first(NAME)],
  ] as const;
  return Object.fromEntries(
    [...usual, ...named].flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * Directories take letters for others (`é` for `e`, by the rules of an attribute), and each spelling would have limits
 * on guessing of its own. So what was typed is compared with what the entry has. An entry that shows none of the
 * attributes is of no name.
 */
export function isSpelled(assertions: Assertion[], placeholder: string, name: string, entry: Entry): boolean {
  const plain = assertions.filter(({ rule, value }) => rule === '=' && value.includes(placeholder));
  const whole = plain.filter(({ value }) => !value.replaceAll(placeholder, '').includes('*'));
  const expected = whole.map(({ attribute, value }) => ({
    values: entry.attributes.get(attribute) ?? [],
    text: value.replaceAll(placeholder, () => inFilter(name)),
  }));
  const same = (value: string | Buffer, text: string) =>
    typeof value === 'string' && folded(inFilter(value)) === folded(text);
  return whole.length === 0 || expected.some(({ values, text }) => values.some((value) => same(value, text)));
}

const folded = (text: string) => text.normalize('NFC').toLowerCase();
