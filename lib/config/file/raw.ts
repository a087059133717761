// The document as it came, of any shape: rules between fields read it.
import { canonicalEmail } from '#lib/kit/text/email-address.ts';
export type PathPart = string | number;
export type FileFinding = { path: PathPart[]; message: string };
export type Found = (path: PathPart[], message: string) => unknown;
export type Environment = Record<string, string | undefined>;
export type Raw = Record<string, unknown>;

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export function email(value: unknown): string | undefined {
  return typeof value === 'string' ? canonicalEmail(value.trim()) : undefined;
}
export const isObject = (value: unknown): value is Raw =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** The items of a list of this kind, each with its place. */
const itemsOf =
  <Kind>(is: (item: unknown) => item is Kind) =>
  (value: unknown): [number, Kind][] =>
    Array.isArray(value) ? [...value.entries()].filter((entry): entry is [number, Kind] => is(entry[1])) : [];
export const strings = itemsOf((item): item is string => typeof item === 'string');
export const objects = itemsOf(isObject);
