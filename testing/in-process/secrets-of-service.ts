// Returns every secret, hash and sealed value in the database, in each spelling that an audit event or a response
// could contain.
import { query } from '#lib/store/pool.ts';

/** SQL that lists the columns. Columns with bytes of images are excluded. */
const COLUMNS = `select table_name as "table", column_name as "column", data_type as type
  from information_schema.columns join information_schema.tables using (table_schema, table_name)
  where table_schema = current_schema() and table_type = 'BASE TABLE' and table_name !~ '^(logos|_)'
    and (column_name ~ '(hash|sealed|password|secret)' and data_type in ('text', 'bytea'))`;

type Column = { table: string; column: string; type: string };

export async function secretsInDatabase(): Promise<string[]> {
  const columns = await query<Column>({ text: COLUMNS, values: [] });
  const each = columns.map(({ table, column, type }) => {
    const of = `from "${table}" where "${column}" is not null`;
    if (type === 'text') return `select "${column}" as value ${of}`;
    const spelled = ['hex', 'base64'].map((form) => `select encode("${column}", '${form}') as value ${of}`);
    return spelled.join(' union all ');
  });
  const rows = await query<{ value: string }>({ text: each.join(' union all '), values: [] });
  // base64url is base64 with other letters, and without padding
  return rows.flatMap(({ value }) => [
    value,
    value.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
  ]);
}
