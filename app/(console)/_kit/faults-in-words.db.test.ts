// Faults of forms name fields by their label on the page, never by the name in the configuration file, the wire
// format or the code.
import { beforeAll, expect, it } from 'vitest';
import { readPerson } from '#lib/catalogue/people/operations.ts';
import { now } from '#lib/kit/clock.ts';
import { Refused } from '#lib/management/refused.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { isProse } from '#testing/code/fault-texts.ts';
import { givenClient, givenEmptyRegistry, givenPerson, sql } from '#testing/data/registry.ts';
import { forms as account } from '../account/submit/forms.ts';
import { forms as admin } from '../admin/submit/forms.ts';
import { forms as developer } from '../developer/submit/forms.ts';
import type { Area, ConsoleForm, Forms } from './console-form.ts';
import { respond, type Submission } from './dispatch.ts';
import { Fields } from './posted.ts';

let actor: ConsoleActor;
beforeAll(async () => {
  await givenEmptyRegistry();
  const chief = await givenPerson('chief', 'administrator', 'developer', 'approver');
  const session = { idHash: Buffer.alloc(32), authMethodId: 'local', level: 1 } as const;
  actor = { ...chief, email: 'chief@example.com', name: 'Chief', locale: null, session, signedInAt: now() };
  await givenClient(actor);
});

const AREAS: readonly [Area, Forms][] = [
  ['account', account],
  ['developer', developer],
  ['admin', admin],
];

const BAD = [
  ...['two_words', '', '-1', '<', 'http://10.0.0.1/a', '{"a_b": 1}', '\u202e', 'x'.repeat(3000), '#ffffff'],
  'email_verified',
];

const GOOD: Record<string, [string, string][]> = {
  'client-create': [
    ['name', 'Shop'],
    ['kind', 'browser'],
    ['redirectUris', 'https://shop.example/cb'],
  ],
  'api-create': [
    ['id', 'orders'],
    ['name', 'Orders'],
    ['url', 'https://orders.example'],
    ['accessTokenTtlSeconds', '60'],
    ['refreshTokenTtlSeconds', '60'],
    ['refreshFamilyTtlSeconds', '60'],
  ],
  'method-create': [
    ['id', 'campus'],
    ['name', 'Campus'],
    ['type', 'broker'],
    ['config.client_id', 'ours'],
  ],
};
/** Names of posted fields: the labelled fields, or a few common ones. */
const namesOf = ({ labels }: ConsoleForm): readonly string[] => (labels ? Object.keys(labels) : COMMON);
const COMMON = [
  ...['id', 'email', 'name', 'password', 'oldPassword', 'scopes', 'reason', 'message', 'code', 'trusted'],
  ...['until', 'ownerEmail', 'event', 'role', 'action', 'secret', 'locale'],
];

/** The complete text that the page displays. */
async function saidBy(area: Area, name: string, form: ConsoleForm, entries: [string, string][]) {
  const fields = new Fields(entries);
  const browser = {
    cookieHeader: undefined,
    userAgent: null,
    requestId: 'r',
    ip: '192.0.2.1',
    pageLanguage: 'en',
  };
  const outcome = await form.run(actor, fields, { area, browser } as never).catch((error: unknown) => error);
  if (!(outcome instanceof Refused)) return [];
  // pages translate the text of a fault, and insert its values
  const values = outcome.faults.flatMap((fault) => Object.values(fault.values ?? {}).flat());
  expect(values.filter(isProse), name).toEqual([]);
  const request = { headers: { accept: 'application/json' } } as unknown as Submission['request'];
  const { labels = {} } = form;
  const sent: Submission = { area, form: name, request, fields, actor, page: '/', labels, words: null };
  const { message, faults = {} } = JSON.parse(String((await respond(sent, outcome)).body));
  return [message ?? '', ...Object.values(faults)] as string[];
}

/** Removes labels and input from the text. */
const left = (said: string, typed: string) =>
  said
    .replaceAll(/“[^”]*”/g, '')
    .replaceAll(typed.trim() || '…', '')
    .replaceAll('a_b', '');
const expectInWords = (said: string, typed: string, about: string) => {
  expect(left(said, typed), about).not.toMatch(/[a-z]_[a-z]|\b(?:jwks|accent)\b/);
  expect(left(said, typed), about).not.toMatch(/\b[a-z]+[A-Z]\w*\b/);
};

const isOpen = (form: Forms[string]): form is ConsoleForm =>
  form?.public === undefined || form.public === false;

for (const [area, forms] of AREAS)
  it(`messages about rejected forms in /${area} name fields only by the labels of the page`, async () => {
    for (const [name, form] of Object.entries(forms)) {
      if (!isOpen(form) || /sign-out|session|delete-|key-/.test(name)) continue;
      // skipped, because the administrators' form with the same name has more fields and is tested for their area
      if (area === 'developer' && Object.hasOwn(admin, name)) continue;
      const good = GOOD[name] ?? [];
      const values = form.labels ? BAD : BAD.slice(0, 1);
      for (const field of new Set(namesOf(form)))
        for (const value of values) {
          const entries: [string, string][] = [...good.filter(([key]) => key !== field), [field, value]];
          for (const said of await saidBy(area, name, form, entries))
            expectInWords(said, value, `${name}: ${field} ${value.slice(0, 40)}: ${said}`);
        }
    }
  }, 600_000);

it('a user with only a user name needs no email address, and a stored email address cannot be removed', async () => {
  const change = admin['person-change'] as ConsoleForm;
  const id = 'a1c1f1a0-0000-4000-8000-000000000001';
  await sql('insert into people (id, username) values ($1, $2)', [id, 'carl']);
  const given = async (email: string) => {
    const { version } = await readPerson(actor, { id });
    const typed = { id, version: String(version), name: 'Carl', email, username: 'carl' };
    return saidBy('admin', 'person-change', change, Object.entries(typed));
  };
  expect(await given('')).toEqual([]);
  expect(await readPerson(actor, { id })).toMatchObject({ name: 'Carl', email: null });
  expect(await given('carl@example.com')).toEqual([]);
  expect(await given('')).toEqual([expect.anything(), '“Email” must be an email address.']);
  expect((await readPerson(actor, { id })).email).toBe('carl@example.com');
});
