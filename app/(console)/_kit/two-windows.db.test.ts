// Two windows edit the same object. The window that saves second is asked for confirmation, so it overwrites nothing
// by mistake.
import { beforeAll, expect, test } from 'vitest';
import { api } from '#lib/catalogue/apis/definition.ts';
import { previewApiChange } from '#lib/catalogue/apis/operations.ts';
import { previewClientChange, readClient } from '#lib/catalogue/clients/operations.ts';
import { previewGroupChange } from '#lib/catalogue/groups/operations.ts';
import { authMethod } from '#lib/catalogue/methods/definition.ts';
import { previewAuthMethodChange } from '#lib/catalogue/methods/operations.ts';
import type { Consequences } from '#lib/management/consequences.ts';
import { type ConsoleActor, consoleFormToken } from '#lib/sessions/console.ts';
import { settings } from '#lib/settings/settings.ts';
import { givenClient, givenEmptyRegistry, givenPerson, sql } from '#testing/data/registry.ts';
import { actorOf, signIn } from '#testing/in-process/console-session.ts';
import { clientChangeOf } from '../_subjects/client-forms.tsx';
import { groupOfForm } from '../_subjects/group-forms.ts';
import { forms } from '../admin/submit/forms.ts';
import { agreementTo } from './console-form.ts';
import { submitHandlers } from './dispatch.ts';
import { type Draft, findDraft } from './draft.ts';
import { startForm } from './page-start.tsx';
import { Fields, readForm } from './posted.ts';

let cookie = '';
beforeAll(async () => {
  await givenEmptyRegistry();
  await givenClient(await givenPerson('zoe', 'administrator', 'developer'));
  await sql("update auth_methods set managed = true where id = 'local'");
  await sql("insert into groups (id, name, managed) values ('staff', 'Staff', true)");
  cookie = await signIn();
});

type Sent = Record<string, string>;
const TTLS = { accessTokenTtlSeconds: '60', refreshTokenTtlSeconds: '60', refreshFamilyTtlSeconds: '60' };
type Kind = {
  form: string;
  table: string;
  key: string;
  id: string;
  /** fields of a change that has a consequence */
  fields: Sent;
  /** the preview that the form's page calls */
  preview: (actor: ConsoleActor, fields: Fields) => Promise<Consequences>;
};
const KINDS: Kind[] = [
  {
    form: 'client-change',
    table: 'clients',
    key: 'client_id',
    id: 'shop',
    fields: { clientId: 'shop', kind: 'confidential', redirectUris: 'https://shop.example/other' },
    preview: async (actor, fields) =>
      previewClientChange(actor, clientChangeOf(fields, await readClient(actor, { clientId: 'shop' }))),
  },
  {
    form: 'api-change',
    table: 'apis',
    key: 'id',
    id: 'orders',
    fields: { id: 'orders', url: 'https://orders.example/other', ...TTLS },
    preview: (actor, fields) => previewApiChange(actor, { ...readForm(api, fields), id: 'orders' }),
  },
  {
    form: 'method-change',
    table: 'auth_methods',
    key: 'id',
    id: 'local',
    fields: { id: 'local' },
    preview: (actor, fields) =>
      previewAuthMethodChange(actor, { ...readForm(authMethod, fields), id: 'local' }),
  },
  {
    form: 'group-change',
    table: 'groups',
    key: 'id',
    id: 'staff',
    fields: { id: 'staff' },
    preview: (actor, fields) => previewGroupChange(actor, { ...groupOfForm(fields), id: 'staff' }),
  },
];

const { POST } = submitHandlers('admin', forms);

/** Submits a form; returns the draft named in the response address. */
async function send(form: string, fields: Sent): Promise<Draft | null> {
  const { baseUrl } = settings();
  const token = await consoleFormToken(cookie, form);
  const request = new Request(`${baseUrl}/admin/submit/${form}`, {
    method: 'POST',
    headers: { origin: baseUrl, cookie, 'content-type': 'application/x-www-form-urlencoded' },
    body: String(new URLSearchParams({ anti_forgery: token ?? '', ...fields })),
  });
  const answer = await POST(request, { params: Promise.resolve({ form }) });
  expect(answer.status, await answer.text()).toBe(303);
  const to = new URL(answer.headers.get('location') ?? '', baseUrl);
  const holder = { actor: await actorOf(cookie), cookie };
  return findDraft(to.searchParams.get('draft') ?? undefined, holder);
}

test.each(KINDS.flatMap((kind) => (['before', 'after'] as const).map((moment) => ({ ...kind, moment }))))(
  '$form: a change that another window saves $moment the confirmation page appears is not overwritten',
  async (kind) => {
    const { form, table, key, id, fields, preview, moment } = kind;
    const stored = async () => (await sql(`select * from ${table} where ${key} = $1`, [id]))[0];
    const page = async (draft: Draft | null): Promise<Sent> => {
      const { seen } = await startForm('admin', form, cookie, draft);
      return { ...fields, version: seen ?? String((await stored())?.['version']) };
    };
    const saveElsewhere = () => sql(`update ${table} set name = name || ' faster' where ${key} = $1`, [id]);

    const first = { ...(await page(null)), name: 'Slower' };
    if (moment === 'before') await saveElsewhere();
    const asked = await send(form, first);
    expect(asked).toMatchObject({ form, because: 'confirm' });
    if (moment === 'after') await saveElsewhere();
    const faster = await stored();

    const again = { ...(await page(asked)), name: 'Slower' };
    const shown = await preview(await actorOf(cookie), new Fields(Object.entries(again)));
    const told = await send(form, { ...again, confirmed: agreementTo(shown) });
    expect(told).toMatchObject({
      because: 'stale',
      message: expect.stringContaining(
        'Someone else saved this while you were editing. Nothing was overwritten',
      ),
    });
    expect(told?.entries).toContainEqual(['name', 'Slower']);
    expect(await stored()).toEqual(faster);
  },
);
