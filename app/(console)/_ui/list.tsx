// A list of things: search and filters above it (a plain GET form), one row each, and the way to the next page.
import { Children, type ReactNode } from 'react';
import { ownValue } from '#lib/kit/own-value.ts';
import { MOST_COUNTED } from '#lib/registry/objects/counts.ts';
import { DayFields, type DayFilters } from './day-filters.tsx';
import { LiveForm } from './live-form.tsx';
import { noCredential } from './no-credential.ts';
import { visitWords } from './page-language.ts';
import { withQuery } from './with-query.ts';

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

/** The title is the link, and the whole row is its target. */
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

/** Parts of a line that may be missing, with dots between. */
export function Dots({ children }: { children: ReactNode }) {
  const parts = Children.toArray(children);
  if (parts.length === 0) return null;
  return (
    <span className="dots">
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a row have places and no names
        <span key={at}>{part}</span>
      ))}
    </span>
  );
}

type Filter = { name: string; label: string; value: string; options: readonly (readonly [string, string])[] };
type SearchProps = {
  action: string;
  search: string;
  placeholder: string;
  filters?: readonly Filter[];
  /** of the list, which a search keeps */
  order?: string;
  days?: DayFilters;
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

type Pages = {
  next: string | null;
  previous?: string | null | undefined;
  total?: number | null | undefined;
};
type PagerProps = Pages & {
  path: string;
  query: Record<string, string>;
  /** of the page in the address, where it shows two lists */
  cursorName?: string;
};

export const pagesOf = <Of extends Pages>({ next, previous = null, total = null }: Of): Required<Pages> => ({
  next,
  previous,
  total,
});

/** `all 12`, or about how many. */
async function Total({ of }: { of: number }) {
  const { t } = await visitWords();
  if (of <= MOST_COUNTED) return t('console.in_all', { count: of });
  // no more were counted, and the planner takes them for fewer
  if (of === MOST_COUNTED + 1) return t('console.more_than', { count: MOST_COUNTED });
  return t('console.about', { count: of });
}

/** A list that has one page has none. */
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

type OrderedProps = {
  path: string;
  /** the filters in the address, `order` and `cursor` among them */
  query: Record<string, string>;
  /** the page, as management gives it */
  page: Pages & {
    rows: readonly unknown[];
    order?: string | undefined;
    orders?: readonly string[] | undefined;
  };
  /** what each order is called; one that is left out is not offered */
  orders: Readonly<Record<string, string>>;
  children: ReactNode;
};

/** A list with its number of rows and its orders above, and the way to its other pages below. */
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
