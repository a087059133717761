// Which columns of a list a person sees: what they took away, and the form that takes away and brings back.
import { headers } from 'next/headers';
import { hiddenColumns } from '#lib/sessions/index.ts';
import { say } from '../_texts/say.tsx';
import { COLUMN_LISTS, COLUMN_PARAMETER, COLUMNS_PARAMETER, type ColumnList } from './column-lists.ts';
import { ColumnsForm } from './columns-form.tsx';

type Name<List extends ColumnList> = (typeof COLUMN_LISTS)[List][number];
export type Columns<List extends ColumnList = ColumnList> = {
  list: List;
  labels: Readonly<Record<string, string>>;
  hidden: ReadonlySet<string>;
  /** is it shown? */
  shows: (column: Name<List>) => boolean;
};

export async function columnsOf<List extends ColumnList>(
  actor: { id: string },
  list: List,
  labels: Readonly<Record<Name<List>, string>>,
): Promise<Columns<List>> {
  const hidden = hiddenColumns((await headers()).get('cookie') ?? undefined, actor.id, list);
  return { list, labels, hidden, shows: (column) => !hidden.has(column) };
}

type ChooserProps = {
  path: string;
  query: Record<string, string>;
  columns: Pick<Columns, 'list' | 'labels' | 'hidden'>;
};

export function ColumnChooser({ path, query, columns: { list, labels, hidden } }: ChooserProps) {
  return (
    <details className="column-chooser">
      <summary>{say('Columns')}</summary>
      <ColumnsForm action={path}>
        {Object.entries(query).map(
          ([name, value]) => value !== '' && <input key={name} type="hidden" name={name} value={value} />,
        )}
        <input type="hidden" name={COLUMNS_PARAMETER} value={list} />
        <fieldset>
          <legend className="unseen">{say('Columns that are shown')}</legend>
          {COLUMN_LISTS[list].map((column) => (
            <label key={column}>
              <input
                type="checkbox"
                name={COLUMN_PARAMETER}
                value={column}
                defaultChecked={!hidden.has(column)}
              />
              {labels[column]}
            </label>
          ))}
        </fieldset>
        <button type="submit" className="button plain small">
          {say('Show these')}
        </button>
      </ColumnsForm>
    </details>
  );
}
