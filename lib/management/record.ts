// Writes audit events, with the actor, request id and IP address of the operation's actor. A test forbids other
// access to the audit log in this folder.

import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { recordEvent } from '#lib/audit/audit-log.ts';
import type { ClientValues } from '#lib/catalogue/clients/definition.ts';
import type { AuditEvent } from '#lib/registry/audit-event.ts';
import type { Unchecked } from '#lib/registry/definition.ts';
import { flatText, withFlatTexts } from '#lib/registry/own-texts.ts';
import type { Db } from '#lib/store/prisma.ts';
import { type Actor, authorNames, type RequestFacts } from './policy.ts';

/** An actor who is not signed in but opened a link from a mail. `personId` null: the person is not known. */
export type Author = { kind: 'link'; personId: string | null; request: RequestFacts };

type Authored = 'actor' | 'requestId' | 'ip';
type WithoutAuthor<Event> = Event extends unknown ? Omit<Event, Authored> : never;

export function record(by: Actor | Author, event: WithoutAuthor<AuditEvent>, db?: Db): Promise<void> {
  return recordEvent({ ...event, ...authorOf(by) } as AuditEvent, db);
}

/** Returns actor, request id and IP address, for modules that write their events themselves. */
export function authorOf(by: Actor | Author) {
  // the operator and the configuration file have no request
  const request = 'request' in by ? by.request : null;
  return { actor: nameOf(by), requestId: request?.id, ip: request?.ip ?? undefined };
}

function nameOf(by: Actor | Author): string | undefined {
  if (by.kind === 'link') return by.personId ?? undefined;
  if (by.kind === 'machine') return `client:${by.clientId}`;
  return by.kind === 'person' ? by.id : authorNames[by.kind];
}

// A change: the changed object, and its differences for the audit log.

type Values = Record<string, unknown>;
/** `changed`: the names of the fields that differ */
type Changes = { changed: string[]; before: Values; after: Values };

/** Merges the change into the fields that the object defines, without validating it. */
export function withChange(definition: z.ZodObject, old: object, change: object): Unchecked {
  const before = old as Values;
  const changedEntries = Object.entries(change).filter(([, value]) => value !== undefined);
  const oldEntries = Object.keys(definition.shape).map((name) => [name, before[name]]);
  return Object.fromEntries([...oldEntries, ...changedEntries]);
}

/**
 * Fields with texts by language. Their order matters, because the first text is used for a language without a
 * text.
 */
const WITH_TEXTS = ['name', 'description', 'scopes'];

const isSame = (key: string, a: unknown, b: unknown): boolean =>
  isDeepStrictEqual(a, b) && (!WITH_TEXTS.includes(key) || JSON.stringify(a) === JSON.stringify(b));

/**
 * Compares the fields of `fresh`, or the fields in `keys` if fields can appear and disappear. Each text of a page or
 * mail is a separate field, because all texts together can exceed the size limit of the log.
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

/** True if the identity changed so that consents become invalid: a new name, or a further redirect URI. */
export const changesIdentity = (before: Identity, after: Identity): boolean =>
  !isSame('name', before.name, after.name) ||
  after.redirectUris.some((uri) => !before.redirectUris.includes(uri));
