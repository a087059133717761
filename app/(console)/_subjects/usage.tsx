// Usage page for operators: number of requests, rejections with reasons, slow remote services, and what expires soon.
import type { ReactNode } from 'react';
import { Name } from '#app/_components/pieces.tsx';
import { guidePath } from '#app/documentation/_guides/addresses.ts';
import { readOverview, readUsage, type Usage } from '#lib/management/service.ts';
import { listExpiring } from '#lib/management/upkeep.ts';
import { path } from '../_kit/console-form.ts';
import { List, Row } from '../_kit/list.tsx';
import { LiveForm } from '../_kit/live-form.tsx';
import { Callout, Empty, Panel, Pill, Title } from '../_kit/pieces.tsx';
import { INBOX } from '../_kit/subscription-words.ts';
import type { Visit } from '../_kit/visit.tsx';
import { withQuery } from '../_kit/with-query.ts';
import { currentWords, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { ExpiringList, FirstDay } from './upkeep.tsx';

// Labels and colours of the counters. The legend and the table contain the same information as the colours.

type Tone = 'good' | 'waiting' | 'refused' | 'plain' | 'ink';
type Kind = readonly [key: string, name: string, tone: Tone];

const SIGN_INS: readonly Kind[] = [
  ['succeeded', toSay('signed in'), 'good'],
  ['refused', toSay('refused'), 'refused'],
  ['unavailable', toSay('no verdict'), 'waiting'],
  ['limited', toSay('over a limit'), 'plain'],
];
const TOKENS: readonly Kind[] = [
  ['authorization_code', toSay('by code'), 'good'],
  ['refresh_token', toSay('renewed'), 'plain'],
  ['password', toSay('by password'), 'waiting'],
  ['token-exchange', toSay('exchanged'), 'ink'],
];

/** Locale for numbers and times: British English if the page is in English. */
const locale = () => (currentWords().language === 'en' ? 'en-GB' : currentWords().language);

const inDigits = (n: number): string => new Intl.NumberFormat(locale()).format(n);

/** Formats a duration, such as `100 ms` or `2.5 s`. */
const took = (ms: number): string =>
  ms < 1_000 ? `${inDigits(ms)}\u00a0ms` : `${inDigits(Math.round(ms / 100) / 10)}\u00a0s`;

const short = { hour: '2-digit', minute: '2-digit' } as const;
const long = { weekday: 'short', ...short } as const;

/** Start of a step in UTC. Steps of a week's chart include the day. */
const beginning = (at: Date, stepMinutes: number): string =>
  new Intl.DateTimeFormat(locale(), { ...(stepMinutes > 60 ? long : short), timeZone: 'UTC' }).format(at);

type Call = Usage['calls'][number];

/** Calls that take at least this many milliseconds are shown as slow, because users notice the delay. */
const SLOW = 1_000;

function Calls({ calls }: { calls: Usage['calls'] }) {
  if (calls.length === 0)
    return (
      <p className="soft">
        {say(
          'No verifier or broker was called in this period. Passwords stored by Gatehouse need no other service.',
        )}
      </p>
    );
  return (
    <List label={say('Verifiers and brokers')}>
      {calls.map((call) => (
        <Row
          key={call.authMethodId}
          title={
            call.name === null ? (
              say('All others')
            ) : (
              <a href={path('admin', 'auth-methods', call.authMethodId)}>
                <Name>{call.name}</Name>
              </a>
            )
          }
          pills={<State call={call} />}
        >
          {inWords(call)}
        </Row>
      ))}
    </List>
  );
}

const isSlow = ({ answered, most }: Call) => answered > 0 && (most === null || most > SLOW);

function State({ call }: { call: Call }) {
  return (
    <>
      {call.failed > 0 && (
        <Pill tone="refused">
          {say('{count, plural, other {# without a response}}', { count: call.failed })}
        </Pill>
      )}
      {isSlow(call) && <Pill tone="waiting">{say('slow')}</Pill>}
      {call.failed === 0 && !isSlow(call) && <Pill tone="good">{say('answers')}</Pill>}
    </>
  );
}

function inWords({ answered, half, most, longest }: Call): string {
  const worst = say('The longest call took {time}.', { time: took(longest) });
  if (answered === 0) return `${say('No response at all.')} ${worst}`;
  const within = (limit: number | null) =>
    limit === null ? say('longer than 5\u00a0s') : say('at most {time}', { time: took(limit) });
  const answers = say(
    '{count, plural, one {# response} other {# responses}}: 50\u00a0% took {half}, 95\u00a0% took {most}.',
    { count: answered, half: within(half), most: within(most) },
  );
  return `${answers} ${worst}`;
}

// A bar chart, rendered on the server: an SVG that stretches, numbers in HTML so that they stay readable on phones,
// and a table with the same data for screen readers.

type Series = { name: string; tone: Tone; values: readonly number[] };
type ChartProps = {
  id: string;
  /** the quantity that the chart counts, and a sentence that summarizes it */
  title: string;
  summary: string;
  times: readonly Date[];
  stepMinutes: number;
  series: readonly Series[];
};

const WIDTH = 12;
const BAR = 9;
const HEIGHT = 120;

const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);

function Chart({ id, title, summary, times, stepMinutes, series }: ChartProps) {
  const totals = times.map((_, at) => sum(series.map(({ values }) => values[at] ?? 0)));
  const top = topOf(Math.max(...totals));
  const time = (at: number) => beginning(times[at] ?? new Date(0), stepMinutes);
  return (
    <figure className="chart">
      {series.length > 1 && (
        <ul className="legend">
          {series.map(({ name, tone, values }) => (
            <li key={name}>
              <span className={`swatch ${tone}`} />
              {inDigits(sum(values))} {name}
            </li>
          ))}
        </ul>
      )}
      <div className="plot">
        <div className="plot-y" aria-hidden="true">
          <span>{inDigits(top)}</span>
          <span>{inDigits(top / 2)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${times.length * WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-labelledby={`${id}-title ${id}-summary`}
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-summary`}>{summary}</desc>
          {[0, 0.5, 1].map((part) => (
            <line
              key={part}
              className="grid"
              x1="0"
              x2={times.length * WIDTH}
              y1={HEIGHT * part}
              y2={HEIGHT * part}
            />
          ))}
          {times.map((at, step) => (
            <Bar key={at.getTime()} {...{ step, series, top }} />
          ))}
        </svg>
        <div className="plot-x" aria-hidden="true">
          <span>{time(0)}</span>
          <span>{time(Math.floor(times.length / 2))}</span>
          <span>{say('now')}</span>
        </div>
      </div>
      <details className="more">
        <summary>
          {say('As a table')}
          <span className="unseen">: {title}</span>
        </summary>
        <table className="figures">
          <thead>
            <tr>
              <th scope="col">{say('From (UTC)')}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((at, step) => (
              <tr key={at.getTime()}>
                <th scope="row">
                  <time dateTime={at.toISOString()}>{time(step)}</time>
                </th>
                {series.map(({ name, values }) => (
                  <td key={name}>{inDigits(values[step] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

/** One step of the chart, with stacked values. A value above zero is always visible. */
function Bar({ step, series, top }: { step: number; series: readonly Series[]; top: number }) {
  let y = HEIGHT;
  return series.map(({ name, tone, values }) => {
    const value = values[step] ?? 0;
    if (value === 0) return null;
    const height = Math.max(2, (value / top) * HEIGHT);
    y -= height;
    return (
      <rect
        key={name}
        className={`bar ${tone}`}
        x={step * WIDTH + (WIDTH - BAR) / 2}
        y={Math.max(0, Math.round(y * 10) / 10)}
        width={BAR}
        height={Math.round(height * 10) / 10}
      />
    );
  });
}

/** Returns the next round number whose half is also a whole number. */
function topOf(value: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * size);
  return steps.find((limit) => limit >= value && limit % 2 === 0) ?? 10 * size;
}

// Filters of the page: links and a GET form, so that the address contains them even without JavaScript.

const RANGES = ['hour', 'day', 'week'] as const;
/** Filters from the address. `api`, `method`: an empty text selects all. */
export type Given = { range: (typeof RANGES)[number]; api: string; method: string };

const givenOf = (query: Record<string, string>): Given => ({
  range: RANGES.find((range) => range === query['range']) ?? 'day',
  // the parameter is not called `method`, because the sign-in form of the console uses that name
  api: (query['api'] ?? '').trim().slice(0, 100),
  method: (query['auth_method'] ?? '').trim().slice(0, 100),
});

type Choices = Usage['choices'];

function Filters({ action, given, choices }: { action: string; given: Given; choices: Choices }) {
  return (
    <search>
      <LiveForm action={action} className="filters beside">
        {given.range !== 'day' && <input type="hidden" name="range" value={given.range} />}
        <Pick
          name="api"
          label={say('API')}
          every={say('All APIs')}
          typed={say('Every API, or an id')}
          value={given.api}
          of={choices.apis}
        />
        <Pick
          name="auth_method"
          label={say('Sign-in method')}
          every={say('All methods')}
          typed={say('Every method, or an id')}
          value={given.method}
          of={choices.methods}
        />
        <div className="form-actions">
          <button type="submit" className="button plain small">
            {say('Show')}
          </button>
          {(given.api !== '' || given.method !== '') && (
            <a className="button quiet small" href={action}>
              {say('Everything')}
            </a>
          )}
        </div>
      </LiveForm>
    </search>
  );
}

type PickProps = {
  name: string;
  label: string;
  every: string;
  /** placeholder of the text field */
  typed: string;
  value: string;
  of: Choices['apis'];
};

/** A select field if there are few options, otherwise a text field with suggestions. */
function Pick({ name, label, every, typed, value, of: { options, complete } }: PickProps) {
  if (!complete)
    return (
      <label className="entry">
        <span>{label}</span>
        <input
          name={name}
          defaultValue={value}
          placeholder={typed}
          maxLength={100}
          autoCapitalize="none"
          autoCorrect="off"
          spellCheck={false}
          list={`pick-${name}`}
        />
        <datalist id={`pick-${name}`}>
          {options.map(({ id, name: shown }) => (
            <option key={id} value={id}>
              {shown}
            </option>
          ))}
        </datalist>
      </label>
    );
  const unknown = value !== '' && !options.some(({ id }) => id === value);
  return (
    <label className="entry">
      <span>{label}</span>
      <select name={name} defaultValue={value}>
        <option value="">{every}</option>
        {unknown && <option value={value}>{value}</option>}
        {options.map(({ id, name: shown }) => (
          <option key={id} value={id}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Shows the reasons for rejections in words. Each error code links to the documentation of that error. */
function Refusals({ rows, all }: { rows: Usage['refusals']; all: number }) {
  if (rows.length === 0) return <p className="soft">{say('No refusals.')}</p>;
  return (
    <>
      <h3 className="within">{say('Why')}</h3>
      <List label={say('Reasons for refused requests, most frequent first')}>
        {rows.map(({ error, reason, n, title, explanation }) => (
          <Row
            key={`${error} ${reason}`}
            title={say(title)}
            side={
              <>
                <a href={`${guidePath('errors')}#${error}`}>
                  <code>{error}</code>
                </a>
                <strong className="figure">
                  {inDigits(n)}
                  <span className="unseen"> {say('times')}</span>
                </strong>
                <span className="share">{share(n, all)}</span>
              </>
            }
          >
            {explanation && say(explanation)}
          </Row>
        ))}
      </List>
    </>
  );
}

function share(n: number, all: number): string {
  const percent = Math.round((n / Math.max(all, 1)) * 100);
  return percent === 0 ? say('under 1\u00a0%') : say('{count}\u00a0%', { count: percent });
}

type ByProps = {
  what: string;
  rows: Usage['apis'];
  /** name shown for a row without an id */
  none: string;
  link: (id: string) => string;
};

function By({ what, rows, none, link }: ByProps) {
  if (rows.length === 0) return <p className="soft">{say('Nothing in this period.')}</p>;
  return (
    <table className="figures">
      <thead>
        <tr>
          <th scope="col">{what}</th>
          <th scope="col">{say('Attempts')}</th>
          <th scope="col">{say('Tokens')}</th>
          <th scope="col">{say('Refused')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ id, name, signIns, tokens, refusals }) => (
          <tr key={id}>
            <th scope="row">
              {name === null ? (
                id === '' ? (
                  none
                ) : (
                  say('All others')
                )
              ) : (
                <a href={link(id)}>
                  <Name>{name}</Name>
                </a>
              )}
            </th>
            <td>{inDigits(signIns)}</td>
            <td>{inDigits(tokens)}</td>
            <td>{inDigits(refusals)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const HERE = '/admin';
const LEADS = toSay({
  hour: 'Activity in the last hour, up to a minute ago. Times are UTC.',
  day: 'Activity in the last day, up to a minute ago. Times are UTC.',
  week: 'Activity in the last week, up to a minute ago. Times are UTC.',
});
const SOON_DAYS = 14;

export async function Operations(visit: Visit) {
  const { actor, query } = visit;
  const filters = givenOf(query);
  const { range, api, method } = filters;
  const usageFilter = { range, ...(api && { apiId: api }), ...(method && { authMethodId: method }) };
  const [usage, ending, { pending }] = await Promise.all([
    readUsage(actor, usageFilter),
    listExpiring(actor, { own: false, days: SOON_DAYS, most: 10 }),
    readOverview(actor),
  ]);
  const all = totals(usage);
  return (
    <>
      <Title lead={say(LEADS[range])}>{say('Operations')}</Title>
      <FirstDay {...visit} />
      <nav className="switch" aria-label={say('Time')}>
        {RANGES.map((choice) => (
          <a
            key={choice}
            href={linkTo({ ...filters, range: choice })}
            aria-current={choice === range ? 'page' : undefined}
          >
            {choice === 'week' ? say('A week') : choice === 'day' ? say('A day') : say('An hour')}
          </a>
        ))}
      </nav>
      <Filters action={HERE} given={filters} choices={usage.choices} />
      {usage.faults.length > 0 && (
        <Callout tone="refused">
          {usage.faults.map((fault) => (
            <p key={fault.text}>{currentWords().told(fault)}</p>
          ))}
        </Callout>
      )}
      {pending > 0 && (
        <Callout>
          <p>
            {say('{count, plural, one {# pending request.} other {# pending requests.}}', { count: pending })}{' '}
            <a href={INBOX}>{say('Open inbox')}</a>
          </p>
        </Callout>
      )}
      <div className="usage">
        {all.signIns + all.tokens + all.refusals === 0 ? (
          <Nothing given={filters} />
        ) : (
          <Pictures usage={usage} all={all} given={filters} />
        )}
        <Panel
          id="ending"
          heading={say('Expiring soon')}
          lead={say('Within two weeks.')}
          aside={<a href="/admin/service#expiring">{say('Show all')}</a>}
        >
          <ExpiringList rows={ending} area="admin" none={say('Nothing.')} />
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
    <Empty heading={narrowed ? say('No matching activity in this period') : say('No activity yet')}>
      <p>
        {narrowed
          ? say('Choose a longer period, or all APIs and methods.')
          : say(
              'Sign-ins, tokens and refusals are counted from the first one on. The documentation shows how a client gets its first token.',
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
            '{count, plural, one {# sign-in} other {# sign-ins}}, and {failed, plural, one {# failed attempt} other {# failed attempts}}.',
            { count: succeeded, failed: all.signIns - succeeded },
          )}
          series={seriesOf(SIGN_INS, (step) => step.signIns)}
          {...shared}
        />
        <Picture
          id="tokens"
          heading={say('Tokens')}
          lead={say(
            '{count, plural, one {# response with an access token.} other {# responses with an access token.}}',
            { count: all.tokens },
          )}
          series={seriesOf(TOKENS, (step) => step.tokens)}
          {...shared}
        />
      </div>
      <Picture
        id="refusals"
        heading={say('Refusals')}
        lead={say('{count, plural, one {# client request refused.} other {# client requests refused.}}', {
          count: all.refusals,
        })}
        series={[{ name: say('refused'), tone: 'refused', values: steps.map((step) => step.refusals) }]}
        {...shared}
      >
        <Refusals rows={usage.refusals} all={all.refusals} />
      </Picture>
      <Panel
        id="calls"
        heading={say('Verifiers and brokers')}
        lead={say(
          'Response times of the services that check people, across all APIs. Services that did not respond come first.',
        )}
      >
        <Calls calls={usage.calls} />
      </Panel>
      <div className="columns">
        <Panel id="by-api" heading={say('By API')} lead={say('Most used.')}>
          <By
            what={say('API')}
            rows={usage.apis}
            none={say('No API (console, exchanges)')}
            link={(api) => linkTo({ ...given, api })}
          />
        </Panel>
        <Panel id="by-method" heading={say('By method')} lead={say('Most used.')}>
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

/** A chart over time, with a sentence that summarizes it. */
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
