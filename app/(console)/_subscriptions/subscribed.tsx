import type { CatalogueEntry } from '#lib/management/registry/apis.ts';
import type { SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { reachOf } from '#lib/registry/objects/subscription-states.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { Say, say, sayText } from '../_texts/say.tsx';
import { Callout, Fact, Facts, Panel, Pill, StatePill } from '../_ui/pieces.tsx';
import { IDLE_WORDS, STATE_WORDS } from '../_ui/subscription-words.ts';
import { When } from '../_ui/when.tsx';
import { History } from './history.tsx';
import { TermsFacts } from './terms-fields.tsx';

type SubscribedProps = {
  of: SubscriptionView;
  api: CatalogueEntry;
  /** the client has no redirect address */
  background: boolean;
};

/** A subscription's state, for the developer. */
export function Subscribed({ of, api, background }: SubscribedProps) {
  const works = of.state === 'approved' && api.methods.length > 0;
  const idle = of.state === 'approved' && background && !of.machine;
  const decided = of.decidedByEmail && of.decidedAt && of.state !== 'pending';
  return (
    <>
      {of.state === 'rejected' && (
        <Callout tone="refused">
          <p>
            <strong>
              {of.decidedByEmail
                ? say('It was rejected by {who}.', { who: of.decidedByEmail })
                : say('It was rejected.')}
            </strong>
          </p>
          {of.reason && <blockquote>{of.reason}</blockquote>}
        </Callout>
      )}
      <Panel
        id="state"
        heading={say('State')}
        aside={
          <span className="pills">
            <StatePill state={of.state} />
            {of.trusted && <Pill tone="neutral">{say('trusted')}</Pill>}
            {of.machine && <Pill tone="neutral">{say('machine')}</Pill>}
            {of.device && <Pill tone="neutral">{say('device')}</Pill>}
          </span>
        }
        lead={say(idle ? IDLE_WORDS : STATE_WORDS[of.state])}
      >
        <Facts>
          <Fact name={say('May do')}>
            <ul>
              {reachOf(of).map(({ name, description }) => (
                <li key={name}>
                  {sayText(description) || name} <code>{name}</code>
                </li>
              ))}
            </ul>
          </Fact>
          <TermsFacts of={of} />
          {of.message && (
            <Fact name={say('Your message')}>
              <blockquote>{of.message}</blockquote>
            </Fact>
          )}
          {of.state === 'suspended' && of.reason && <Fact name={say('Why')}>{of.reason}</Fact>}
          {decided && (
            <Fact name={say('Decided')}>
              <Say
                text="by {who}, {time}"
                values={{ who: of.decidedByEmail, time: <When at={of.decidedAt} /> }}
              />
            </Fact>
          )}
          <Fact name={say('Sign-in methods')}>
            {api.methods.map(({ name }) => sayText(name)).join(', ') || say('None yet')}
          </Fact>
        </Facts>
        {(works || of.may.cancel) && (
          <div className="form-actions">
            {works && (
              <>
                <a
                  className="button plain"
                  href={`${clientPath('developer', of.clientId, 'code')}?${new URLSearchParams({ api: of.api })}`}
                >
                  {say('Code to start with')}
                </a>
                {!background && (
                  <a
                    className="button plain"
                    href={`/developer/playground?${new URLSearchParams({ client: of.clientId })}`}
                  >
                    {say('Try it in the playground')}
                  </a>
                )}
              </>
            )}
            {of.may.cancel && (
              <a
                className="button danger"
                href={clientPath('developer', of.clientId, 'apis', of.api, 'cancel')}
              >
                {of.state === 'approved'
                  ? say('Unsubscribe (revokes its tokens)…')
                  : say('Withdraw the request…')}
              </a>
            )}
          </div>
        )}
      </Panel>
      <History of={of} />
    </>
  );
}
