// The test covers every form of the console, and every response that leads back to a page. The address contains only
// the id of a state, never the state.
import { beforeAll, describe, expect, test } from 'vitest';
import { english } from '#lib/language/message.ts';
import type { ConnectionTest } from '#lib/management/connection-steps.ts';
import { faulty, Refused } from '#lib/management/refused.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { givenEmptyRegistry, givenPerson } from '#testing/data/registry.ts';
import { actorOf, browserWith, signIn } from '#testing/in-process/console-session.ts';
import { longQueryValues } from '#testing/net/long-query-values.ts';
import { forms as accountForms } from '../account/submit/forms.ts';
import { forms as adminForms } from '../admin/submit/forms.ts';
import { forms as developerForms } from '../developer/submit/forms.ts';
import type { Area, Forms, Outcome } from './console-form.ts';
import { respond, type Submission } from './dispatch.ts';
import { Fields } from './posted.ts';

const FORMS: Record<Area, Forms> = {
  account: accountForms,
  developer: developerForms,
  admin: adminForms,
};

const LONG = 'words of a person '.repeat(20);
const TEST: ConnectionTest = {
  ...{ state: 'broken', tookMs: 1 },
  steps: [
    {
      ...{ check: { text: 'Sign-in', values: {} }, state: 'broken', tookMs: 1 },
      ...{ sent: LONG, answered: LONG, found: { text: LONG, values: {} }, change: null },
    },
  ],
};
const MANY = Array.from({ length: 40 }, (_, n) => ['subscription', `shop-${n} orders`] as const);
const ANSWERS: Record<string, Outcome | Refused> = {
  done: { kind: 'done', to: '/account', notice: 'name-changed' },
  'done with all that a notice says': {
    ...{ kind: 'done', to: '/account', notice: 'name-changed', about: LONG, undo: MANY },
    problems: MANY.map(([, of]) => ({ of, why: english('It was decided meanwhile.') })),
  },
  confirm: { kind: 'confirm' },
  tested: { kind: 'tested', test: TEST },
  refused: { kind: 'refused', status: 422, told: 'sign_in.wrong' },
  faulty: faulty([{ field: 'name', code: 'input.custom', message: LONG }]),
  stale: new Refused('version.stale', { what: 'this' }),
  'not fresh': new Refused('right.fresh_sign_in'),
};

let [actor, cookie] = [] as unknown as [ConsoleActor, string];
beforeAll(async () => {
  await givenEmptyRegistry();
  await givenPerson('zoe', 'administrator');
  cookie = await signIn();
  actor = await actorOf(cookie);
});

const all = Object.entries(FORMS).flatMap(([area, forms]) =>
  Object.entries(forms).map(([form, one]) => ({ area: area as Area, form, one })),
);

describe.each(Object.entries(ANSWERS))('result: %s', (_, outcome) => {
  test.each(all)(
    'after form $form of $area is submitted, the next address stays short',
    async ({ area, form, one }) => {
      const browser = browserWith(cookie);
      const fields = new Fields([
        ...['id', 'clientId', 'api', 'apiId', 'to', 'q'].map((name) => [name, 'x'] as const),
        ...['description', 'config.filter', 'message'].map((name) => [name, LONG] as const),
      ]);
      const sent: Submission = {
        ...{ area, form, fields, labels: {}, words: null },
        request: {
          ...{ method: 'POST', path: `/${area}/submit/${form}`, query: '', headers: { cookie } },
          ...{ body: async () => new Uint8Array(), peerAddress: undefined, requestId: 'r' },
        },
        actor: one.public ? null : actor,
        page: one.page(fields, { area, browser }),
      };
      const { status, headers } = await respond(sent, outcome);
      expect(status).toBe(303);
      expect(longQueryValues(String(headers['location']))).toEqual([]);
    },
  );
});

test('the check of short addresses detects long values, including those in nested addresses', () => {
  const sealed = `v1.${'a'.repeat(300)}`;
  expect(longQueryValues(`/admin?told=${sealed}`)).toEqual([`told=${sealed}`]);
  const to = encodeURIComponent(`/admin/people?draft=${sealed}`);
  expect(longQueryValues(`/account/again?to=${to}`)).toEqual([`draft=${sealed}`]);
});
