import { Say, say } from '#app/(console)/_texts/say.tsx';
import { Fact, Facts, Panel } from '#app/(console)/_ui/pieces.tsx';
import { When } from '#app/(console)/_ui/when.tsx';
import type { ServiceState } from '#lib/management/upkeep/service-state.ts';

/** More are not counted. */
const MOST_EVENTS = 10_000;

export function Queues({ state: { queues, maintenance } }: { state: ServiceState }) {
  const { subscriptions, registrations, logouts, oldestLogout, webhook } = queues;
  return (
    <Panel id="queues" heading={say('What waits')}>
      <Facts>
        <Fact name={say('Requests of clients')}>
          <a href="/admin/approvals">{say('{count, number}', { count: subscriptions })}</a>
        </Fact>
        <Fact name={say('People who wait for an account')}>
          <a href="/admin/approvals">{say('{count, number}', { count: registrations })}</a>
        </Fact>
        <Fact name={say('Sign-outs that clients are still to be told of')}>
          {oldestLogout === null ? (
            say('{count, number}', { count: logouts })
          ) : (
            <Say
              text="{count}, the oldest {time}"
              values={{ count: logouts, time: <When at={oldestLogout} /> }}
            />
          )}
        </Fact>
        <Fact name={say('Audit events for the webhook')}>
          <Webhook webhook={webhook} />
        </Fact>
        <Fact name={say('Maintenance')}>
          <Maintenance turn={maintenance} />
        </Fact>
      </Facts>
    </Panel>
  );
}

function Webhook({ webhook }: Pick<ServiceState['queues'], 'webhook'>) {
  if (webhook === null) return say('No webhook');
  const { waiting: count, failures } = webhook;
  const waiting =
    count > MOST_EVENTS
      ? say('More than {count, number}', { count: MOST_EVENTS })
      : say('{count, number}', { count });
  if (failures === 0) return waiting;
  return (
    <>
      {waiting}. {say('The last {count, plural, one {try} other {# tries}} failed.', { count: failures })}
    </>
  );
}

function Maintenance({ turn }: { turn: ServiceState['maintenance'] }) {
  return (
    <>
      {turn?.finishedAt ? (
        <Say
          text="The last turn ended {time}, and deleted {rows, plural, one {# row} other {# rows}}."
          values={{ time: <When at={turn.finishedAt} />, rows: turn.deleted }}
        />
      ) : (
        say('No turn yet.')
      )}
      {turn && !turn.complete && ` ${say('There is more to delete.')}`}
      {turn?.failedAt && (
        <>
          {' '}
          <Say
            text="It failed {time}: {why}"
            values={{ time: <When at={turn.failedAt} />, why: <bdi>{turn.failure}</bdi> }}
          />
        </>
      )}
    </>
  );
}
