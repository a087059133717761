// The lists whose columns a person chooses, and their columns without the first one, which is always there.
import { ownValue } from '#lib/kit/index.ts';
import { keepColumns } from '#lib/sessions/index.ts';

export const COLUMN_LISTS = {
  apis: ['id', 'methods', 'subscriptions'],
  applications: ['kind', 'id', 'apis', 'created'],
  audit: ['event', 'involved', 'changes', 'details', 'time'],
  clients: ['kind', 'id', 'apis', 'owner', 'created'],
  groups: ['id', 'people', 'apis'],
  methods: ['kind', 'id', 'apis', 'sessions'],
  people: ['email', 'roles', 'factors', 'seen', 'created'],
  sessions: ['kind', 'device', 'times', 'ip'],
  subscriptions: ['state', 'powers', 'id', 'requested', 'changed'],
} as const;
export type ColumnList = keyof typeof COLUMN_LISTS;

/** In the address: the list whose columns are chosen, and each that is shown. */
export const COLUMNS_PARAMETER = 'columns';
export const COLUMN_PARAMETER = 'column';

/**
 * A form of columns asks for its own page with the choice in the address; the answer keeps the choice and leads to the
 * address without it. Null: nothing is chosen in this address.
 */
export function chooseColumns(
  { method, url, cookie }: { method: string; url: URL; cookie: string | undefined },
  personId: string,
): { location: string; cookie: string } | null {
  const rest = new URLSearchParams([...url.searchParams]);
  const list = rest.get(COLUMNS_PARAMETER) ?? '';
  const columns: readonly string[] | undefined = ownValue(COLUMN_LISTS, list);
  if (method !== 'GET' || columns === undefined) return null;
  const shown = new Set(rest.getAll(COLUMN_PARAMETER));
  rest.delete(COLUMNS_PARAMETER);
  rest.delete(COLUMN_PARAMETER);
  const asked = rest.toString();
  const hidden = columns.filter((column) => !shown.has(column));
  return {
    location: `${url.pathname}${asked && `?${asked}`}`,
    cookie: keepColumns(cookie, personId, list, hidden),
  };
}
