// Names of events in words.

/** Converts `subscription.returned_to_pending` to "Subscription returned to pending". */
export function inWords(event: string): string {
  const words = event
    .replace(/^auth_method/, 'sign-in method')
    .replace(/^api\b/, 'API')
    .replace(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
