// Where a sign-in in steps leads, when one of its forms came back.
import type { Draft } from '../_forms/draft.ts';
import { FormValues } from './form-values.ts';

/**
 * `asked`: the page's own address. A form of the sign-in that was refused has the page in its field `to`, with the
 * draft of what was typed before the sign-in; another page than this one counts for nothing there.
 */
export function pageAfterSignIn(asked: string, draft: Draft | null): string {
  const named = new FormValues(draft).one('to');
  return pathOf(named) === pathOf(asked) ? named : asked;
}

const pathOf = (address: string) => address.split(/[?#]/)[0];
