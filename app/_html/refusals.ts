// What is said instead of a page, and of which addresses.
import { findUnstorable } from '#lib/kit/index.ts';

/**
 * A NUL, or text that is not Unicode, can be neither stored nor shown; Next answers a malformed escape with a page of its own.
 * `path`: as it was sent.
 */
export function isReadable(path: string, query: URLSearchParams): boolean {
  try {
    return findUnstorable([decodeURIComponent(path), ...query]) === null;
  } catch {
    return false;
  }
}

export const UNREADABLE = {
  title: 'This address cannot be read',
  heading: 'This address cannot be read',
  message: 'It holds a character that no text can hold. Check it, or start again from the first page.',
};
export const UNAVAILABLE = {
  title: 'Not available right now',
  heading: 'Not available right now',
  message: 'We cannot show this page at the moment. Wait a little, then load it again.',
};
export const NO_SUCH_PAGE = {
  title: 'There is no such page',
  heading: 'There is no such page',
  message: 'The address is mistyped, or what was here is gone.',
  link: { href: '/', label: 'Go to the start page' },
};
