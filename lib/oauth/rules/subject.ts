// By which `sub` a client knows a person (OpenID Connect Core §8): the person's id, or, where the API or the client
// wants it pairwise, a value that only the client's sector is told. No person is looked up by such a value: who is
// asked about one knows the person already, and compares. People of another service may have brought a subject along:
// where it is not pairwise, it takes the place of the id.
import { createHmac } from 'node:crypto';
import { subjectSalt } from '#lib/keys/subject-salt.ts';
import { sectorOf } from '#lib/registry/clients/sector.ts';
import { PAIRWISE_SUB, PERSON_ID } from '#lib/registry/clients/subject-forms.ts';
import { BUILT_IN_API } from '#lib/registry/objects/api.ts';
import type { SnapshotApi, SnapshotClient } from '#lib/store/registry/snapshot-rows.ts';
import { findKeptSubject, findPersonBySub } from '#lib/store/sign-in/kept-subjects.ts';
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

/** Pairwise: 43 base64url characters, HMAC-SHA-256 of the sector and the id under the service's salt. */
async function pairwise(client: SnapshotClient, id: string, { snapshot }: At): Promise<string> {
  return createHmac('sha256', await subjectSalt(snapshot))
    .update(`${sectorOf(client)}\n${id}`)
    .digest('base64url');
}

/** Whether a person may have another `sub` than their id here. */
const hasKept = ({ api, snapshot }: At): boolean => snapshot.keptSubjects && api.id !== BUILT_IN_API;

/** A person as this client hears of them. */
export async function heardBy(client: SnapshotClient, personId: string, at: At): Promise<string> {
  if (isPairwise(client, at.api)) return pairwise(client, personId, at);
  return (hasKept(at) ? await findKeptSubject(personId, at.snapshot.keptEpoch) : null) ?? personId;
}

/** A session (`sid`) as this client hears of it. */
export async function sessionHeardBy(client: SnapshotClient, sid: string, at: At): Promise<string> {
  return isPairwise(client, at.api) ? pairwise(client, sid, at) : sid;
}

type Act = Record<string, unknown>;

/** Who acts for the person, and who did before (RFC 8693 §4.1), as this client hears of them. */
export async function actorsHeardBy(client: SnapshotClient, act: Act | null, at: At): Promise<Act | null> {
  if (act === null || !(isPairwise(client, at.api) || hasKept(at))) return act;
  const before = (act['act'] ?? null) as Act | null;
  const sub = String(act['sub']);
  return {
    ...act,
    // a client in its own name has one name everywhere
    sub: sub === act['client_id'] ? sub : await heardBy(client, sub, at),
    ...(before && { act: await actorsHeardBy(client, before, at) }),
  };
}

const VISIBLE = /^[\x21-\x7e]{1,255}$/;

/** Whether this could be the `sub` of anybody to this client. */
export function isPossibleSub(client: SnapshotClient, sub: string, at: At): boolean {
  if (isPairwise(client, at.api)) return PAIRWISE_SUB.test(sub);
  return (hasKept(at) ? VISIBLE : PERSON_ID).test(sub);
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
  if (sub === null) return null;
  if (!isPairwise(client, at.api)) return personOfSub(sub, at);
  const personId = await present();
  return personId !== null && (await heardBy(client, personId, at)) === sub ? personId : NOBODY;
}

/** The person of a `sub` that is not pairwise; an id that no person has, where it is none's. */
export async function personOfSub(sub: string, at: At): Promise<string> {
  return hasKept(at) ? ((await findPersonBySub(sub)) ?? NOBODY) : sub;
}
