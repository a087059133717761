// Prefixes of event names that the filter offers; each finds all events of its kind.
export const EVENT_KINDS = [
  'access.denied',
  'api.',
  'attempts.limited',
  'auth_method.',
  'client.',
  'code.',
  'config.applied',
  'consent.',
  'delegation.',
  'key.',
  'logout.undelivered',
  'person.',
  'service.invalidated',
  'session.ended',
  'sign_in.',
  'sign_in.refused',
  'subscription.',
  'token.',
] as const;

/** `subscription.returned_to_pending`: "Subscription returned to pending" */
export function inWords(event: string): string {
  const words = event
    .replace(/^auth_method/, 'sign-in method')
    .replace(/^api\b/, 'API')
    .replace(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
