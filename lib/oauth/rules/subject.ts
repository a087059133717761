// By which `sub` a client knows a person (OpenID Connect Core §8): the person's id, or, where the API or the client
// wants it pairwise, a value that only the client's sector is told. No person is looked up by such a value: who is
// asked about one knows the person already, and compares.
import { createHmac } from 'node:crypto';
import { subjectSalt } from '#lib/keys/index.ts';
import { BUILT_IN_API, PAIRWISE_SUB, PERSON_ID, sectorOf } from '#lib/registry/index.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/index.ts';
import type { Issuer } from './issuer.ts';

type At = Pick<Issuer, 'api' | 'snapshot'>;

/** The management API speaks of people by their ids, so its tokens do too (docs/decisions/0022). */
export function isPairwise(
  { subjectType }: Pick<SnapshotClient, 'subjectType'>,
  { id, pairwiseSubjects }: Pick<SnapshotApi, 'id' | 'pairwiseSubjects'>,
): boolean {
  return id !== BUILT_IN_API && (pairwiseSubjects || subjectType === 'pairwise');
}

/** For the metadata of the API's issuers. */
export function subjectTypesAt({ id, pairwiseSubjects }: SnapshotApi): string[] {
  if (id === BUILT_IN_API) return ['public'];
  return pairwiseSubjects ? ['pairwise'] : ['public', 'pairwise'];
}

/**
 * The id of a person or of a session (`sid`) as this client hears it. Pairwise: 43 base64url characters, HMAC-SHA-256
 * of the sector and the id under the service's salt.
 */
export async function heardBy(client: SnapshotClient, id: string, { api, snapshot }: At): Promise<string> {
  if (!isPairwise(client, api)) return id;
  return createHmac('sha256', await subjectSalt(snapshot))
    .update(`${sectorOf(client)}\n${id}`)
    .digest('base64url');
}

type Act = Record<string, unknown>;

/** Who acts for the person, and who did before (RFC 8693 §4.1), as this client hears of them. */
export async function actorsHeardBy(client: SnapshotClient, act: Act | null, at: At): Promise<Act | null> {
  if (act === null || !isPairwise(client, at.api)) return act;
  const before = (act['act'] ?? null) as Act | null;
  const sub = String(act['sub']);
  return {
    ...act,
    // a client in its own name has one name everywhere
    sub: sub === act['client_id'] ? sub : await heardBy(client, sub, at),
    ...(before && { act: await actorsHeardBy(client, before, at) }),
  };
}

/** Whether this could be the `sub` of anybody to this client. */
export function isPossibleSub(client: SnapshotClient, sub: string, api: SnapshotApi): boolean {
  return (isPairwise(client, api) ? PAIRWISE_SUB : PERSON_ID).test(sub);
}

/** No person has this id. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/**
 * The person that a client means by a `sub`, told apart from everybody else: the id, where `present` gives the person
 * who is there and it is them. `present` is asked only where the `sub` is pairwise.
 */
export async function personMeant(
  client: SnapshotClient,
  sub: string | null,
  at: At,
  present: () => Promise<string | null>,
): Promise<string | null> {
  if (sub === null || !isPairwise(client, at.api)) return sub;
  const personId = await present();
  return personId !== null && (await heardBy(client, personId, at)) === sub ? personId : NOBODY;
}
