// Expiring keys, secrets, rights and certificate authorities.

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ROTATE_AFTER_DAYS } from '#lib/keys/keys.ts';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { sha256 } from '#lib/kit/random.ts';
import type { KeyRow } from '#lib/registry/keys.ts';
import { trustedFiles } from '#lib/settings/shown.ts';
import type { Db } from '#lib/store/prisma.ts';
import { type ExpiringRow, selectExpiring } from '#lib/store/upkeep.ts';
import { listSigningKeys } from './keys.ts';
import { operation } from './operations.ts';
import { type Actor, mayDo, requireAction, requirePerson } from './policy.ts';

// Certificates of authorities that the settings name a file for: what they vouch for is refused once they have ended.

type TrustAnchor = { kind: 'trust-anchor'; id: string; at: Date; name: string; setting: string };

const PEM = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
const MOST_BYTES = 1_000_000;
/** A file with more of them is the system's own list, which its packages keep. */
const MOST_ANCHORS = 20;
/** What ended longer ago is in use no more. */
const ENDED_MS = 30 * 86_400_000;

/** A file that cannot be read is logged: the connection that needs it says more. */
async function readTrustAnchors(): Promise<TrustAnchor[]> {
  const found = await Promise.all(
    trustedFiles().map(async ({ setting, file }) => {
      try {
        const text = (await readFile(file, 'utf8')).slice(0, MOST_BYTES);
        const found = text.match(PEM) ?? [];
        return found.length > MOST_ANCHORS ? [] : found.map((pem) => anchorOf(setting, pem));
      } catch (error) {
        log().warn({ setting, reason: (error as Error).message }, 'certificates could not be read');
        return [];
      }
    }),
  );
  const since = now().getTime() - ENDED_MS;
  return found.flat().filter(({ at }) => at.getTime() > since);
}

function anchorOf(setting: string, pem: string): TrustAnchor {
  const { subject, validToDate, fingerprint256 } = new X509Certificate(pem);
  const name = /^(?:CN|O)=(.+)$/m.exec(subject)?.[1] ?? subject.split('\n')[0] ?? '';
  const id = sha256(`trust-anchor\n${setting}\n${fingerprint256}`).toString('base64url').slice(0, 22);
  return { kind: 'trust-anchor', id, at: validToDate, name, setting };
}

// One list of everything that expires: of the whole service for administrators, of their own applications for
// developers.

export const MOST_DAYS = 366;
const DAYS = 90;
const MOST_EXPIRING = 500;
const DAY_MS = 86_400_000;

type KeyWhat = 'begins' | 'leaves' | 'replaced' | 'overdue';
type OfClient = { clientId: string; clientName: string };
type OfPair = OfClient & { apiId: string; apiName: string; count: number };
type OfMethod = { authMethodId: string; methodName: string; count: number };

/** `at`: the first, where it is a count. `id`: the same each time it is listed. */
export type Expiring = { id: string; at: Date } & (
  | ({ kind: 'secret' } & OfClient)
  | ({ kind: 'delegations' | 'allowances' } & OfPair)
  | ({ kind: 'invitations' | 'registrations' } & OfMethod)
  | { kind: 'key'; what: KeyWhat; kid: string; alg: string }
  /** `setting`: the variable that names its file */
  | { kind: 'trust-anchor'; name: string; setting: string }
);

type ExpiringAsked = {
  own?: boolean | undefined;
  days?: number | undefined;
  most?: number | undefined;
};

/** `own`: only what ends with the actor's applications; left out: all that the actor may see. */
export const listExpiring = operation(
  'listExpiring',
  async (
    { actor, db },
    { own = !mayDo(actor, 'keys.read'), days = DAYS, most = MOST_EXPIRING }: ExpiringAsked,
  ): Promise<Expiring[]> => {
    requireAction(actor, own ? 'clients.see-own' : 'keys.read');
    const asked = { days: Math.min(days, MOST_DAYS), most: Math.min(most, MOST_EXPIRING) };
    if (own) return rowsOf(db, { ...asked, ownerId: requirePerson(actor).id });
    const [rows, keys, anchors] = await Promise.all([
      rowsOf(db, { ...asked, ownerId: null }),
      keysEnding(actor, asked.days),
      readTrustAnchors(),
    ]);
    const until = now().getTime() + asked.days * DAY_MS;
    const ending = anchors.filter(({ at }) => at.getTime() < until);
    return [...rows, ...keys, ...ending].sort((a, b) => a.at.getTime() - b.at.getTime()).slice(0, asked.most);
  },
);

const idOf = (...parts: readonly (string | null)[]): string =>
  sha256(parts.join('\n')).toString('base64url').slice(0, 22);

async function rowsOf(db: Db, asked: Parameters<typeof selectExpiring>[1]): Promise<Expiring[]> {
  return (await selectExpiring(db, asked)).map(toExpiring);
}

function toExpiring(row: ExpiringRow): Expiring {
  const { kind, at, count, clientId, clientName, apiId, apiName, authMethodId, methodName, ref } = row;
  const ofClient = { clientId: clientId ?? '', clientName: clientName ?? '' };
  // a count is of one day, so that it stays one event while it changes
  const day = at.toISOString().slice(0, 10);
  switch (kind) {
    case 'secret':
      return { kind, id: idOf(kind, ref), at, ...ofClient };
    case 'delegations':
    case 'allowances':
      return {
        kind,
        id: idOf(kind, clientId, apiId, day),
        at,
        count,
        ...ofClient,
        apiId: apiId ?? '',
        apiName: apiName ?? '',
      };
    default:
      return {
        kind,
        id: idOf(kind, authMethodId, day),
        at,
        count,
        authMethodId: authMethodId ?? '',
        methodName: methodName ?? '',
      };
  }
}

const keysEnding = async (actor: Actor, days: number): Promise<Expiring[]> =>
  (await listSigningKeys(actor)).flatMap((key) => keyEnding(key, days));

function keyEnding({ kid, alg, state, signsFrom, retiresAt }: KeyRow, days: number): Expiring[] {
  const soon = now().getTime() + days * DAY_MS;
  const one = (what: KeyWhat, at: Date): Expiring[] =>
    at.getTime() > soon ? [] : [{ kind: 'key', id: idOf('key', kid, what), at, what, kid, alg }];
  if (state === 'next') return one('begins', new Date(signsFrom));
  if (state === 'verifies' && retiresAt) return one('leaves', new Date(retiresAt));
  if (state !== 'signs' || retiresAt) return [];
  const due = new Date(new Date(signsFrom).getTime() + ROTATE_AFTER_DAYS * DAY_MS);
  return one(due.getTime() < now().getTime() - DAY_MS ? 'overdue' : 'replaced', due);
}
