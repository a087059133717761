import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { beforeAll, expect, test, vi } from 'vitest';
import { withCookie } from '#lib/http/cookies.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { MOST_PAGE_STATES } from '#lib/store/hot/sessions.ts';
import { sql } from '#testing/data/registry.ts';
import { type AtConsole, atConsole, givenLocal, givenMethods } from '#testing/in-process/links.ts';
import {
  findInBrowser,
  findInSession,
  storeInBrowser,
  storeInSession,
  takeFromSession,
} from './page-state.ts';

type Reader = AtConsole['actor'];
let [ada, elsewhere, ben] = [] as unknown as [Reader, Reader, Reader];
beforeAll(async () => {
  await givenMethods();
  [ada, ben] = [(await givenLocal('ada')).actor, (await givenLocal('ben')).actor];
  const [row] = await sql<{ epoch: string }>('select epoch from people where id = $1', [ada.id]);
  elsewhere = (await atConsole(ada.id, String(row?.epoch))).actor;
});

const RESULT = { kind: 'test result', about: 'mail' } as const;
const DRAFT = { kind: 'draft' } as const;
const store = async (stored: typeof RESULT | typeof DRAFT, value: object, { session } = ada) =>
  (await storeInSession(stored, value, session.idHash)) ?? '';
const found = async (id: string, stored: typeof RESULT | typeof DRAFT, reader: Reader) =>
  (await findInSession(id, stored, reader))?.value;

test('ids of stored page states have 22 characters and work inside their session only', async () => {
  const id = await store(RESULT, { n: 1 });
  expect(id).toMatch(/^[\w-]{22}$/);
  expect(await found(id, RESULT, ada)).toEqual({ n: 1 });
  expect(await found(id, RESULT, ada)).toEqual({ n: 1 });
  for (const other of [elsewhere, ben]) expect(await found(id, RESULT, other)).toBeUndefined();
  expect(await found(id, DRAFT, ada)).toBeUndefined();
  expect(await findInSession(id, { ...RESULT, about: 'webhook' }, ada)).toBeNull();
});

test('form drafts survive another sign-in by the same user', async () => {
  const id = await store(DRAFT, { n: 1 });
  expect(await found(id, DRAFT, elsewhere)).toEqual({ n: 1 });
  expect(await found(id, DRAFT, ben)).toBeUndefined();
});

test('a page state can be read once by its own session, and never by another session', async () => {
  const id = await store(RESULT, { n: 1 });
  expect(await takeFromSession(id, RESULT, elsewhere)).toBeNull();
  expect((await takeFromSession(id, RESULT, ada))?.value).toEqual({ n: 1 });
  expect(await takeFromSession(id, RESULT, ada)).toBeNull();
});

test('the row of a page state contains no plain value or id, and a sealed value copied to another id cannot be opened', async () => {
  const [id, other] = [await store(RESULT, { text: 'plain words' }), await store(RESULT, { text: 'other' })];
  const dump = JSON.stringify(await sql('select row_to_json(p) from page_states p'));
  for (const text of ['plain words', id, Buffer.from(id).toString('hex')]) expect(dump).not.toContain(text);
  await sql(
    `update page_states set sealed_value = (select sealed_value from page_states where id_hash = sha256($1::bytea))
     where id_hash = sha256($2::bytea)`,
    [Buffer.from(id), Buffer.from(other)],
  );
  expect(await found(other, RESULT, ada)).toBeUndefined();
});

test('expired page states are hidden, and the cleanup deletes them', async () => {
  const id = await store(RESULT, { n: 1 });
  await sql(`update page_states set expires_at = now() - interval '1 second'`);
  expect(await found(id, RESULT, ada)).toBeUndefined();
  await deleteExpired();
  expect(await sql('select from page_states')).toEqual([]);
});

test('a user has a limited number of page states, and a new one replaces the oldest', async () => {
  const ids: string[] = [];
  for (let n = 0; n < MOST_PAGE_STATES + 3; n += 1) ids.push(await store(RESULT, { n }));
  const [mine] = await sql<{ n: number }>('select count(*)::int as n from page_states where person_id = $1', [
    ada.id,
  ]);
  expect(mine?.n).toBe(MOST_PAGE_STATES);
  expect(await found(ids[2] ?? '', RESULT, ada)).toBeUndefined();
  expect(await found(ids[3] ?? '', RESULT, ada)).toEqual({ n: 3 });
});

test('a session without a row stores no page state, and a value above the limit is not stored', async () => {
  expect(await storeInSession(RESULT, { n: 1 }, Buffer.alloc(32))).toBeNull();
  expect(await storeInSession(RESULT, { text: 'x'.repeat(300_000) }, ada.session.idHash)).toBeNull();
});

test('without a session, a browser can store a pending new password in addition to the drafts of nine attempts', () => {
  const owed = storeInBrowser(
    { kind: 'owed password' },
    { sealed: randomBytes(390).toString('base64url') },
    '',
  );
  let cookie = withCookie('', owed?.cookie ?? '');
  const ids = Array.from({ length: 9 }, (_, n) => {
    const draft = storeInBrowser(DRAFT, { message: `attempt ${n}`, entries: [] }, cookie);
    cookie = withCookie(cookie, draft?.cookie ?? '');
    return draft?.id;
  });
  expect(findInBrowser(owed?.id, { kind: 'owed password' }, cookie)).toMatchObject({
    sealed: expect.any(String),
  });
  expect(findInBrowser(ids[8], DRAFT, cookie)).toMatchObject({ message: 'attempt 8' });
  expect(findInBrowser(ids[0], DRAFT, cookie)).toBeNull();
  expect(cookie.length).toBeLessThan(1_100);
});

test('a page without the id of a page state, or with a malformed id, runs no SQL statement', async () => {
  const query = vi.spyOn(pg.Pool.prototype, 'query');
  for (const id of [undefined, '', 'v1.abc.def.ghi', 'x'.repeat(23)]) {
    expect(await findInSession(id, DRAFT, ada)).toBeNull();
    expect(await takeFromSession(id, RESULT, ada)).toBeNull();
  }
  expect(query).not.toHaveBeenCalled();
  query.mockRestore();
});
