// The names of the catalogue as data, and which of them a searcher means.
import type { EventName } from './events.ts';

/** A name of the catalogue that is missing here does not compile. */
const CATALOGUE: Record<EventName, true> = {
  'sign_in.succeeded': true,
  'sign_in.refused': true,
  'attempts.limited': true,
  'sign_in.confirmed': true,
  'factor.refused': true,
  'factor.added': true,
  'factor.renamed': true,
  'factor.removed': true,
  'factor.counter_back': true,
  'factor.reset': true,
  'recovery_codes.made': true,
  'recovery_code.used': true,
  'browser.trusted': true,
  'browser.forgotten': true,
  'device.named': true,
  'session.ended': true,
  'logout.undelivered': true,
  'consent.granted': true,
  'consent.refused': true,
  'consent.withdrawn': true,
  'delegation.given': true,
  'delegation.ended': true,
  'device.allowed': true,
  'device.denied': true,
  'code.issued': true,
  'code.reused': true,
  'token.issued': true,
  'token.refreshed': true,
  'token.reused': true,
  'token.revoked': true,
  'token.exchanged': true,
  'id_jag.issued': true,
  'subscription.requested': true,
  'subscription.approved': true,
  'subscription.rejected': true,
  'subscription.decision_undone': true,
  'subscription.suspended': true,
  'subscription.resumed': true,
  'subscription.revoked': true,
  'subscription.changed': true,
  'subscription.terms_changed': true,
  'subscription.returned_to_pending': true,
  'subscription.cancelled': true,
  'subscription.removed': true,
  'agent.approved': true,
  'client.created': true,
  'client.discovered': true,
  'client.changed': true,
  'client.secret_rotated': true,
  'client.secret_added': true,
  'client.secret_dropped': true,
  'client.disabled': true,
  'client.enabled': true,
  'client.revoked': true,
  'client.removed': true,
  'api.created': true,
  'api.changed': true,
  'api.removed': true,
  'auth_method.created': true,
  'auth_method.changed': true,
  'auth_method.removed': true,
  'person.created': true,
  'person.registered': true,
  'person.waiting': true,
  'person.approved': true,
  'person.rejected': true,
  'person.invited': true,
  'invitation.withdrawn': true,
  'person.changed': true,
  'person.disabled': true,
  'person.enabled': true,
  'person.signed_out': true,
  'person.password_set': true,
  'person.password_unchecked': true,
  'person.role_granted': true,
  'person.role_revoked': true,
  'person.removed': true,
  'people.tokens_imported': true,
  'people.imported': true,
  'people.import_undone': true,
  'person.data_read': true,
  'person.explained': true,
  'mail.preview_sent': true,
  'person.email_verified': true,
  'person.identity_linked': true,
  'person.identity_unlinked': true,
  'person.password_reset_asked': true,
  'checklist.done': true,
  'checklist.undone': true,
  'group.created': true,
  'group.changed': true,
  'group.removed': true,
  'group.member_added': true,
  'group.member_removed': true,
  'groups.overage': true,
  'claims.left_out': true,
  'key.created': true,
  'key.retired': true,
  'access.denied': true,
  'service.invalidated': true,
  'connection.tested': true,
  'config.applied': true,
};

export const EVENT_NAMES = Object.keys(CATALOGUE).toSorted((a, b) => (a < b ? -1 : 1)) as EventName[];

/** The parts before the dot, which find all events of their kind: `sign_in.` */
export const EVENT_FAMILIES: readonly string[] = [
  ...new Set(EVENT_NAMES.map((name) => name.slice(0, name.indexOf('.') + 1))),
];

/** `Sign in` as it is written in a name; `refused` may follow the dot. */
const plain = (typed: string) =>
  typed
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');

/**
 * The events that are meant by a name, a beginning of it (`sign_in`, `sign_in.`), or of its part after the dot
 * (`refused`).
 */
export function eventsMeant(typed: string): EventName[] {
  const wanted = plain(typed);
  if (wanted === '') return [];
  const exact = EVENT_NAMES.filter((name) => name === wanted);
  if (exact.length > 0) return exact;
  return EVENT_NAMES.filter((name) =>
    [name, name.slice(name.indexOf('.') + 1), name.replace('.', '_')].some((one) => one.startsWith(wanted)),
  );
}

/** What is wrong with a name that no event has. */
export function unknownEvent(typed: string): string {
  const wanted = plain(typed).slice(0, 100);
  const near = [...EVENT_FAMILIES, ...EVENT_NAMES]
    .map((name) => ({ name, far: distance(wanted, name) }))
    .toSorted((a, b) => a.far - b.far)[0];
  const hint =
    near && near.far <= Math.max(2, wanted.length / 2)
      ? `Did you mean ${near.name}?`
      : 'Choose one of the list.';
  return `No event is called ${typed.trim().replace(/\.+$/, '').slice(0, 100)}. ${hint}`;
}

/** Characters to add, take away or replace (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
