// Bars on the server: an SVG that stretches, with its numbers in HTML beside it so that they stay readable on a phone,
// and the same as a table for readers who do not see it.
import { say } from '../_texts/say.tsx';
import { beginning, inDigits, type Tone } from './words.ts';

export type Series = { name: string; tone: Tone; values: readonly number[] };
type ChartProps = {
  id: string;
  /** what is counted, and the sentence that says how much */
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

export function Chart({ id, title, summary, times, stepMinutes, series }: ChartProps) {
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

/** One step: the series on top of one another. What is there at all can be seen. */
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

/** The next round number whose half is a whole one. */
function topOf(value: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  const steps = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * size);
  return steps.find((limit) => limit >= value && limit % 2 === 0) ?? 10 * size;
}
