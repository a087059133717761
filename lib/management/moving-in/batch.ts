// A batch of lines in one transaction: who is here already, whose names are taken, and the rows of all others.
import { createHash } from 'node:crypto';
import { wrapHash } from '#lib/kit/kept-hashes/kept-hash.ts';
import { type ImportedPerson, referencesOf } from '#lib/moving-in/people/person-line.ts';
import type { Db } from '#lib/store/database/prisma.ts';
import { sealForRow } from '#lib/store/database/sealed.ts';
import {
  findTakenNames,
  type ImportedRow,
  insertImportedIdentities,
  insertImportedParts,
  insertImportedPeople,
  type Taken,
} from '#lib/store/people/imported-people.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { sealPepper } from '#lib/store/sign-in/kept-hashes.ts';

export type ImportLine = { number: number; person: ImportedPerson };
/** `because` of a line that was not carried out. */
export type LineFault = { line: number; because: string };
export const TAKEN_MEANWHILE = 'one of its names was taken meanwhile';
/** `unkept`: people whose claims are left out, since they have no identity that would keep them. */
export type BatchResult = { imported: number; unchanged: number; unkept: number; refused: LineFault[] };

/**
 * The same text for the same person, also if the line has its keys in another order. It is stored, so it says nothing
 * of the secrets of the line: guesses of a password could be tried at it, faster than at the hash that is kept.
 */
export function digestOfLine({ password: _, totp: __, ...person }: ImportedPerson): string {
  const sorted = (value: unknown): unknown =>
    value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([one], [other]) => (one < other ? -1 : 1))
            .map(([key, inner]) => [key, sorted(inner)]),
        )
      : Array.isArray(value)
        ? value.map(sorted)
        : value;
  return createHash('sha256')
    .update(JSON.stringify(sorted(person)))
    .digest('hex');
}

/** By which names people are told apart, with those of the lines before. */
export class TakenNames {
  readonly #digests = new Map<string, string | null>();
  readonly #taken = new Set<string>();

  add({ what, value, digest }: Taken): void {
    if (what === 'id') this.#digests.set(value, digest);
    else this.#taken.add(`${what} ${value}`);
  }

  /** The digest of the line that brought who has the id; undefined: the id is free. */
  digestAt(id: string): string | null | undefined {
    return this.#digests.get(id);
  }

  /** Why the person cannot be written; null: all of their names are free, and are theirs from now on. */
  take(person: ImportedPerson, digest: string): string | null {
    const because = this.#whyNot(person);
    if (because !== null) return because;
    this.add({ what: 'id', value: person.id, digest });
    for (const [name] of namesOf(person)) this.#taken.add(name);
    return null;
  }

  #whyNot(person: ImportedPerson): string | null {
    const group = person.groups.find((one) => !this.#taken.has(`group ${one}`));
    if (group !== undefined) return `there is no group ${group}`;
    const found = namesOf(person).find(([name]) => this.#taken.has(name));
    if (found) return found[1];
    const sub = person.subject ?? person.id;
    if (this.#taken.has(`machine ${sub}`))
      return `${sub} is the client_id of a client, whose own tokens have it as sub`;
    return null;
  }
}

/** Ids, user names and kept subjects share one namespace, in any case of letters. */
function namesOf(person: ImportedPerson): [name: string, because: string][] {
  const { email, identities } = person;
  return [
    ...referencesOf(person).map(([what, name]): [string, string] => [
      `name ${name}`,
      `${what} ${name} is the id, user name or subject of another person`,
    ]),
    ...(email ? [[`email ${email}`, `email ${email} is another person’s`] as [string, string]] : []),
    ...identities.map((one): [string, string] => [
      `identity ${one.auth_method}\n${one.subject}`,
      `the identity ${one.subject} of ${one.auth_method} is another person’s`,
    ]),
  ];
}

const askedNames = (lines: readonly ImportLine[]) => ({
  ids: lines.map(({ person }) => person.id),
  emails: lines.flatMap(({ person }) => person.email ?? []),
  names: lines.flatMap(({ person }) => referencesOf(person).map(([, name]) => name)),
  subjects: lines.map(({ person }) => person.subject ?? person.id),
  groups: lines.flatMap(({ person }) => person.groups),
  identities: lines.flatMap(({ person }) =>
    person.identities.map((one) => ({ authMethodId: one.auth_method, subject: one.subject })),
  ),
});

/** Fast hashes as they are stored, by the id of their person. Each takes as long as a sign-in. */
export type Wrapped = ReadonlyMap<string, string>;

/** Before the transaction, which ends after a while: those of lines that are written, as it looks now. */
export async function wrapHashes(db: Db, lines: readonly ImportLine[], snapshot: Snapshot): Promise<Wrapped> {
  const fast = lines.filter(({ person }) => person.password?.hash.form === 'fast');
  if (fast.length === 0) return new Map();
  const { fresh } = sortLines(lines, await takenBy(db, lines), snapshot);
  return new Map(
    await Promise.all(
      fresh.flatMap(({ person: { id, password } }) =>
        password?.hash.form === 'fast'
          ? [wrapHash(password.hash.hash).then((hash) => [id, hash] as const)]
          : [],
      ),
    ),
  );
}

async function storedHash({ id, password }: ImportedPerson, wrapped: Wrapped): Promise<string | null> {
  if (!password) return null;
  const { form, hash } = password.hash;
  return form === 'fast' ? (wrapped.get(id) ?? wrapHash(hash)) : sealPepper(id, hash);
}

async function rowOf(person: ImportedPerson, digest: string, wrapped: Wrapped): Promise<ImportedRow> {
  const { id, subject, email, username, given_name: given, family_name: family } = person;
  return {
    ...{ id, subject: subject ?? null, email: email ?? null, username: username ?? null },
    emailVerified: email !== undefined && (person.email_verified ?? false),
    name: person.name ?? [given, family].filter(Boolean).join(' '),
    locale: person.locale ?? null,
    zoneinfo: person.zoneinfo ?? null,
    picture: person.picture ?? null,
    disabled: person.disabled ?? false,
    createdAt: person.created_at ?? null,
    passwordHash: await storedHash(person, wrapped),
    mustChangePassword: person.must_change_password ?? false,
    roles: person.roles,
    digest,
  };
}

/** Which lines are written, by what is taken; each gets its digest. */
export function sortLines(lines: readonly ImportLine[], taken: TakenNames, { methods }: Snapshot) {
  const fresh: (ImportLine & { digest: string })[] = [];
  const refused: LineFault[] = [];
  let unchanged = 0;
  for (const { number, person } of lines) {
    const digest = digestOfLine(person);
    const before = taken.digestAt(person.id);
    const unknown = person.identities.find((one) => !methods.has(one.auth_method));
    if (before === digest) unchanged += 1;
    else if (before !== undefined)
      refused.push({ line: number, because: `${person.id} is here with other content, and is not touched` });
    else if (unknown)
      refused.push({ line: number, because: `there is no authentication method ${unknown.auth_method}` });
    else {
      const because = taken.take(person, digest);
      if (because === null) fresh.push({ number, person, digest });
      else refused.push({ line: number, because });
    }
  }
  return { fresh, unchanged, unkept: fresh.filter(hasUnkeptClaims).length, refused };
}

/** `all`: names of lines before. */
export async function takenBy(
  db: Db,
  lines: readonly ImportLine[],
  all = new TakenNames(),
): Promise<TakenNames> {
  for (const one of await findTakenNames(db, askedNames(lines))) all.add(one);
  return all;
}

const hasUnkeptClaims = ({ person }: ImportLine) =>
  person.identities.length === 0 && Object.keys(claimsOf(person)).length > 0;

/** Writes those that are new, in the transaction of `db`. */
export async function writeBatch(
  db: Db,
  run: string,
  lines: readonly ImportLine[],
  snapshot: Snapshot,
  wrapped: Wrapped = new Map(),
): Promise<BatchResult> {
  const { fresh, unchanged, unkept, refused } = sortLines(lines, await takenBy(db, lines), snapshot);
  const rows = await Promise.all(fresh.map(({ person, digest }) => rowOf(person, digest, wrapped)));
  const written = rows.length === 0 ? new Set<string>() : await insertImportedPeople(db, run, rows);
  const made = fresh.filter(({ person }) => written.has(person.id));
  const lost = await insertImportedIdentities(db, made.flatMap(identitiesOf));
  const people = made.filter(({ person }) => !lost.has(person.id));
  for (const one of fresh.filter((line) => !people.includes(line)))
    refused.push({ line: one.number, because: TAKEN_MEANWHILE });
  await insertImportedParts(db, partsOf(people, snapshot));
  return { imported: people.length, unchanged, unkept, refused };
}

const identitiesOf = ({ person }: ImportLine) =>
  person.identities.map(({ auth_method: authMethodId, subject, email, name }) => ({
    ...{ personId: person.id, authMethodId, subject, email: email ?? null, name: name ?? null },
    claims: claimsOf(person),
  }));

function partsOf(people: readonly ImportLine[], { apis, clients }: Snapshot) {
  return {
    groups: people.flatMap(({ person: { id, groups } }) =>
      groups.map((groupId) => ({ personId: id, groupId })),
    ),
    totps: people.flatMap(({ person: { id, totp } }) =>
      totp ? [{ personId: id, sealedSecret: sealForRow('totp_secrets', id, totp.secret) }] : [],
    ),
    consents: people.flatMap(({ person }) =>
      person.consents
        .filter(({ api, client_id: clientId }) => apis.has(api) && clients.get(clientId) !== undefined)
        .map(({ client_id: clientId, api: apiId, scopes, given_at: givenAt }) => ({
          ...{ personId: person.id, clientId, apiId, scopes, givenAt: givenAt ?? null },
        })),
    ),
  };
}

const claimsOf = ({ claims, given_name: given, family_name: family }: ImportedPerson) => ({
  ...(given && { given_name: given }),
  ...(family && { family_name: family }),
  ...claims,
});
