// Responses never reveal whether an account exists. For known and unknown addresses, registration, resent codes and
// password resets cause the same statements, responses and mails, even at the limit.
import pg from 'pg';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { settleNotices } from '#lib/mail/send.ts';
import { requestPasswordReset } from '#lib/management/mail-links.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { mailTo, sql } from '#testing/data/registry.ts';
import { givenFixtures, locationOf } from '#testing/in-process/in-process.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

const KNOWN = 'alice@example.com';
/** Unknown address, as long as the known address. */
const UNKNOWN = 'olive@example.com';

const query = vi.spyOn(pg.Pool.prototype, 'query');

beforeAll(async () => {
  await givenFixtures();
  await changeAuthMethod(OPERATOR, { id: 'pw', config: { registration: 'open' } });
});
beforeEach(async () => {
  await asIfNobodyHadAsked();
  await sql('delete from person_registrations');
  await currentSnapshot();
});

/** Clears the limits and the count of rejections, which is one row for all addresses. */
async function asIfNobodyHadAsked() {
  await sql('delete from attempts');
  await sql('delete from refusals');
}

/**
 * Rejections are counted per ten-minute window. The first rejection in a window runs a different statement, so a
 * comparison that spans two windows is repeated.
 */
async function withinOneWindow(compare: () => Promise<void>): Promise<void> {
  const window = async () =>
    String((await sql("select date_bin('10 minutes', now(), 'epoch'::timestamptz)::text as at"))[0]?.['at']);
  for (let began = ''; began !== (await window()); ) {
    began = await window();
    await compare();
  }
}

/**
 * Runs a step and returns its statements by name or text, its mails, and the result of `run`. The statements are
 * sorted, because mails are sent while the response is made.
 */
async function costOf<Told>(address: string, run: () => Promise<Told>) {
  const before = (await mailTo(address)).length;
  query.mockClear();
  const told = await run();
  await settleNotices();
  const statements = query.mock.calls
    .map(([asked]) => {
      const { name, text } = asked as unknown as { name?: string; text?: string };
      return name ?? text?.split(' (')[0] ?? String(asked);
    })
    // leaves out checks of the registry version, which run once a second for any request
    .filter((statement) => !statement.startsWith('registry-'))
    .sort();
  return { told, statements, mails: (await mailTo(address)).length - before };
}

/** Returns the response and the following page, with placeholders for sealed values and the address. */
async function shown(visitor: Visitor, address: string, answer: Awaited<ReturnType<Visitor['send']>>) {
  const view = await visitor.view('register', await visitor.onward(answer));
  const headers = Object.entries(answer.headers).map(([name, value]) => [
    name,
    name === 'x-request-id' ? '' : value,
  ]);
  const text = JSON.stringify({ status: answer.status, body: String(answer.body ?? ''), headers, view });
  return text
    .replaceAll(address, 'ADDRESS')
    .replaceAll(/(interaction=|interaction":"|antiForgery":"|gatehouse-\w+=)[\w.~-]+/g, '$1SEALED')
    .replaceAll(/"length":\d+/g, '');
}

async function registration(address: string) {
  const visitor = new Visitor();
  const start = await visitor.start({ prompt: 'create' });
  const steps = [];
  let at = start;
  for (const fields of [
    { email: address },
    { again: '1' },
    { code: '000000' },
    { code: '12' },
    { again: '1' },
  ]) {
    const from = at;
    let location = '';
    steps.push(
      await costOf(address, async () => {
        const answer = await visitor.post(from, fields);
        location = locationOf(answer);
        return shown(visitor, address, answer);
      }),
    );
    at = { ...from, sealed: new URL(location).searchParams.get('interaction') ?? '' };
  }
  return steps;
}

test('registration, resent code and wrong code cause equal statements, responses and mails for known and unknown addresses', async () => {
  // warm-up: the first request of a process does additional work
  await registration('warm@example.com');
  await asIfNobodyHadAsked();
  const known = await registration(KNOWN);
  await asIfNobodyHadAsked();
  const unknown = await registration(UNKNOWN);
  expect(unknown).toEqual(known);
  expect(known.map(({ mails }) => mails)).toEqual([1, 1, 0, 0, 1]);
  expect(known[0]?.statements).toContain('registration-create');
  expect(known[2]?.statements).toContain('registration-prove');
  const texts = (await mailTo(KNOWN)).map(({ text }) => text).join();
  expect(texts).toContain('has one already');
  expect(texts).not.toMatch(/\d{3} \d{3}|link=/);
});

test('every code fails for a known address, because its registration mail contained none', async () => {
  await registration(KNOWN);
  expect(await sql('select distinct code_hash, link_hash from person_registrations')).toEqual([
    { code_hash: null, link_hash: null },
  ]);
});

test('above the mail limit, registrations for known and unknown addresses get equal responses without mail', async () => {
  const told: Record<string, unknown[]> = {};
  const toTheLimit = async (address: string) => {
    await asIfNobodyHadAsked();
    const counts: unknown[] = [];
    for (let n = 0; n < 7; n += 1) {
      const visitor = new Visitor();
      const at = await visitor.start({ prompt: 'create' });
      counts.push(
        await costOf(address, async () =>
          shown(visitor, address, await visitor.post(at, { email: address })),
        ),
      );
    }
    told[address] = counts;
  };
  await withinOneWindow(async () => {
    await sql('delete from person_registrations');
    for (const address of [KNOWN, UNKNOWN]) await toTheLimit(address);
  });
  expect(told[UNKNOWN]).toEqual(told[KNOWN]);
  expect(told[KNOWN]?.map((step) => (step as { mails: number }).mails)).toEqual([1, 1, 1, 1, 1, 0, 0]);
  expect(JSON.stringify(told[KNOWN]?.[5])).toContain('register.too_many_mails');
  expect(await sql('select from person_registrations')).toHaveLength(10);
});

test('a forgotten password causes equal statements and mails for known and unknown addresses, even at the limit', async () => {
  const ask = (email: string) =>
    costOf(email, () => requestPasswordReset({ email, ip: '192.0.2.9', requestId: 'r' }));
  await ask('warm@example.com');
  const told: Record<string, unknown[]> = {};
  await withinOneWindow(async () => {
    for (const address of [KNOWN, UNKNOWN]) {
      await asIfNobodyHadAsked();
      told[address] = [];
      for (let n = 0; n < 7; n += 1) told[address].push(await ask(address));
    }
  });
  expect(told[UNKNOWN]).toEqual(told[KNOWN]);
  expect(told[KNOWN]?.map((step) => (step as { mails: number }).mails)).toEqual([1, 1, 1, 1, 1, 0, 0]);
});
