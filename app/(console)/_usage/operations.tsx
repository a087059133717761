// What the service did, for its operators: how much, what was refused and why, who answered slowly, what ends soon.
import { listEndingSoon, readOverview, readUsage, type Usage } from '#lib/management/index.ts';
import { INBOX } from '../_subscriptions/words.ts';
import { Callout, Empty, Panel, Title } from '../_ui/pieces.tsx';
import { withQuery } from '../_ui/with-query.ts';
import type { Visit } from '../_visit/visit.tsx';
import { Calls } from './calls.tsx';
import { Chart } from './chart.tsx';
import { Ending } from './ending.tsx';
import { Filters, type Given, givenOf, RANGES } from './filters.tsx';
import { By, Refusals } from './tables.tsx';
import { counted, SIGN_INS, TOKENS } from './words.ts';

const HERE = '/admin';

export async function Operations({ actor, query }: Visit) {
  const given = givenOf(query);
  const { range, api, method } = given;
  const asked = { range, ...(api && { apiId: api }), ...(method && { authMethodId: method }) };
  const [usage, ending, { pending }] = await Promise.all([
    readUsage(actor, asked),
    listEndingSoon(actor),
    readOverview(actor),
  ]);
  const all = totals(usage);
  return (
    <>
      <Title lead={`What this service did in the last ${range}, up to a minute ago. Times are UTC.`}>
        Operations
      </Title>
      <nav className="switch" aria-label="Time">
        {RANGES.map((one) => (
          <a
            key={one}
            href={linkTo({ ...given, range: one })}
            aria-current={one === range ? 'page' : undefined}
          >
            {one === 'week' ? 'A week' : one === 'day' ? 'A day' : 'An hour'}
          </a>
        ))}
      </nav>
      <Filters action={HERE} given={given} choices={usage.choices} />
      {usage.faults.length > 0 && (
        <Callout tone="refused">
          {usage.faults.map((fault) => (
            <p key={fault}>{fault}</p>
          ))}
        </Callout>
      )}
      {pending > 0 && (
        <Callout>
          <p>
            {counted(pending, 'request waits', 'requests wait')} for a decision.{' '}
            <a href={INBOX}>Open the inbox</a>
          </p>
        </Callout>
      )}
      <div className="usage">
        {all.signIns + all.tokens + all.refusals === 0 ? (
          <Nothing given={given} />
        ) : (
          <Pictures usage={usage} all={all} given={given} />
        )}
        <Ending ending={ending} />
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
    <Empty heading={narrowed ? 'Nothing of that in this time' : 'Nothing has happened yet'}>
      <p>
        {narrowed
          ? 'Look at a longer time, or at every API and method.'
          : 'Sign-ins, tokens and refusals are counted here from the first one on. The documentation shows how a client gets its first token.'}
      </p>
      <p>{narrowed ? <a href={HERE}>Everything</a> : <a href="/documentation">Documentation</a>}</p>
    </Empty>
  );
}

function Pictures({ usage, all, given }: { usage: Usage; all: Totals; given: Given }) {
  const { steps, stepMinutes } = usage;
  const shared = { times: steps.map(({ at }) => at), stepMinutes };
  const seriesOf = (kinds: typeof SIGN_INS, of: (step: Usage['steps'][number]) => Record<string, number>) =>
    kinds
      .map(([key, name, tone]) => ({ name, tone, values: steps.map((step) => of(step)[key] ?? 0) }))
      .filter(({ values }, at) => at === 0 || values.some((value) => value > 0));
  const succeeded = steps.reduce((sum, { signIns }) => sum + (signIns['succeeded'] ?? 0), 0);
  const signIns = `${counted(succeeded, 'sign-in')}, and ${counted(all.signIns - succeeded, 'attempt')} that failed.`;
  const tokens = `${counted(all.tokens, 'answer')} with an access token.`;
  const refusals = `${counted(all.refusals, 'request')} of clients refused.`;
  return (
    <>
      <div className="columns">
        <Panel id="sign-ins" heading="Sign-ins" lead={signIns}>
          <Chart
            id="sign-ins-chart"
            title="Sign-ins over time"
            summary={signIns}
            series={seriesOf(SIGN_INS, (step) => step.signIns)}
            {...shared}
          />
        </Panel>
        <Panel id="tokens" heading="Tokens" lead={tokens}>
          <Chart
            id="tokens-chart"
            title="Tokens over time"
            summary={tokens}
            series={seriesOf(TOKENS, (step) => step.tokens)}
            {...shared}
          />
        </Panel>
      </div>
      <Panel id="refusals" heading="Refusals" lead={refusals}>
        <Chart
          id="refusals-chart"
          title="Refusals over time"
          summary={refusals}
          series={[{ name: 'refused', tone: 'refused', values: steps.map((step) => step.refusals) }]}
          {...shared}
        />
        <Refusals rows={usage.refusals} all={all.refusals} />
      </Panel>
      <Panel
        id="calls"
        heading="Verifiers and brokers"
        lead="How long the services that check people took to answer, of every API. Those that gave no answer come first."
      >
        <Calls calls={usage.calls} />
      </Panel>
      <div className="columns">
        <Panel id="by-api" heading="By API" lead="The busiest.">
          <By
            what="API"
            rows={usage.apis}
            none="No API (console, exchanges)"
            link={(api) => linkTo({ ...given, api })}
          />
        </Panel>
        <Panel id="by-method" heading="By method" lead="The busiest.">
          <By
            what="Method"
            rows={usage.methods}
            none="No method"
            link={(method) => linkTo({ ...given, method })}
          />
        </Panel>
      </div>
    </>
  );
}
