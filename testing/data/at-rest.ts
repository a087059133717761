import { sql } from './registry.ts';

/** Returns the first table that contains one of the texts, plain or in hexadecimal. `null`: no table does. */
export async function tableThatHolds(texts: string[]): Promise<string | null> {
  const tables = await sql<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  for (const { name } of tables) {
    const found = await sql(
      `select 1 from "${name}" t, unnest($1::text[]) as x (text) where strpos(upper(t::text), upper(x.text)) > 0
        or strpos(t::text, encode(convert_to(x.text, 'UTF8'), 'hex')) > 0 limit 1`,
      [texts],
    );
    if (found.length > 0) return name;
  }
  return null;
}
