// The search across all objects. Developers find their own clients, approvers find requests that they can
// decide, and administrators find everything. A text that may be a credential is never searched for:
// `inspectToken` examines it instead.

import { z } from 'zod';
import { SEE_CLIENT } from '#lib/catalogue/clients/access.ts';
import { findClient } from '#lib/catalogue/clients/rows.ts';
import { findPublicKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { introspectToken, recognise } from '#lib/oauth/introspection.ts';
import { type FindScope, type FoundThing, findByText, foundThing } from '#lib/store/find.ts';
import type { Db } from '#lib/store/prisma.ts';
import { currentSnapshot, RegistryChanged, type Snapshot } from '#lib/store/snapshot.ts';
import { findCredential } from '#lib/tokens/credential-text.ts';
import { credentialKind } from '#lib/tokens/formats.ts';
import { decodeCompact, verifyCompact } from '#lib/tokens/jws.ts';
import { limitedWork, one, operation, wholeList } from './operations.ts';
import { type Actor, decidableBy, idOf, isDeciderOf, mayDo } from './policy.ts';

/** Maximum length of a searched text. No object that the search can find has a longer name. */
const LONGEST_FOUND = 300;
const SEARCHES = { kind: 'finds', name: 'search', most: 300, refusal: 'find.too_many' } as const;

type Findings = {
  /** exact matches first, without duplicates */
  rows: FoundThing[];
};

export const findAnything = operation(
  // each part of the search checks a separate right
  {
    name: 'findAnything',
    right: [...SEE_CLIENT, 'subscriptions.decide'],
    shape: z.strictObject({ q: z.string().min(1).max(4096) }),
    output: wholeList('Found', foundThing, ({ rows }: Findings) => rows),
  },
  async ({ actor, db }, input: { text: string }): Promise<Findings> => {
    const scope = scopeOf(actor);
    const text = input.text.trim();
    if (text === '' || text.length > LONGEST_FOUND || isSecretText(text)) return { rows: [] };
    const seen = new Set<string>();
    const rows = await limitedWork(actor, SEARCHES, () => findByText(db, text, scope));
    const ordered = rows.toSorted((foundThing, other) => Number(other.exact) - Number(foundThing.exact));
    return {
      rows: ordered.filter(({ kind, id, api }) => {
        const key = JSON.stringify([kind, id, api]);
        return !seen.has(key) && seen.add(key);
      }),
    };
  },
);

/** True if the text may be a token, code, secret or session id, which must not appear in addresses or logs. */
export const isSecretText = (text: string): boolean =>
  credentialKind(text) !== null ||
  findCredential(text) !== null ||
  /^eyJ[\w-]*\./.test(text) ||
  text.length > LONGEST_FOUND;

/** The objects that the actor can find. */
function scopeOf(actor: Actor): FindScope {
  const owner = mayDo(actor, 'clients.see-own') ? idOf(actor) : null;
  return {
    people: mayDo(actor, 'people.read'),
    clientsOf: mayDo(actor, 'clients.see-all') ? null : (owner ?? undefined),
    decidable: mayDo(actor, 'subscriptions.decide') ? decidableBy(actor) : undefined,
    registry: mayDo(actor, 'registry.read'),
    groups: mayDo(actor, 'groups.read'),
    apis: true,
    keys: mayDo(actor, 'keys.read'),
    audit: mayDo(actor, 'audit.read'),
  };
}

// Inspects a pasted token by introspection: content, signing key and validity. The token is neither stored nor
// logged.

const inspectedToken = z.strictObject({
  kind: z.enum(['jwt', 'opaque', 'other']).describe('`other`: not a known form of token'),
  signature: z.enum(['ours', 'wrong', 'unknown-key']).nullable().describe('null: it is not signed'),
  kid: z.string().nullable(),
  lives: z.boolean().nullable().describe('null: not visible to the caller, or from another service'),
  hasExpired: z.boolean(),
  claims: z.record(z.string(), z.unknown()),
});
export type InspectedToken = z.output<typeof inspectedToken>;

const INSPECTIONS = { kind: 'finds', name: 'inspection', most: 100, refusal: 'find.too_many' } as const;
const NOTHING = { signature: null, kid: null, lives: null, hasExpired: false, claims: {} } as const;

const pastedToken = z.strictObject({ token: z.string().min(1).max(16_384) });

export const inspectToken = operation(
  {
    name: 'inspectToken',
    right: [...SEE_CLIENT, 'subscriptions.decide'],
    shape: pastedToken,
    output: one('TokenInspection', inspectedToken),
  },
  ({ actor, db }, input: z.output<typeof pastedToken>): Promise<InspectedToken> =>
    limitedWork(actor, INSPECTIONS, () => findInspected(actor, db, input.token)),
);

async function findInspected(actor: Actor, db: Db, text: string): Promise<InspectedToken> {
  const token = findCredential(text) ?? text.trim();
  const compact = decodeCompact(token);
  const opaque =
    !compact && ['access', 'refresh', 'keptRefresh', 'machine'].includes(credentialKind(token) ?? '');
  if (!compact && !opaque) return { kind: 'other', ...NOTHING };
  const snapshot = await currentSnapshot();
  const live = await livingFor(actor, db, token);
  if (!compact) {
    const isKnown = live !== null && live !== 'foreign';
    return { kind: 'opaque', ...NOTHING, ...(isKnown && { lives: true, claims: live }) };
  }
  const { header, payload } = compact;
  const kid = typeof header['kid'] === 'string' ? header['kid'] : null;
  const signature = signatureOf(token, { kid, typ: header['typ'] }, snapshot);
  const exp = payload['exp'];
  const hasExpired = typeof exp === 'number' && exp <= nowSeconds();
  const isAccess = signature === 'ours' && header['typ'] === 'at+jwt';
  const ended = isAccess && (await mayKnow(actor, db, payload, snapshot)) ? false : null;
  const lives = live === 'foreign' ? null : live ? true : ended;
  return {
    kind: 'jwt',
    signature,
    kid,
    lives: signature === 'ours' ? lives : null,
    hasExpired,
    claims: payload,
  };
}

function signatureOf(
  token: string,
  { kid, typ }: { kid: string | null; typ: unknown },
  snapshot: Snapshot,
): InspectedToken['signature'] {
  if (kid === null || typeof typ !== 'string' || !findPublicKey(snapshot, kid)) return 'unknown-key';
  return verifyCompact(token, typ, (keyId) => findPublicKey(snapshot, keyId)) ? 'ours' : 'wrong';
}

/** Returns `null` if the token is not valid, and `foreign` if it is valid but this actor cannot see it. */
async function livingFor(
  actor: Actor,
  db: Db,
  token: string,
): Promise<Record<string, unknown> | 'foreign' | null> {
  const ask = async () => {
    const snapshot = await currentSnapshot();
    const presented = recognise(token, snapshot);
    const live =
      presented && (await introspectToken(presented, { snapshot, askedBy: null, mayKnow: () => true }));
    return { live, snapshot };
  };
  const { live, snapshot } = await ask().catch((error: unknown) => {
    // another process has changed the registry; the second call uses the new state
    if (error instanceof RegistryChanged) return ask();
    throw error;
  });
  if (live === null) return null;
  return (await mayKnow(actor, db, live, snapshot)) ? live : 'foreign';
}

/** True for the owner of the token's client, the users who decide for its API, and administrators. */
async function mayKnow(
  actor: Actor,
  db: Db,
  { client_id: clientId, aud }: Record<string, unknown>,
  snapshot: Snapshot,
): Promise<boolean> {
  if (mayDo(actor, 'clients.see-all')) return true;
  const api = [...snapshot.apis.values()].find(({ url }) => url === aud);
  if (api && isDeciderOf(actor, { api: api.id, approvers: api.approvers })) return true;
  if (typeof clientId !== 'string' || !mayDo(actor, 'clients.see-own')) return false;
  const client = await findClient(db, clientId);
  return client !== null && client.ownerId !== null && client.ownerId === idOf(actor);
}
