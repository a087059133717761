// Pending requests of a new API in the inbox, and locators.
import type { Page } from '@playwright/test';
import { giveRequests, type Power } from '#testing/data/requests.ts';
import { makeApi, sql } from '../service/database.ts';

export const oneOfThree = (n: number): Power => (n % 3 === 1 ? 'trusted' : n % 3 === 2 ? 'machine' : 'plain');

/** Creates requests for a new API. Applications named Team 1, Team 2 and so on sent them one hour ago. */
export async function givenRequests(count: number, powerOf?: (n: number) => Power) {
  const { id: api } = await makeApi({ name: 'Billing' });
  const given = await giveRequests(sql, { api, count, ...(powerOf && { powerOf }) });
  clients.push(...given);
  return { api, team: given[0]?.replace(/-1$/, '') ?? '' };
}

const clients: string[] = [];
/** Removes this file's requests from the shared inbox. */
export const forgetRequests = () => sql('delete from clients where client_id = any($1)', [clients.splice(0)]);

export const requests = (page: Page) => page.getByRole('list', { name: 'Requests' }).getByRole('link');
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const teams = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `Team ${from + n}`);
