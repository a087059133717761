import { beforeAll, expect, test } from 'vitest';
import { openTransaction } from '#lib/sessions/index.ts';
import { loadSettings } from '#lib/settings/index.ts';
import { openDraft, sealDraft } from './draft.ts';
import { Fields } from './fields.ts';

beforeAll(
  () => void loadSettings({ DATABASE_URL: 'postgres://none/none', GATEHOUSE_SECRET: 'A'.repeat(43) }),
);

const browser = () => openTransaction(undefined).cookie.split(';')[0];
const typed = new Fields([['username', 'eve@example.com']]);
const draft = { form: 'sign-in', because: 'invalid', message: 'No.', faults: {} } as const;

test('what one browser typed before it signed in prefills no form of another one', async () => {
  const cookie = browser();
  const sealed = await sealDraft(draft, typed, { personId: null, cookie });
  expect(await openDraft(sealed, { personId: null, cookie })).toMatchObject(draft);
  for (const other of [browser(), undefined])
    expect(await openDraft(sealed, { personId: null, cookie: other })).toBe(null);
});

test('a draft of a person opens for them in any browser, and for nobody else', async () => {
  const sealed = await sealDraft(draft, typed, { personId: 'ada', cookie: browser() });
  expect(await openDraft(sealed, { personId: 'ada', cookie: undefined })).toMatchObject(draft);
  expect(await openDraft(sealed, { personId: 'eve', cookie: browser() })).toBe(null);
});

test('without a cookie of ours nothing opens a draft of nobody', async () => {
  const sealed = await sealDraft(draft, typed, { personId: null, cookie: undefined });
  expect(await openDraft(sealed, { personId: null, cookie: undefined })).toBe(null);
});
