// What a trial of a directory says of its answers.
import type { Sentence } from '#lib/kit/sentence.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import type { ProbeVerdict } from '../kind.ts';
import { WrongResult } from './answers.ts';
import type { Directory } from './directory.ts';
import { NO_SENSE } from './gate.ts';
import { NoVerdict } from './servers.ts';

/** `next`: what the step after it needs; null: there is none. */
export type TrialAnswer<Next> = ProbeVerdict & { answered?: string; next: Next | null };

/** Takes a step; null: it ends there. `check` names the {server}. */
export type Take = <Next>(
  check: Sentence,
  sent: string,
  work: () => Promise<TrialAnswer<Next>>,
) => Promise<Next | null>;

export const brokenStep = (found: Sentence, change: Sentence): ProbeVerdict => ({
  state: 'broken',
  found,
  change,
});

const ENDS_SOON_DAYS = 30;

/** Of a connection that is there. */
export function certified(until: Date | null, now: Date): ProbeVerdict & { answered?: string } {
  if (until === null)
    return {
      state: 'warning',
      found: { text: 'It answers, and passwords go to it without TLS.' },
      change: { text: 'Use ldaps://, or StartTLS.' },
    };
  const days = Math.floor((until.getTime() - now.getTime()) / 86_400_000);
  const answered = `TLS, notAfter ${until.toISOString().slice(0, 10)}`;
  if (days >= ENDS_SOON_DAYS)
    return { state: 'ok', answered, found: { text: 'It answers, and its certificate is right.' } };
  return {
    ...{ state: 'warning', answered },
    found: { text: 'Days until its certificate ends: {days}.', values: { days } },
    change: { text: 'Renew the certificate there.' },
  };
}

type Words = (directory: Directory) => ProbeVerdict;

const NEEDS_TLS: Words = () =>
  brokenStep(
    { text: 'It takes passwords by TLS alone.' },
    { text: 'Use ldaps:// (port 636), or StartTLS on port 389.' },
  );
const MAY_NOT: Words = () =>
  brokenStep(
    { text: 'It does not let this account search.' },
    { text: 'Name an account that may read the people (bind_dn), or give it the right there.' },
  );

/** RFC 4511 §A.1 */
const BY_CODE: ReadonlyMap<number, Words> = new Map([
  // Active Directory says it of a search without a bind
  [1, MAY_NOT],
  [
    4,
    () =>
      brokenStep(
        { text: 'It gives fewer entries than were asked for.' },
        { text: 'Raise its limit on the size of a search for this account, to 2 at least.' },
      ),
  ],
  [8, NEEDS_TLS],
  [
    10,
    () =>
      brokenStep(
        { text: 'It refers to another server, and referrals are never followed.' },
        { text: 'Name that server (urls), or a place that this one holds (base_dn).' },
      ),
  ],
  [13, NEEDS_TLS],
  [
    32,
    ({ baseDn }) =>
      brokenStep(
        { text: 'There is no {base} there, or the account may not see it.', values: { base: baseDn } },
        { text: 'Compare the place with the directory (base_dn), and what the account may read.' },
      ),
  ],
  [50, MAY_NOT],
]);

/** Null: it is no answer. */
export function byResult(
  error: unknown,
  directory: Directory,
): (ProbeVerdict & { answered: string | null }) | null {
  if (error instanceof WrongResult) {
    const { code } = error;
    const words = BY_CODE.get(code);
    const verdict = words
      ? words(directory)
      : brokenStep(
          { text: 'It answers with the result {code}, which does not count.', values: { code } },
          { text: 'RFC 4511, appendix A, says what the result means; its log may say why.' },
        );
    return { ...verdict, answered: `result ${code}` };
  }
  const because = error instanceof NoVerdict ? error.message : faultIn(error);
  return because === null ? null : { ...noVerdict(because), answered: null };
}

/** What ended the connection; null: it is no answer, or none of a directory. */
function faultIn(error: unknown): string | null {
  if (!(error instanceof OutboundFailed) || error.reason !== 'bad-answer') return null;
  const { cause } = error;
  return cause instanceof Error && cause.message !== NO_SENSE ? cause.message : null;
}

export const noVerdict = (because: string): ProbeVerdict =>
  brokenStep(
    {
      text: 'This answer does not count, and signs no one in: {because}.',
      values: { because },
    },
    { text: 'Check the servers and their ports, and look into the log there.' },
  );
