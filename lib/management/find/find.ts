// One field for everything. It finds what the one who asks may see: developers their own clients, approvers what they
// decide on, administrators all. What may be a credential is never looked for as text: it is inspected.
import { findByText } from '#lib/store/find.ts';
import type { FindScope, FoundThing } from '#lib/store/find-kinds.ts';
import { findCredential } from '#lib/tokens/credential-text.ts';
import { credentialKind } from '#lib/tokens/formats.ts';
import { limitedWork } from '../core/limited-work.ts';
import { operation } from '../core/operation.ts';
import { type Actor, decidableBy, idOf, mayDo, requireAction } from '../core/policy.ts';

/** Nothing that is found has a longer name. */
const LONGEST_FOUND = 300;
const SEARCHES = { kind: 'finds', name: 'search', most: 300, refusal: 'find.too_many' } as const;

type Findings = {
  /** what the text is comes first, and each row once */
  rows: FoundThing[];
};

export const findAnything = operation(
  'findAnything',
  async ({ actor, db }, input: { text: string }): Promise<Findings> => {
    const scope = scopeOf(actor);
    const text = input.text.trim();
    if (text === '' || text.length > LONGEST_FOUND || isSecretText(text)) return { rows: [] };
    const seen = new Set<string>();
    const rows = await limitedWork(actor, SEARCHES, () => findByText(db, text, scope));
    const ordered = rows.toSorted((one, other) => Number(other.exact) - Number(one.exact));
    return {
      rows: ordered.filter(({ kind, id, api }) => {
        const key = JSON.stringify([kind, id, api]);
        return !seen.has(key) && seen.add(key);
      }),
    };
  },
);

/** Whether it may be a token, a code, a secret or a session: it belongs into no address and no log. */
export const isSecretText = (text: string): boolean =>
  credentialKind(text) !== null ||
  findCredential(text) !== null ||
  /^eyJ[\w-]*\./.test(text) ||
  text.length > LONGEST_FOUND;

/** Refused to people without a role. */
function scopeOf(actor: Actor): FindScope {
  const decides = mayDo(actor, 'subscriptions.decide');
  if (!decides) requireAction(actor, 'clients.see-own');
  const owner = mayDo(actor, 'clients.see-own') ? idOf(actor) : null;
  return {
    people: mayDo(actor, 'people.read'),
    clientsOf: mayDo(actor, 'clients.see-all') ? null : (owner ?? undefined),
    decidable: decides ? decidableBy(actor) : undefined,
    registry: mayDo(actor, 'registry.read'),
    groups: mayDo(actor, 'groups.read'),
    apis: true,
    keys: mayDo(actor, 'keys.read'),
    audit: mayDo(actor, 'audit.read'),
  };
}
