import { ownValue } from '#lib/kit/index.ts';
import type { SubscriptionView } from '#lib/management/index.ts';
import { isPowerful } from '#lib/registry/index.ts';
import { say } from '../_texts/say.tsx';
import { Panel } from '../_ui/pieces.tsx';
import { powersInWords, stepWords } from '../_ui/subscription-words.ts';
import { When } from '../_ui/when.tsx';

const AUTHORS: Record<string, string> = {
  config: 'the configuration file',
  operator: 'the command line',
};

/** The changes of a subscription's state, newest first. */
export function History({ of }: { of: SubscriptionView }) {
  if (of.history.length === 0) return null;
  return (
    <Panel id="history" heading={say('History')}>
      <ol className="history">
        {[...of.history].reverse().map((step) => (
          <li key={`${step.at} ${step.to}`}>
            <p>
              <strong>{stepWords(step.from, step.to)}</strong>
              {isPowerful(step) && ` (${powersInWords(step)})`} by{' '}
              <bdi>{ownValue(AUTHORS, step.actor) ?? step.actor}</bdi>, <When at={step.at} />
              {step.undoneAt && (
                <>
                  , taken back <When at={step.undoneAt} />
                </>
              )}
            </p>
            {step.reason && <blockquote>{step.reason}</blockquote>}
          </li>
        ))}
      </ol>
    </Panel>
  );
}
