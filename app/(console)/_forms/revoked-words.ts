export type EndedOfClient = { tokens: number; consents: number; delegations: number; people: number };

const counted = (count: number, one: string, more: string) => `${count} ${count === 1 ? one : more}`;

/** What ends, or has ended, of a client. */
export function endedWords({ tokens, consents, delegations, people }: EndedOfClient): string {
  if (tokens + consents + delegations === 0)
    return 'nothing, for it held no token and nobody had allowed it anything.';
  const parts = [
    counted(tokens, 'living sign-in or token', 'living sign-ins and tokens'),
    counted(consents, 'remembered consent', 'remembered consents'),
    ...(delegations > 0 ? [counted(delegations, 'delegation', 'delegations')] : []),
  ];
  return `${parts.join(', ')}, of ${counted(people, 'person', 'people')}.`;
}
