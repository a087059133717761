// Input of the search. A token is inspected, and only this response shows its content. Other input redirects to the
// page of the object that it names, or to a page of results with an address.
import { findAnything, type InspectedToken, inspectToken, isSecretText } from '#lib/management/find.ts';
import { type Actor, mayDo } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import type { FoundThing } from '#lib/store/find.ts';
import { type Area, type Forms, type Outcome, path, redirectAfter } from '../_kit/console-form.ts';
import { withQuery } from '../_kit/with-query.ts';
import { toSay } from '../_texts/to-say.ts';
import { clientPath } from './client-kinds.ts';

// Addresses of the objects found.

/** The console area in which the person may open client pages. */
const areaOf = (actor: Actor): Area => (mayDo(actor, 'clients.see-all') ? 'admin' : 'developer');

export function addressOf(actor: Actor, { kind, id, api }: FoundThing): string {
  switch (kind) {
    case 'person':
      return path('admin', 'people', id);
    case 'client':
      return clientPath(areaOf(actor), id);
    case 'subscription':
      return mayDo(actor, 'subscriptions.decide')
        ? path('admin', 'subscriptions', id, api ?? '')
        : clientPath('developer', id);
    case 'api':
      return mayDo(actor, 'registry.read') ? path('admin', 'apis', id) : path('apis', id);
    case 'method':
      return path('admin', 'auth-methods', id);
    case 'group':
      return path('admin', 'groups', id);
    case 'key':
      return '/admin/keys';
    case 'request':
      return clientPath(areaOf(actor), id, 'requests');
    case 'event':
      return withQuery('/admin/audit', { request: id });
  }
}

const pageOf = (area: Area) => `/${area}/find`;

export const findForms: Forms = {
  find: {
    page: (_, { area }) => pageOf(area),
    repeats: true,
    run: async (actor, fields, { area }) => {
      const text = fields.one('q').trim();
      if (isSecretText(text)) return inspect(actor, text, area);
      const { rows } = await findAnything(actor, { text });
      const exact = rows.filter((row) => row.exact);
      const [only] = exact;
      if (only && exact.length === 1) return redirectAfter(addressOf(actor, only));
      return redirectAfter(withQuery(pageOf(area), text === '' ? {} : { q: text }));
    },
  },
};

/**
 * Returns the content of the token. No draft stores the input, because the address of the next page would refer to
 * it.
 */
async function inspect(actor: ConsoleActor, token: string, area: Area): Promise<Outcome> {
  const inspectedToken = await inspectToken(actor, { token }).catch((error: unknown): InspectedToken => {
    if (!(error instanceof Refused) || error.kind === 'forbidden') throw error;
    return { kind: 'other', signature: null, kid: null, lives: null, hasExpired: false, claims: {} };
  });
  return {
    kind: 'shown',
    shown: {
      heading: { text: headingOf(inspectedToken) },
      message: { text: messageOf(inspectedToken) },
      values: [
        ...(inspectedToken.kid === null
          ? []
          : [[{ text: KEY }, inspectedToken.kid] as [{ text: string }, string]]),
        ...Object.entries(inspectedToken.claims).map(
          ([name, value]): [{ text: string; lang: string }, string] => [
            { text: name, lang: 'en' },
            shownValue(name, value),
          ],
        ),
      ],
      next: { href: pageOf(area), label: { text: AGAIN } },
    },
  };
}

const KEY = toSay('Signing key');
const AGAIN = toSay('Find something else');

const HEADINGS = toSay({
  lives: 'This token is valid',
  ended: 'This token is no longer valid',
  expired: 'This token has expired',
  says: 'Contents of this token',
  unknown: 'Unknown token',
  other: 'This value is not looked up',
});

function headingOf({ kind, lives, hasExpired, claims }: InspectedToken): string {
  if (kind === 'other') return HEADINGS.other;
  if (lives) return HEADINGS.lives;
  if (hasExpired) return HEADINGS.expired;
  if (lives === false) return HEADINGS.ended;
  return kind === 'opaque' && Object.keys(claims).length === 0 ? HEADINGS.unknown : HEADINGS.says;
}

const MESSAGES = toSay({
  ours: 'The token was signed by a key of this service, and the signature is valid. The token itself was not stored.',
  wrong:
    'The token names a key of this service, but the signature is invalid: do not trust its contents. The token itself was not stored.',
  'unknown-key':
    'The token was not signed by a published key of this service, so nothing was verified: do not trust its contents. The token itself was not stored.',
  opaque: 'This is the introspection result. The token itself was not stored.',
  unknown:
    'The token has expired, was revoked, was not issued by this service, or belongs to an application that is not yours. The token itself was not stored.',
  other:
    'The value looks like a code, a secret or a session, or is too long for a name. It was not stored. If anyone else has seen the value, replace it.',
});

function messageOf({ kind, signature, lives }: InspectedToken): string {
  if (kind === 'other') return MESSAGES.other;
  if (signature !== null) return MESSAGES[signature];
  return lives ? MESSAGES.opaque : MESSAGES.unknown;
}

const TIMES = new Set(['iat', 'exp', 'nbf', 'auth_time']);
const MOST_SHOWN = 1_000;

function shownValue(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const at = TIMES.has(name) && typeof value === 'number' ? new Date(value * 1_000) : null;
  if (at !== null && !Number.isNaN(at.getTime())) return `${text} (${at.toISOString()})`;
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
