// A list of things: search and filters above it (a plain GET form), one row each, and the way to the next page.
import type { ReactNode } from 'react';
import { MOST_COUNTED } from '#lib/management/index.ts';
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

type Filter = { name: string; label: string; value: string; options: readonly (readonly [string, string])[] };
type SearchProps = { action: string; search: string; placeholder: string; filters?: readonly Filter[] };

export async function Search({ action, search, placeholder, filters = [] }: SearchProps) {
  const { t } = await visitWords();
  return (
    <search>
      <form action={action} className="search">
        <label>
          <span className="unseen">{t('console.search')}</span>
          <input
            type="search"
            name="search"
            defaultValue={search}
            placeholder={placeholder}
            maxLength={200}
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
        <button type="submit" className="button plain small">
          {t('console.search')}
        </button>
      </form>
    </search>
  );
}

type Pages = { next: string | null; previous?: string | null; total?: number | null };
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
          {total > MOST_COUNTED
            ? t('console.more_than', { count: MOST_COUNTED })
            : t('console.in_all', { count: total })}
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
