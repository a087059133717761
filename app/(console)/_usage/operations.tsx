// What the service did, for its operators: how much, what was refused and why, who answered slowly, what ends soon.

import type { ReactNode } from 'react';
import { readOverview } from '#lib/management/service/overview.ts';
import { readUsage, type Usage } from '#lib/management/service/usage.ts';
import { listExpiring } from '#lib/management/upkeep/expiring.ts';
import { say, spoken } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { Callout, Empty, Panel, Title } from '../_ui/pieces.tsx';
import { INBOX } from '../_ui/subscription-words.ts';
import { withQuery } from '../_ui/with-query.ts';
import { ExpiringList } from '../_upkeep/expiring-list.tsx';
import { FirstDay } from '../_upkeep/first-day.tsx';
import type { Visit } from '../_visit/visit.tsx';
import { Calls } from './calls.tsx';
import { Chart, type Series } from './chart.tsx';
import { Filters, type Given, givenOf, RANGES } from './filters.tsx';
import { By, Refusals } from './tables.tsx';
import { SIGN_INS, TOKENS } from './words.ts';

const HERE = '/admin';
const LEADS = toSay({
  hour: 'What this service did in the last hour, up to a minute ago. Times are UTC.',
  day: 'What this service did in the last day, up to a minute ago. Times are UTC.',
  week: 'What this service did in the last week, up to a minute ago. Times are UTC.',
});
const SOON_DAYS = 14;

export async function Operations(visited: Visit) {
  const { actor, query } = visited;
  const given = givenOf(query);
  const { range, api, method } = given;
  const asked = { range, ...(api && { apiId: api }), ...(method && { authMethodId: method }) };
  const [usage, ending, { pending }] = await Promise.all([
    readUsage(actor, asked),
    listExpiring(actor, { own: false, days: SOON_DAYS, most: 10 }),
    readOverview(actor),
  ]);
  const all = totals(usage);
  return (
    <>
      <Title lead={say(LEADS[range])}>{say('Operations')}</Title>
      <FirstDay {...visited} />
      <nav className="switch" aria-label={say('Time')}>
        {RANGES.map((one) => (
          <a
            key={one}
            href={linkTo({ ...given, range: one })}
            aria-current={one === range ? 'page' : undefined}
          >
            {one === 'week' ? say('A week') : one === 'day' ? say('A day') : say('An hour')}
          </a>
        ))}
      </nav>
      <Filters action={HERE} given={given} choices={usage.choices} />
      {usage.faults.length > 0 && (
        <Callout tone="refused">
          {usage.faults.map((fault) => (
            <p key={fault.text}>{spoken().told(fault)}</p>
          ))}
        </Callout>
      )}
      {pending > 0 && (
        <Callout>
          <p>
            {say(
              '{count, plural, one {# request waits for a decision.} other {# requests wait for a decision.}}',
              { count: pending },
            )}{' '}
            <a href={INBOX}>{say('Open the inbox')}</a>
          </p>
        </Callout>
      )}
      <div className="usage">
        {all.signIns + all.tokens + all.refusals === 0 ? (
          <Nothing given={given} />
        ) : (
          <Pictures usage={usage} all={all} given={given} />
        )}
        <Panel
          id="ending"
          heading={say('Ends soon')}
          lead={say('Within two weeks.')}
          aside={<a href="/admin/service#expiring">{say('All of it')}</a>}
        >
          <ExpiringList rows={ending} area="admin" none={say('Nothing does.')} />
        </Panel>
      </div>
    </>
  );
}

const linkTo = ({ range, api, method }: Given): string =>
  withQuery(HERE, { range: range === 'day' ? '' : range, api, auth_method: method });

type Totals = { signIns: number; tokens: number; refusals: number };

function totals({ steps }: Usage): Totals {
  const sum = (of: (step: Usage['steps'][number]) => number) =>
    steps.reduce((all, step) => all + of(step), 0);
  const each = (counts: Record<string, number>) => Object.values(counts).reduce((all, n) => all + n, 0);
  return {
    signIns: sum(({ signIns }) => each(signIns)),
    tokens: sum(({ tokens }) => each(tokens)),
    refusals: sum(({ refusals }) => refusals),
  };
}

function Nothing({ given }: { given: Given }) {
  const narrowed = given.api !== '' || given.method !== '';
  return (
    <Empty heading={narrowed ? say('Nothing of that in this time') : say('Nothing has happened yet')}>
      <p>
        {narrowed
          ? say('Look at a longer time, or at every API and method.')
          : say(
              'Sign-ins, tokens and refusals are counted here from the first one on. The documentation shows how a client gets its first token.',
            )}
      </p>
      <p>
        {narrowed ? (
          <a href={HERE}>{say('Everything')}</a>
        ) : (
          <a href="/documentation">{say('Documentation')}</a>
        )}
      </p>
    </Empty>
  );
}

function Pictures({ usage, all, given }: { usage: Usage; all: Totals; given: Given }) {
  const { steps, stepMinutes } = usage;
  const shared = { times: steps.map(({ at }) => at), stepMinutes };
  const seriesOf = (kinds: typeof SIGN_INS, of: (step: Usage['steps'][number]) => Record<string, number>) =>
    kinds
      .map(([key, name, tone]) => ({
        name: say(name),
        tone,
        values: steps.map((step) => of(step)[key] ?? 0),
      }))
      .filter(({ values }, at) => at === 0 || values.some((value) => value > 0));
  const succeeded = steps.reduce((sum, { signIns }) => sum + (signIns['succeeded'] ?? 0), 0);
  return (
    <>
      <div className="columns">
        <Picture
          id="sign-ins"
          heading={say('Sign-ins')}
          lead={say(
            '{count, plural, one {# sign-in} other {# sign-ins}}, and {failed, plural, one {# attempt} other {# attempts}} that failed.',
            { count: succeeded, failed: all.signIns - succeeded },
          )}
          series={seriesOf(SIGN_INS, (step) => step.signIns)}
          {...shared}
        />
        <Picture
          id="tokens"
          heading={say('Tokens')}
          lead={say(
            '{count, plural, one {# answer with an access token.} other {# answers with an access token.}}',
            { count: all.tokens },
          )}
          series={seriesOf(TOKENS, (step) => step.tokens)}
          {...shared}
        />
      </div>
      <Picture
        id="refusals"
        heading={say('Refusals')}
        lead={say(
          '{count, plural, one {# request of clients refused.} other {# requests of clients refused.}}',
          { count: all.refusals },
        )}
        series={[{ name: say('refused'), tone: 'refused', values: steps.map((step) => step.refusals) }]}
        {...shared}
      >
        <Refusals rows={usage.refusals} all={all.refusals} />
      </Picture>
      <Panel
        id="calls"
        heading={say('Verifiers and brokers')}
        lead={say(
          'How long the services that check people took to answer, of every API. Those that gave no answer come first.',
        )}
      >
        <Calls calls={usage.calls} />
      </Panel>
      <div className="columns">
        <Panel id="by-api" heading={say('By API')} lead={say('The busiest.')}>
          <By
            what={say('API')}
            rows={usage.apis}
            none={say('No API (console, exchanges)')}
            link={(api) => linkTo({ ...given, api })}
          />
        </Panel>
        <Panel id="by-method" heading={say('By method')} lead={say('The busiest.')}>
          <By
            what={say('Method')}
            rows={usage.methods}
            none={say('No method')}
            link={(method) => linkTo({ ...given, method })}
          />
        </Panel>
      </div>
    </>
  );
}

type PictureProps = {
  id: string;
  heading: string;
  lead: string;
  times: readonly Date[];
  stepMinutes: number;
  series: readonly Series[];
  children?: ReactNode;
};

/** A number over time, with the sentence that says how much it is in all. */
function Picture({ id, heading, lead, children, ...drawn }: PictureProps) {
  return (
    <Panel id={id} heading={heading} lead={lead}>
      <Chart
        id={`${id}-chart`}
        title={say('{what} over time', { what: heading })}
        summary={lead}
        {...drawn}
      />
      {children}
    </Panel>
  );
}
