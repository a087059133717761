// Parameters and columns of a statement, as PostgreSQL describes them without running it.
import type pg from 'pg';

type Column = {
  name: string;
  type: string;
  /** true: the column comes from a table column that permits null; a left join can make other columns null */
  nullable: boolean;
};
/** `columns`: null if the statement returns no rows. */
export type Description = { parameters: string[]; columns: Column[] | null };

type Field = { name: string; dataTypeID: number; tableID: number; columnID: number };

/** Uses the extended protocol, because `pg_prepared_statements` lacks the names of columns. */
function readDescription(
  client: pg.Client,
  text: string,
): Promise<{ types: number[]; fields: Field[] | null }> {
  const { connection } = client;
  let types: number[] = [];
  let fields: Field[] | null = null;
  const readParameters = ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
    types = dataTypeIDs;
  };
  connection.on('parameterDescription', readParameters);
  return new Promise<{ types: number[]; fields: Field[] | null }>((resolve, reject) => {
    const exchange = {
      submit(): void {
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S', name: '' }, true);
        connection.sync();
      },
      handleRowDescription(message: { fields: Field[] }): void {
        fields = message.fields;
      },
      handleError: reject,
      handleReadyForQuery: () => resolve({ types, fields }),
    };
    client.query(exchange);
  }).finally(() => connection.off('parameterDescription', readParameters));
}

/** Names of types in PostgreSQL's notation: `integer` for `int`. Types are names or numbers. */
export async function typeNames(client: pg.Client, types: readonly (string | number)[]): Promise<string[]> {
  const { rows } = await client.query<{ names: string[] }>(
    'select array(select type::regtype::text from unnest($1::text[]) with ordinality as t(type, n) order by n) as names',
    [types],
  );
  return rows[0]?.names ?? [];
}

export async function describeStatement(client: pg.Client, text: string): Promise<Description> {
  const { types, fields } = await readDescription(client, text);
  const parameters = await typeNames(client, types);
  if (fields === null) return { parameters, columns: null };
  const names = await typeNames(
    client,
    fields.map((field) => field.dataTypeID),
  );
  const { rows } = await client.query<{ key: string }>(
    `select attrelid || '.' || attnum as key from pg_attribute where not attnotnull and attrelid = any ($1::oid[])`,
    [fields.map((field) => field.tableID)],
  );
  const nullables = new Set(rows.map(({ key }) => key));
  const columns = fields.map(({ name, tableID, columnID }, at) => ({
    name,
    type: names[at] ?? '',
    nullable: nullables.has(`${tableID}.${columnID}`),
  }));
  return { parameters, columns };
}
