import type { Consequences as Found } from '#lib/management/index.ts';
import { fingerprint } from '../_forms/confirm.ts';
import { Callout } from './pieces.tsx';

/** Of an API with thousands of clients a few are named, and the rest counted. */
const MOST = 10;

/** What saving or deleting breaks, and the field that says that it was read: of use for exactly this list. */
export function Consequences({ of, heading }: { of: Found; heading: string }) {
  const { returnsToPending, losesAccess, endsTokens, people, warnings } = of;
  const lines = [
    ...returnsToPending.map(
      ({ apiName }) =>
        `The trusted subscription to ${apiName} waits for approval again. Until then it gets no tokens and renews none.`,
    ),
    ...losesAccess.slice(0, MOST).map(({ clientId, api }) => `${clientId} loses its access to ${api}.`),
    ...(losesAccess.length > MOST ? [`So do ${losesAccess.length - MOST} more.`] : []),
    ...(endsTokens > 0 ? [tokens(endsTokens, people)] : []),
    ...warnings,
  ];
  return (
    <Callout tone="refused">
      <p>
        <strong>{heading}</strong>
      </p>
      {lines.length === 0 ? <p>Nothing else depends on it.</p> : <Lines lines={lines} />}
      <input type="hidden" name="confirmed" value={fingerprint(of)} />
    </Callout>
  );
}

function Lines({ lines }: { lines: string[] }) {
  return (
    <ul>
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  );
}

function tokens(count: number, people: number): string {
  const whose = people === 1 ? 'one person' : `${people} people`;
  return `${whose.charAt(0).toUpperCase()}${whose.slice(1)} must sign in again: ${count} living ${count === 1 ? 'sign-in ends' : 'sign-ins end'}.`;
}
