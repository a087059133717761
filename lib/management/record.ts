// Writes audit events with actor, request id and IP from the actor. A test forbids direct audit log access in this
// folder.

import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { recordEvent } from '#lib/audit/audit-log.ts';
import type { AuditEvent } from '#lib/audit/events.ts';
import type { ClientValues } from '#lib/registry/client.ts';
import type { Unchecked } from '#lib/registry/definition.ts';
import { flatText, withFlatTexts } from '#lib/registry/own-texts.ts';
import type { Db } from '#lib/store/prisma.ts';
import { type Actor, authorNames, type RequestFacts } from './policy.ts';

/** Author without sign-in: the holder of a link. `personId` is null if the person is unknown. */
export type Author = { kind: 'link'; personId: string | null; request: RequestFacts };

type Authored = 'actor' | 'requestId' | 'ip';
type WithoutAuthor<Event> = Event extends unknown ? Omit<Event, Authored> : never;

export function record(by: Actor | Author, event: WithoutAuthor<AuditEvent>, db?: Db): Promise<void> {
  return recordEvent({ ...event, ...authorOf(by) } as AuditEvent, db);
}

/** For modules that write events themselves. */
export function authorOf(by: Actor | Author) {
  // operator and configuration have no request
  const request = 'request' in by ? by.request : null;
  return { actor: nameOf(by), requestId: request?.id, ip: request?.ip ?? undefined };
}

function nameOf(by: Actor | Author): string | undefined {
  if (by.kind === 'link') return by.personId ?? undefined;
  if (by.kind === 'machine') return `client:${by.clientId}`;
  return by.kind === 'person' ? by.id : authorNames[by.kind];
}

// An edit: the changed object, and the difference for the audit log.

type Values = Record<string, unknown>;
/** `changed`: the names of the fields that differ */
type Changes = { changed: string[]; before: Values; after: Values };

/** Merges the change into the object’s defined fields, without validation. */
export function withChange(definition: z.ZodObject, old: object, change: object): Unchecked {
  const before = old as Values;
  const given = Object.entries(change).filter(([, value]) => value !== undefined);
  const kept = Object.keys(definition.shape).map((name) => [name, before[name]]);
  return Object.fromEntries([...kept, ...given]);
}

/** The order of texts by language matters: the first text is used for languages without a text. */
const WITH_TEXTS = ['name', 'description', 'scopes'];

const isSame = (key: string, a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(a, b) && (!WITH_TEXTS.includes(key) || JSON.stringify(a) === JSON.stringify(b));

/**
 * Compares the fields of `fresh`, or `keys` if fields may appear and disappear. Each page or mail text is a separate
 * field, because together they exceed the log’s size limit.
 */
export function changesOf(old: object, fresh: object, keys: Iterable<string> = Object.keys(fresh)): Changes {
  const [before, after] = [withFlatTexts(old as Values), withFlatTexts(fresh as Values)];
  const named = [...keys].flatMap((key) => (key === 'texts' ? textsIn({ ...before, ...after }) : [key]));
  const changed = named.filter((key) => !isSame(key, before[key], after[key]));
  const pick = (values: Values) => Object.fromEntries(changed.map((key) => [key, values[key] ?? null]));
  return { changed, before: pick(before), after: pick(after) };
}

const textsIn = (fields: Values) => Object.keys(fields).filter((name) => flatText(name) !== null);

type Identity = Pick<ClientValues, 'name' | 'redirectUris'>;

/** Detects an identity change that invalidates consents: new name or additional redirect URI. */
export const changesIdentity = (before: Identity, after: Identity): boolean =>
  !isSame('name', before.name, after.name) ||
  after.redirectUris.some((uri) => !before.redirectUris.includes(uri));
