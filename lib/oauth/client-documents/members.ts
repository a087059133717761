// Reading members of a document: each is of the type that RFC 7591 §2 gives it, or the document is refused.
import { namesPrivateHost } from '#lib/outbound/addresses.ts';
import { settings } from '#lib/settings/settings.ts';
import { mayBePlain } from './document-url.ts';
import { ClientDocumentRefused } from './errors.ts';

export type DocumentParts = Readonly<Record<string, unknown>>;

const MAX_ADDRESS = 2_000;

/** Null: it is not there. */
export function textList(members: DocumentParts, name: string): string[] | null {
  const value = members[name] ?? null;
  if (value === null) return null;
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string'))
    throw new ClientDocumentRefused('member', `${name} must be a list of texts.`);
  return value;
}

/**
 * An address that is shown or called: https and public, unless the operator allows the private network. Null: it is not
 * there.
 */
export function addressMember(members: DocumentParts, name: string): string | null {
  const value = members[name] ?? null;
  if (value === null || value === '') return null;
  const refuse = (rule: string) => new ClientDocumentRefused('address', `${name} must be ${rule}.`);
  const url = typeof value === 'string' && value.length <= MAX_ADDRESS ? URL.parse(value) : null;
  if (url === null || typeof value !== 'string' || !/^https?:\/\/[^/?#]/i.test(value))
    throw refuse('an absolute https:// address');
  if (url.protocol !== 'https:' && !mayBePlain(url)) throw refuse('an https:// address');
  if (value.includes('#') || url.username !== '' || url.password !== '' || /[\s\\]/.test(value))
    throw refuse('an address without a fragment, a user name and spaces');
  if (namesPrivateHost(url) && !settings().clientDocumentsPrivateNetwork) throw refuse('a public address');
  return value;
}

/** False: it is not there. */
export function flagMember(members: DocumentParts, name: string): boolean {
  const value = members[name] ?? false;
  if (typeof value !== 'boolean') throw new ClientDocumentRefused('member', `${name} must be true or false.`);
  return value;
}
