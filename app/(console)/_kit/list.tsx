// A list of objects: search and filters above it (a plain GET form), one row per object, and a link to the next page.
import { Children, type ReactNode } from 'react';
import { ownValue } from '#lib/kit/wire.ts';
import { faultsOfDays, zoneOf } from '#lib/management/lists.ts';
import type { Actor } from '#lib/management/policy.ts';
import { MOST_COUNTED } from '#lib/registry/values.ts';
import { say } from '../_texts/say.tsx';
import { LiveForm } from './live-form.tsx';
import { visitWords } from './page-language.ts';
import { noCredential } from './pieces.tsx';
import { withQuery } from './with-query.ts';

// Filters by date, in whole days: parameters of the address, and form fields.

type Range = { name: string; label: string };
export type DayFilters = {
  ranges: readonly (Range & { from: string; to: string })[];
  zone: string;
  /** the filter values as typed, for links to other pages */
  query: Record<string, string>;
  /** the valid filter values, passed to the operation */
  asked: Record<string, string>;
  faults: string[];
};

/** Name of the start field of a date range, from the name of either end. */
const firstOf = (side: string) => (side.endsWith('To') ? `${side.slice(0, -2)}From` : side);

export async function dayFilters(
  actor: Actor,
  query: Record<string, string>,
  ranges: readonly Range[],
): Promise<DayFilters> {
  const values = Object.fromEntries(
    ranges.flatMap(({ name }) => [`${name}From`, `${name}To`].map((side) => [side, query[side] ?? ''])),
  );
  const names = ranges.map(({ name }) => name);
  const wrong = faultsOfDays(names, values);
  const isTaken = ([side]: [string, string]) =>
    !wrong.some(({ field }) => field === side || firstOf(field) === side);
  return {
    ranges: ranges.map((range) => ({
      ...range,
      from: values[`${range.name}From`] ?? '',
      to: values[`${range.name}To`] ?? '',
    })),
    zone: await zoneOf(actor),
    query: values,
    asked: Object.fromEntries(
      Object.entries(values).filter(([side, day]) => day !== '' && isTaken([side, day])),
    ),
    faults: wrong.map(({ field, code }) => {
      const [from = '', to = ''] = [values[firstOf(field)], values[field]];
      return code === 'days.turned'
        ? say('The end date {to} is before the start date {from}.', { from, to })
        : say('{text} is not a date. Use the format 2026-01-31.', { text: values[field] ?? '' });
    }),
  };
}

function DayFields({ ranges, zone, query, faults }: DayFilters) {
  return (
    <details className="day-filters" open={Object.values(query).some((day) => day !== '')}>
      <summary>{say('Dates')}</summary>
      {ranges.map(({ name, label, from, to }) => (
        <fieldset key={name}>
          <legend>{label}</legend>
          {(
            [
              [`${name}From`, say('Start date'), from],
              [`${name}To`, say('End date'), to],
            ] as const
          ).map(([side, text, day]) => (
            <label key={side} className="entry">
              <span>{text}</span>
              <input type="date" name={side} defaultValue={day} min="1900-01-01" max="9999-12-31" />
            </label>
          ))}
        </fieldset>
      ))}
      <p className="soft">{say('Whole days in the time zone {zone}.', { zone })}</p>
      {faults.map((fault) => (
        <p key={fault} role="alert">
          {fault}
        </p>
      ))}
    </details>
  );
}

export function List({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className="list" aria-label={label}>
      {children}
    </ul>
  );
}

type RowProps = {
  href?: string;
  title: ReactNode;
  pills?: ReactNode;
  side?: ReactNode;
  children?: ReactNode;
};

/** The title contains the link, and the whole row is clickable. */
export function Row({ href, title, pills, side, children }: RowProps) {
  return (
    <li className={href ? 'row linked' : 'row'}>
      <div className="row-text">
        <p className="row-title">
          {href ? <a href={href}>{title}</a> : <span>{title}</span>}
          {pills}
        </p>
        {children && <div className="soft">{children}</div>}
      </div>
      {side && <div className="row-side">{side}</div>}
    </li>
  );
}

/** Optional parts of a line, separated by dots. */
export function Dots({ children }: { children: ReactNode }) {
  const parts = Children.toArray(children);
  if (parts.length === 0) return null;
  return (
    <span className="dots">
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a row have a fixed order and no names
        <span key={at}>{part}</span>
      ))}
    </span>
  );
}

export type Filter = {
  name: string;
  label: string;
  value: string;
  options: readonly (readonly [string, string])[];
};
type SearchProps = {
  action: string;
  search: string;
  placeholder: string;
  filters?: readonly Filter[];
  /** order of the list; a new search keeps this order */
  order?: string;
  days?: DayFilters | undefined;
};

export async function Search({ action, search, placeholder, filters = [], order = '', days }: SearchProps) {
  const { t } = await visitWords();
  return (
    <search>
      <LiveForm action={action} className="search">
        <label>
          <span className="unseen">{t('console.search')}</span>
          <input
            type="search"
            name="search"
            defaultValue={search}
            placeholder={placeholder}
            maxLength={200}
            {...noCredential()}
          />
        </label>
        {filters.map(({ name, label, value, options }) => (
          <label key={name}>
            <span className="unseen">{label}</span>
            <select name={name} defaultValue={value}>
              {options.map(([option, text]) => (
                <option key={option} value={option}>
                  {text}
                </option>
              ))}
            </select>
          </label>
        ))}
        {order !== '' && <input type="hidden" name="order" value={order} />}
        <button type="submit" className="button plain small">
          {t('console.search')}
        </button>
        {days && <DayFields {...days} />}
      </LiveForm>
    </search>
  );
}

export type Pages = {
  next: string | null;
  previous?: string | null | undefined;
  total?: number | null | undefined;
};
type PagerProps = Pages & {
  path: string;
  query: Record<string, string>;
  /** name of the cursor parameter, if a page has two lists */
  cursorName?: string;
};

export const pagesOf = <Of extends Pages>({ next, previous = null, total = null }: Of): Required<Pages> => ({
  next,
  previous,
  total,
});

/** The text `all 12`, or an approximate number. */
async function Total({ of }: { of: number }) {
  const { t } = await visitWords();
  if (of <= MOST_COUNTED) return t('console.in_all', { count: of });
  // at the limit the exact count is unknown, and the estimate of the query planner can be lower than the limit
  if (of === MOST_COUNTED + 1) return t('console.more_than', { count: MOST_COUNTED });
  return t('console.about', { count: of });
}

/** Renders nothing if the list has a single page. */
export async function Pager({ path, query, next, previous, total, cursorName = 'cursor' }: PagerProps) {
  const { t } = await visitWords();
  const { [cursorName]: cursor, ...filters } = query;
  if (next === null && !cursor) return null;
  const to = (page: string) => withQuery(path, { ...filters, [cursorName]: page });
  return (
    <nav className="pager" aria-label={t('console.pages')}>
      {total != null && (
        <span className="soft pager-total">
          <Total of={total} />
        </span>
      )}
      {cursor && <a href={withQuery(path, filters)}>{t('console.first_page')}</a>}
      {previous != null && (
        <a href={to(previous)} rel="prev">
          {t('console.previous_page')}
        </a>
      )}
      {next !== null && (
        <a href={to(next)} rel="next">
          {t('console.next_page')}
        </a>
      )}
    </nav>
  );
}

export type Listed = Pages & {
  rows: readonly unknown[];
  order?: string | undefined;
  orders?: readonly string[] | undefined;
};

type OrderedProps = {
  path: string;
  /** the filters in the address, including `order` and `cursor` */
  query: Record<string, string>;
  /** the page, as the management operation returns it */
  page: Listed;
  /** label of each order; orders without a label are not offered */
  orders: Readonly<Record<string, string>>;
  children: ReactNode;
};

/** Shows a list: the number of rows and the orders above it, and links to other pages below it. */
export async function Ordered({ path, query, page, orders, children }: OrderedProps) {
  const { t } = await visitWords();
  const { cursor: _, ...filters } = query;
  const offered = (page.orders ?? []).flatMap((begins) => {
    const name = begins.replace(/^-/, '');
    const label = ownValue(orders, name);
    return label === undefined ? [] : [{ name, label, begins }];
  });
  return (
    <>
      {page.rows.length > 0 && (
        <div className="list-head">
          <p className="soft" role="status">
            <Total of={page.total ?? page.rows.length} />
          </p>
          <nav aria-label={t('console.sort_by')}>
            <span aria-hidden="true">{t('console.sort_by')}</span>
            {offered.map(({ name, label, begins }) => {
              const isDown = page.order === `-${name}`;
              const isHere = isDown || page.order === name;
              const to = isHere ? (isDown ? name : `-${name}`) : begins;
              return (
                <a
                  key={name}
                  href={withQuery(path, { ...filters, order: to })}
                  aria-current={isHere ? 'true' : undefined}
                >
                  {label}
                  {isHere && (
                    <>
                      <span aria-hidden="true">{isDown ? '↓' : '↑'}</span>
                      <span className="unseen">{t(isDown ? 'console.descending' : 'console.ascending')}</span>
                    </>
                  )}
                </a>
              );
            })}
          </nav>
        </div>
      )}
      {children}
      <Pager path={path} query={query} {...pagesOf(page)} total={null} />
    </>
  );
}
