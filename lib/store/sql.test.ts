import { expect, test } from 'vitest';
import { assignSql, insertSql, joinSql, raw, sql } from './sql.ts';

const asSent = ({ text, values }: ReturnType<typeof sql>) => ({ text, values });

test('values in an SQL template become parameters, whatever they contain, and nested SQL keeps the parameter order', () => {
  const evil = `x'; drop table people; --`;
  const part = sql`name = ${evil} and ${raw('not disabled')}`;
  expect(asSent(sql`select 1 from people where id = ${7} and (${part}) limit ${1}`)).toEqual({
    text: 'select 1 from people where id = $1 and (name = $2 and not disabled) limit $3',
    values: [7, evil, 1],
  });
});

test('null conditions are omitted from the SQL', () => {
  const where = (...parts: Parameters<typeof joinSql>[0]) => asSent(joinSql(parts, ' and ', 'true'));
  expect(where(null, sql`a = ${1}`, null, sql`b = ${2}`)).toEqual({
    text: 'a = $1 and b = $2',
    values: [1, 2],
  });
  expect(where(null)).toEqual({ text: 'true', values: [] });
});

test('columns derive from values, and undefined becomes null', () => {
  const row = { id: 'a', name: undefined, used_at: sql`now()` };
  expect(asSent(sql`insert into t ${insertSql(row)}`)).toEqual({
    text: 'insert into t (id, name, used_at) values ($1, $2, now())',
    values: ['a', null],
  });
  expect(asSent(sql`update t set ${assignSql(row)} where id = ${'b'}`)).toEqual({
    text: 'update t set id = $1, name = $2, used_at = now() where id = $3',
    values: ['a', null, 'b'],
  });
});
