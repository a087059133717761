// List pages that are generated from a description: heading, search form with filters, ordered rows, and the text of
// an empty list.
import type { ReactElement, ReactNode } from 'react';
import { Name } from '#app/_components/pieces.tsx';
import type { DisplayText } from '#lib/registry/display-text.ts';
import { say } from '../_texts/say.tsx';
import { type DayFilters, Dots, type Filter, List, type Listed, Ordered, Row, Search } from './list.tsx';
import { Empty, Managed, Title, type TitleProps } from './pieces.tsx';
import { consolePage, type Visit } from './visit.tsx';

/** Returns search, page and order from the address, as management operations receive them. */
export const listQuery = ({ search = '', cursor = '', order = '' }: Record<string, string>) => ({
  counted: true,
  search,
  cursor,
  order,
});

type Description = {
  page: Listed;
  rows: ReactElement[];
  /** accessible name of the list */
  label: string;
  /** a text, or a heading and a text */
  empty: string | readonly [heading: string, text: string];
  /** placeholder of the search field; null: no search form */
  placeholder?: string | null;
  filters?: readonly Filter[];
  days?: DayFilters;
  orders?: Readonly<Record<string, string>>;
  /** parameters that links to other orders and pages contain; default: the parameters of the search form */
  kept?: Record<string, string>;
  /** content between the search form and the list */
  above?: ReactNode;
};

/** The search form, and the rows with their orders and pager. */
export function Listing({
  path,
  query,
  page,
  rows,
  label,
  empty,
  placeholder = say('Search by name or id'),
  filters = [],
  days,
  orders = { name: say('Name'), id: say('Id') },
  kept,
  above,
}: Description & { path: string; query: Record<string, string> }) {
  const { search, cursor, order } = listQuery(query);
  const values = Object.fromEntries(filters.map(({ name, value }) => [name, value]));
  const [heading, text] = typeof empty === 'string' ? [null, empty] : empty;
  return (
    <>
      {placeholder !== null && <Search action={path} {...{ search, placeholder, filters, order, days }} />}
      {above}
      <Ordered
        path={path}
        query={{ ...(kept ?? { search, ...values, order, ...days?.query }), cursor }}
        {...{ page, orders }}
      >
        {rows.length > 0 ? (
          <List label={label}>{rows}</List>
        ) : heading === null ? (
          <p className="soft nothing">{text}</p>
        ) : (
          <Empty heading={heading}>
            <p>{text}</p>
          </Empty>
        )}
      </Ordered>
    </>
  );
}

type Page = Omit<TitleProps, 'children'> &
  Omit<Description, 'label'> & {
    title: string;
    /** accessible name of the list; default: the title */
    label?: string;
    /** label of the link to the page that adds an object */
    add?: string;
    /** content between the heading and the search form */
    top?: ReactNode;
    /** content shown instead of the search form and the list */
    instead?: ReactNode;
  };

export type ListVisit = Visit & { listOptions: ReturnType<typeof listQuery> };

export const listPage = (path: string, read: (visit: ListVisit) => Promise<Page>) =>
  consolePage(path, async (visit) => {
    const { query } = visit;
    const { title, lead, add, actions, top, instead, ...list } = await read({
      ...visit,
      listOptions: listQuery(query),
    });
    const link = add && (
      <a className="button" href={`${path}/new`}>
        {add}
      </a>
    );
    return (
      <>
        <Title lead={lead} actions={actions ?? link}>
          {title}
        </Title>
        {top}
        {instead || <Listing label={title} {...list} {...{ path, query }} />}
      </>
    );
  });

type ObjectRowProps = {
  href: string;
  id: string;
  of: { name: DisplayText; managed: boolean };
  pills?: ReactNode;
  side: ReactNode;
  children: ReactNode;
};

/** The row of an object of the registry: name and id, and whether the configuration file defines the object. */
export const ObjectRow = ({ href, id, of, pills, side, children }: ObjectRowProps) => (
  <Row
    href={href}
    title={<Name>{of.name}</Name>}
    pills={
      <>
        {pills}
        {of.managed && <Managed />}
      </>
    }
    side={side}
  >
    <Dots>
      <code>{id}</code>
      {children}
    </Dots>
  </Row>
);
