import { expect, it } from 'vitest';
import { asSentence } from '#lib/language/message.ts';
import { faultAt, faulty, Refused } from '#lib/management/refused.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { respond, type Submission } from './dispatch.ts';

const sent: Submission = {
  area: 'admin',
  form: 'method-change',
  request: {
    method: 'POST',
    path: '/admin/submit/method-change',
    query: '',
    headers: { accept: 'application/json' },
    body: async () => new Uint8Array(),
    peerAddress: undefined,
    requestId: 'r',
  },
  fields: null,
  actor: null,
  words: null,
  labels: {},
  page: '/admin/auth-methods/campus/edit',
};

async function refusedWith(error: Refused) {
  const { status, headers, body } = await respond(sent, error);
  return { status, retryAfter: headers['retry-after'], ...JSON.parse(String(body)) };
}

it('core error messages become sentences, and leading addresses and ids stay unchanged', () => {
  expect(asSentence('there is no client shop')).toBe('There is no client shop.');
  expect(asSentence('must not be new: it is taken.')).toBe('Must not be new: it is taken.');
  expect(asSentence('alice@example.com may not do this')).toBe('alice@example.com may not do this.');
  expect(asSentence('shop-web was decided meanwhile')).toBe('shop-web was decided meanwhile.');
});

it('a message beside a field omits the field’s name and value', async () => {
  const faults = [
    { field: 'config.verify_url', code: 'input.custom', message: 'verify_url must be an https address' },
    {
      field: 'redirectUris.0',
      code: 'input.custom',
      message: 'redirect URI http://a.example: must be https',
    },
    faultAt('password', 'password.wrong'),
  ];
  expect(await refusedWith(faulty(faults))).toEqual({
    status: 422,
    message: 'Nothing was saved yet. Check the marked fields.',
    faults: {
      'config.verify_url': 'This must be an https address.',
      'redirectUris.0': 'Must be https.',
      password: 'This is not your password.',
    },
  });
});

it('each rejection has its own status, and rate limits include a retry time', async () => {
  const email = 'a@b.example';
  const faults = [faultAt('email', 'person.exists', { email })];
  expect(await refusedWith(new Refused('person.exists', { email }, { faults }))).toEqual({
    status: 409,
    message: 'a@b.example already exists.',
    faults: { email: 'a@b.example already exists.' },
  });
  expect(await refusedWith(new Refused('sign_in.too_many', {}, { retryAfterSeconds: 7 }))).toMatchObject({
    status: 429,
    retryAfter: '7',
  });
  expect((await refusedWith(new Refused('client.itself'))).status).toBe(403);
  expect((await refusedWith(new Refused('person.unknown_id'))).status).toBe(404);
});

it('a form that is returned twice with errors keeps only the last draft in its address', async () => {
  loadSettings({
    DATABASE_URL: 'postgres://h/d',
    BASE_URL: 'http://localhost:3000',
    GATEHOUSE_SECRET: 's'.repeat(48),
  });
  const browser = {
    ...sent,
    request: { ...sent.request, headers: {} },
    page: '/admin/people?role=approver&draft=old',
  };
  const { headers } = await respond(browser, { kind: 'refused', status: 422, told: 'sign_in.wrong' });
  expect(headers['set-cookie']).toMatch(/^gatehouse-page=v1\./);
  const { searchParams } = new URL(String(headers['location']));
  expect(searchParams.get('role')).toBe('approver');
  expect(searchParams.getAll('draft')).toEqual([expect.stringMatching(/^[\w-]{22}$/)]);
});

/** The request that a browser without Gatehouse's script sends. */
const plain = { ...sent, request: { ...sent.request, headers: {} } };

it('the address of a confirmation has a fragment: browsers scroll to the question and focus it', async () => {
  const scripted = await respond(sent, { kind: 'confirm' });
  expect(JSON.parse(String(scripted.body)).go).toMatch(/\?draft=[^#]+#asked$/);
  const { headers } = await respond(plain, { kind: 'confirm' });
  expect(headers['location']).toMatch(/\?draft=[^#]+#asked$/);
});

it('recovery codes appear one per line, with a copy button and a file', async () => {
  const { headers, body } = await respond(plain, {
    kind: 'shown',
    shown: {
      heading: 'step.codes_your',
      message: 'step.codes_keep',
      values: [['security.codes', 'aaaa-bbbb\ncccc-dddd']],
      keptAs: 'recovery-codes.txt',
      next: { href: '/account/security', label: 'step.codes_kept' },
    },
  });
  const page = String(body);
  expect(page).toContain('<li><code>aaaa-bbbb</code></li><li><code>cccc-dddd</code></li>');
  expect(page).toContain('data-copy="aaaa-bbbb\ncccc-dddd"');
  expect(page).toContain('download="recovery-codes.txt"');
  const nonce = /<script src="[^"]+" nonce="([^"]+)"/.exec(page)?.[1] ?? 'none';
  expect(String(headers['content-security-policy'])).toContain(nonce);
});
