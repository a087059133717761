// Requests of an API of their own that wait in the inbox, and the inbox as it is seen.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { makeApi, sql } from '../service/database.ts';

export type Power = 'plain' | 'trusted' | 'machine';

export const oneOfThree = (n: number): Power => (n % 3 === 1 ? 'trusted' : n % 3 === 2 ? 'machine' : 'plain');

/** Requests of one hour ago for an API of their own: Team 1, Team 2 and so on. */
export async function givenRequests(count: number, powerOf: (n: number) => Power = () => 'plain') {
  const { id: api } = await makeApi({ name: 'Billing' });
  const given: string[] = [];
  const team = `team${randomBytes(4).toString('hex')}`;
  for (let n = 1; n <= count; n += 1) {
    const clientId = `${team}-${n}`;
    given.push(clientId);
    await sql(
      "insert into clients (client_id, name, confidential, application_type) values ($1, $2, true, 'web')",
      [clientId, `Team ${n}`],
    );
  }
  await sql(
    `insert into subscriptions (client_id, api_id, state, trusted, machine, created_at, updated_at)
     select id, $2, 'pending', power = 'trusted', power = 'machine', now() - interval '1 hour', now() - interval '1 hour'
     from unnest($1::text[], $3::text[]) as q (id, power)`,
    [given, api, given.map((_, at) => powerOf(at + 1))],
  );
  clients.push(...given);
  return { api, team };
}

const clients: string[] = [];
/** The inbox of other tests is as it was. */
export const forgetRequests = () => sql('delete from clients where client_id = any($1)', [clients.splice(0)]);

export const requests = (page: Page) => page.getByRole('list', { name: 'Requests' }).getByRole('link');
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const teams = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `Team ${from + n}`);
