// A database that fails in the middle of a grant: the grant is atomic (case RT-21).
import { randomBytes } from 'node:crypto';
import { test } from '@playwright/test';
import { type Client, fixtureClient } from '#testing/data/fixtures.ts';
import { type Browser, signIn } from '#testing/service/browser.ts';
import { redeem, refresh, tokensFor } from '#testing/service/token.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

/** Runs `body` while storing a refresh token of this client fails. */
async function whileStoringFails(client: Client, body: () => Promise<void>): Promise<void> {
  const name = `fault_${randomBytes(6).toString('hex')}`;
  await sql(
    `create function ${name}() returns trigger language plpgsql as $$ begin
       if new.family_id in (select id from token_families where client_id = '${client.clientId}') then
         raise exception 'a fault of the test';
       end if;
       return new;
     end $$`,
  );
  try {
    await sql(
      `create constraint trigger ${name} after insert on refresh_tokens deferrable initially deferred for each row execute function ${name}()`,
    );
    await body();
  } finally {
    await sql(`drop function ${name} cascade`);
  }
}

let browser: Browser;
let client: Client;

test.beforeAll(async () => {
  browser = await signIn(door, await makePerson(), fixtureClient('conf'));
  client = await makeClient();
});

test('RT-21: a failed rotation leaves the old refresh token valid', async () => {
  const { refreshToken } = await tokensFor(browser, client);
  await whileStoringFails(client, async () => {
    expectError(await refresh(door, client, refreshToken), ['server_error', 'temporarily_unavailable']);
  });
  expectTokens(await refresh(door, client, refreshToken));
});

test('RT-21: a failed redemption leaves the code valid', async () => {
  const given = await browser.codeFor(client);
  await whileStoringFails(client, async () => {
    expectError(await redeem(door, client, given), ['server_error', 'temporarily_unavailable']);
  });
  expectTokens(await redeem(door, client, given));
});
