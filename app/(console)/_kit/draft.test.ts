import { beforeAll, expect, test } from 'vitest';
import { withCookie } from '#lib/http/cookies.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { findDraft, storeDraft } from './draft.ts';
import { Fields } from './posted.ts';

beforeAll(
  () => void loadSettings({ DATABASE_URL: 'postgres://none/none', GATEHOUSE_SECRET: 'A'.repeat(43) }),
);

const typed = new Fields([['username', 'eve@example.com']]);
const told = { form: 'sign-in', because: 'invalid', message: 'No.', faults: {} } as const;

/** Submits a form with these cookies. The address in the response contains `id`. */
async function sent(
  cookie: string | undefined,
  fields = typed,
  draft: Parameters<typeof storeDraft>[0] = told,
) {
  const stored = await storeDraft(draft, fields, { actor: null, cookie });
  return { id: stored?.id ?? '', cookie: withCookie(cookie, stored?.cookie ?? '') };
}
const found = (id: string, cookie: string | undefined) => findDraft(id, { actor: null, cookie });

test('a draft of a signed-out user is stored in a cookie that other browsers cannot read', async () => {
  const { id, cookie } = await sent(undefined);
  expect(id).toMatch(/^[\w-]{22}$/);
  expect(await found(id, cookie)).toMatchObject(told);
  for (const other of [(await sent(undefined)).cookie, undefined]) expect(await found(id, other)).toBe(null);
});

test('two windows of one browser at different addresses each show the draft of their own address', async () => {
  const first = await sent(undefined);
  const second = await sent(first.cookie, new Fields([['username', 'ada@example.com']]));
  const names = [first.id, second.id].map(async (id) => (await found(id, second.cookie))?.entries[0]?.[1]);
  expect(await Promise.all(names)).toEqual(['eve@example.com', 'ada@example.com']);
});

test('a draft cookie with an invented id, a sealed value of an earlier version or a changed value shows no draft', async () => {
  const { id, cookie } = await sent(undefined);
  for (const other of ['A'.repeat(22), 'v1.abc.def.ghi', ''])
    expect(await found(other, cookie), other).toBe(null);
  expect(await found(id, cookie.replace('v1.', 'v2.'))).toBe(null);
});

test('drafts above the cookie limit lose their text, and a message explains the loss', async () => {
  const long = Array.from({ length: 900 }, (_, at) => (at * 7919).toString(36)).join('');
  const { id, cookie } = await sent(undefined, new Fields([['username', long]]));
  const draft = await found(id, cookie);
  expect(draft?.entries).toEqual([]);
  expect(draft?.message).toBe('No. Your text was too long to be kept: use your browser’s Back button.');
});

test.each([
  ['password', 'x'],
  ['secret', 'x'],
])('a draft never stores the field %s', async (name, value) => {
  const { id, cookie } = await sent(undefined, new Fields([[name, value]]));
  expect(await found(id, cookie)).toMatchObject({ entries: [], message: 'No.' });
});

const TOKEN = `gha_${'a1B2'.repeat(10)}`;
test.each([
  ['a token', TOKEN],
  ['a header', `Authorization: Bearer ${'a1B2'.repeat(10)}`],
  ['JSON with a token', `{"access_token":"${'a1B2'.repeat(10)}"}`],
  ['a private key', '-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----'],
])('a draft drops %s in any field, and no message quotes it', async (_what, value) => {
  const fields = new Fields([
    ['description', value],
    ['name', 'Shop'],
  ]);
  const quoting = { ...told, message: `“${value}” is too long.`, faults: { description: `Not ${value}.` } };
  const { id, cookie } = await sent(undefined, fields, quoting);
  expect(await found(id, cookie)).toMatchObject({
    entries: [['name', 'Shop']],
    message: '… A password, token or secret in the text was not kept: type it again.',
    faults: { description: '…' },
  });
});
