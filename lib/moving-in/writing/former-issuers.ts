// Issuers of before that go on at their old address until a date, where the choices name one.
import { formerIssuers } from '#lib/registry/objects/former-issuers.ts';
import type { Notes } from '../reading/notes.ts';

type Entry = Record<string, unknown>;
type Issuer = { issuer: string; auth_method: string; layout: 'keycloak' | 'wicked' };

const HOW =
  'clients that are configured for the old addresses are not answered: name their last day, such as 2027-06-30, at former_issuers.until';

/** Null: none is asked for, or the day is no day. */
export function formerUntil(notes: Notes): string | null {
  if (notes.choice('former_issuers.until') === undefined) {
    notes.add('left out', 'former_issuers', HOW);
    return null;
  }
  const read = (answer: unknown) => {
    const day = typeof answer === 'string' && /^\d{4}-\d\d-\d\d$/.test(answer) ? new Date(answer) : null;
    return day === null || Number.isNaN(day.getTime()) ? undefined : day.toISOString().slice(0, 10);
  };
  return notes.decide('former_issuers.until', 'the last day of the old addresses', read) ?? null;
}

/** Where the old service was. `given`: as the export names it; a choice wins. */
export function formerHost(notes: Notes, given: string | undefined): string | null {
  const isGood = (one: unknown): one is string =>
    typeof one === 'string' && /^https:\/\/[^\s?#@%]+$/.test(one) && URL.canParse(one);
  if (isGood(given) && notes.choice('former_issuers.host') === undefined) return given.replace(/\/$/, '');
  const question = 'where the old service was, as clients know it (https), such as https://sso.example';
  const host = notes.decide('former_issuers.host', question, (one) => (isGood(one) ? one : undefined));
  return host?.replace(/\/$/, '') ?? null;
}

/** Of several, one is to be named at `path`. */
export function oneOf(
  notes: Notes,
  path: string,
  question: string,
  all: readonly string[],
): string | undefined {
  if (all.length < 2) return all[0];
  const asked = `${question}: ${all.join(', ')}`;
  return notes.decide(path, asked, (answer) => all.find((one) => one === answer)) ?? undefined;
}

/** Adds one to the API, unless it can be no issuer. */
export function addFormerIssuer(notes: Notes, api: Entry, issuer: Issuer, until: string): void {
  const read = formerIssuers.safeParse([{ ...issuer, until }]);
  if (!read.success) {
    const [{ message } = { message: '' }] = read.error.issues;
    notes.add('left out', 'former_issuers', `${issuer.issuer}: ${message}`);
    return;
  }
  const before = (api['former_issuers'] as Entry[] | undefined) ?? [];
  api['former_issuers'] = [...before, { ...issuer, until }];
  notes.add(
    'changed',
    'former_issuers',
    `${issuer.issuer} is answered here until ${until}: lead its host here`,
  );
}
