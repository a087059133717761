// Broker sign-ins, from authorize request to callback response.
import { randomUUID } from 'node:crypto';
import { expect } from '@playwright/test';
import { throughBroker } from '#testing/brokers/broker.ts';
import { fixtureClient } from '#testing/data/fixtures.ts';
import type { Door } from '#testing/net/door.ts';
import { Browser, type Params } from '#testing/service/browser.ts';
import { sql } from '../service/database.ts';
import type { Liar } from './lying-broker.ts';

export const brk = { method: 'brk' };
export const json = { accept: 'application/json' };
export const somebody = () => `person-${randomUUID()}`;

const tru = fixtureClient('tru');

type IdToken = Promise<string> | string | undefined;
type Lie = { idToken?: (nonce: string) => IdToken; params?: Params; code?: string };

/** Counts the sessions of a method: all of them, or those of one broker subject. */
export async function countSessions(method: string, subject: string | null = null): Promise<number> {
  const rows = await sql(
    `select from sessions s where auth_method_id = $1 and ($2::text is null or exists (select from external_identities i
       where i.auth_method_id = $1 and i.person_id = s.person_id and i.subject = $2))`,
    [method, subject],
  );
  return rows.length;
}

export function brokerVisits(door: Door) {
  /** Follows an authorize request until the broker's redirect. */
  const returnAddress = async (browser: Browser, name: string | undefined, params: Params = {}) =>
    throughBroker(await browser.ask(tru, params, brk), name);
  return {
    returnAddress,
    async signInAtBroker(name: string) {
      const browser = new Browser(door);
      const answer = await browser.get(await returnAddress(browser, name));
      expect(answer.status, answer.text.slice(0, 300)).toBe(303);
      return { browser, answer };
    },
    /** Visits a lying broker, which issues the ID token `idToken(nonce)`, and returns to Gatehouse with `code`. */
    async comeBack(liar: Liar, { idToken, params = {}, code = 'c' }: Lie = {}) {
      const browser = new Browser(door);
      const departure = await browser.ask(tru, params, { method: liar.method });
      const asked = new URL(departure.location).searchParams;
      if (idToken) liar.gives(await idToken(asked.get('nonce') ?? ''));
      const before = await countSessions(liar.method);
      const query = new URLSearchParams({ code, state: asked.get('state') ?? '' });
      const address = `${door.url}/auth/callback/${liar.method}?${query}`;
      const answer = await browser.get(address, { headers: json });
      return { answer, browser, asked, more: (await countSessions(liar.method)) - before };
    },
    async isSignedIn(browser: Browser, at = brk) {
      const answer = await browser.ask(tru, { prompt: 'none' }, at);
      return answer.location.includes('code=');
    },
  };
}
