import { ownValue } from '#lib/kit/own-value.ts';
import type { SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { isPowerful } from '#lib/registry/objects/subscription-states.ts';
import { Say, say, spoken } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { Panel } from '../_ui/pieces.tsx';
import { powersInWords, stepWords } from '../_ui/subscription-words.ts';
import { When } from '../_ui/when.tsx';

const AUTHORS: Readonly<Record<string, string>> = toSay({
  config: 'the configuration file',
  operator: 'the command line',
});

const valuesOf = (step: SubscriptionView['history'][number]) => ({
  step: (
    <>
      <strong>{spoken().told(stepWords(step.from, step.to))}</strong>
      {isPowerful(step) && ` (${spoken().told(powersInWords(step))})`}
    </>
  ),
  who: <bdi>{authorOf(step.actor)}</bdi>,
  time: <When at={step.at} />,
});

function authorOf(actor: string): string {
  const known = ownValue(AUTHORS, actor);
  if (known !== undefined) return say(known);
  const [, id] = /^client (.+)$/s.exec(actor) ?? [];
  return id === undefined ? actor : say('the client {id}', { id });
}

type Requested = Pick<SubscriptionView, 'history' | 'requestedByEmail' | 'ownerEmail'>;

/** The actor of the last request: a person by their address, a program, the file or the command line. */
export function requesterIn({ history, requestedByEmail, ownerEmail }: Requested): string {
  const asked = history.findLast(({ from, to }) => to === 'pending' && from !== 'pending')?.actor;
  const isPerson =
    asked === undefined || (ownValue(AUTHORS, asked) === undefined && !asked.startsWith('client '));
  const person = requestedByEmail ?? asked ?? ownerEmail;
  return isPerson && person !== null ? person : authorOf(asked ?? 'config');
}

/** The changes of a subscription’s state, newest first. */
export function History({ of }: { of: SubscriptionView }) {
  if (of.history.length === 0) return null;
  return (
    <Panel id="history" heading={say('History')}>
      <ol className="history">
        {[...of.history].reverse().map((step) => (
          <li key={`${step.at} ${step.to}`}>
            <p>
              {step.undoneAt ? (
                <Say
                  text="{step} by {who}, {time}, taken back {undone}"
                  values={{ ...valuesOf(step), undone: <When at={step.undoneAt} /> }}
                />
              ) : (
                <Say text="{step} by {who}, {time}" values={valuesOf(step)} />
              )}
            </p>
            {step.reason && <blockquote>{step.reason}</blockquote>}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
