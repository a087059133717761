// A name that a person typed, in a filter and in a DN.

export const USERNAME = '{username}';

/**
 * A directory compares without what is not seen, without doubled spaces, and by compatible letters (RFC 4518 §2). A
 * name with one of these would be another name for the limits on guessing, so it is no name.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}]|[^\S ]| {2}/u;

/** In the form that is asked for; null: no account has it. */
export function askedName(typed: string): string | null {
  const name = typed.trim().normalize('NFC');
  const isPlain = name.isWellFormed() && !UNSEEN.test(name) && name.normalize('NFKC') === name;
  return isPlain && name !== '' && name.length <= 320 ? name : null;
}

/** RFC 4515 §3. */
export const inFilter = (value: string): string =>
  value.replace(/[*()\\\0]/g, (sign) => `\\${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);

/** RFC 4514 §2.4. */
export const inDn = (value: string): string =>
  value
    .replace(/[,+"\\<>;=]/g, '\\$&')
    .replace(/^[# ]/, '\\$&')
    .replace(/ $/, '\\ ')
    .replaceAll('\u0000', '\\00');

/** The attributes that hold the whole name of a person: of the name that they bind as, or of the filter. */
export function nameAttributes({ bindAs, filter }: { bindAs: string | null; filter: string }): string[] {
  const [, bound] = /(?:^|[,+])\s*([\w.-]+)=\{username\}(?:$|[,+])/.exec(bindAs ?? '') ?? [];
  if (bound !== undefined) return [bound.toLowerCase()];
  const compared = (assertionsIn(filter) ?? []).filter(
    ({ rule, value }) => rule === '=' && value === USERNAME,
  );
  return [...new Set(compared.map(({ attribute }) => attribute))];
}

export type Assertion = { attribute: string; rule: string; value: string };

const ITEM = /^([A-Za-z0-9][\w.;-]*)?(:[\w.:-]+)?(=|~=|>=|<=|:=)((?:[^()*\\\0]|\\[0-9a-fA-F]{2}|\*)*)/;

/** The comparisons in a filter (RFC 4515 §3); null: it is none. */
export function assertionsIn(filter: string): Assertion[] | null {
  const found: Assertion[] = [];
  let at = 0;
  const take = (sign: string): boolean => {
    if (filter[at] !== sign) return false;
    at += 1;
    return true;
  };
  const one = (depth: number): boolean => {
    if (depth > 50 || !take('(')) return false;
    if (take('&') || take('|')) {
      while (filter[at] === '(') if (!one(depth + 1)) return false;
    } else if (take('!')) {
      if (!one(depth + 1)) return false;
    } else {
      const [text, attribute = '', extended = '', operator = '', value = ''] =
        ITEM.exec(filter.slice(at)) ?? [];
      if (text === undefined || (attribute === '' && extended === '')) return false;
      found.push({ attribute: attribute.toLowerCase(), rule: extended + operator, value });
      at += text.length;
    }
    return take(')');
  };
  return one(0) && at === filter.length ? found : null;
}
