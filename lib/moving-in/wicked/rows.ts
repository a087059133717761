// Rows of wicked's PostgreSQL (schema `wicked`), one a line: a few columns, and the rest in `data`.
import { ownValue } from '#lib/kit/own-value.ts';
import type { SourceFile } from '../reading/source-file.ts';

type Values = Readonly<Record<string, unknown>>;

/** What a column is in the JSON files; every other one has the same name there. */
const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  users: { custom_id: 'customId' },
  subscriptions: { applications_id: 'application', plan_id: 'plan', api_id: 'api', client_id: 'clientId' },
  grants: { users_id: 'userId', api_id: 'apiId', application_id: 'applicationId' },
  registrations: { users_id: 'userId', pool_id: 'poolId' },
};

export const isRows = ({ name }: SourceFile): boolean => name.endsWith('.jsonl');

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/** As the JSON file has it; that of subscriptions is a list. What is no row is as it is. */
export function ofRow(kind: string, row: unknown): { name: string; value: unknown } {
  if (!isValues(row)) return { name: '', value: row };
  const { data, ...columns } = row;
  const names = ownValue(NAMES, kind) ?? {};
  const own = Object.entries(columns)
    .filter(([, value]) => value !== null)
    .map(([column, value]) => [ownValue(names, column) ?? column, value]);
  const value = {
    ...(isValues(data) ? data : data === undefined || data === null ? {} : { data }),
    ...Object.fromEntries(own),
  };
  return { name: String(columns['id'] ?? ''), value: kind === 'subscriptions' ? [value] : value };
}
