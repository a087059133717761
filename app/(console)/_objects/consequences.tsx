import { type EnglishSentence, english } from '#lib/language/message.ts';
import type { Consequences as Found } from '#lib/management/core/consequences.ts';
import { ASKED_ID, addedSince, agreementTo, type Broken, brokenBy } from '../_forms/confirm.ts';
import { say, spoken } from '../_texts/say.tsx';
import { Callout } from '../_ui/pieces.tsx';

/** This many are named, the others counted. */
const MOST = 10;

type ConsequencesProps = {
  of: Found & { counted?: EnglishSentence[] };
  heading: string;
  /** the agreement that the form was sent with; empty: it is shown for the first time */
  agreed: string;
  /** the form was sent and asks now; false: the page shows it in any case */
  asks?: boolean;
};

/** What saving or deleting breaks, and the field `confirmed`, which agrees to exactly these consequences. */
export function Consequences({ of, heading, agreed, asks = true }: ConsequencesProps) {
  const { told } = spoken();
  const added = (agreed !== '' && addedSince(agreed, of)) || [];
  const known = brokenBy(of).filter(({ digest }) => !added.some((one) => one.digest === digest));
  const lines = [
    ...(of.counted ?? []).map((line) => ({ line })),
    ...known.filter(({ kind }) => kind === 'pending'),
    ...few(known.filter(({ kind }) => kind === 'access')),
    ...(of.endsTokens > 0 ? [{ line: tokens(of.endsTokens, of.people) }] : []),
    ...known.filter(({ kind }) => kind === 'warning'),
  ].map(({ line }) => told(line));
  return (
    <Callout tone="refused" {...(asks && { landing: ASKED_ID })}>
      {added.length > 0 && (
        <>
          <p>
            <strong>{say('New since you looked')}</strong>
          </p>
          <Lines lines={few(added).map(({ line }) => told(line))} />
        </>
      )}
      <p>
        <strong>{heading}</strong>
      </p>
      {lines.length === 0 ? <p>{say('Nothing else depends on it.')}</p> : <Lines lines={lines} />}
      <input type="hidden" name="confirmed" value={agreementTo(of)} />
    </Callout>
  );
}

function few(broken: Broken[]): { line: EnglishSentence }[] {
  const more = broken.length - MOST;
  return [...broken.slice(0, MOST), ...(more > 0 ? [{ line: english('So do {more} more.', { more }) }] : [])];
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

function tokens(count: number, people: number): EnglishSentence {
  return english(
    '{people, plural, one {One person} other {# people}} must sign in again: {count, plural, one {# living sign-in ends} other {# living sign-ins end}}.',
    { people, count },
  );
}
