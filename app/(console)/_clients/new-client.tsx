import type { SearchParams } from '#app/_components/page-input.ts';
import { enter, mayDo } from '#lib/management/index.ts';
import type { Area } from '../_forms/form.ts';
import { TextField } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { Panel, Title } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { visit } from '../_visit/visit.tsx';
import { ClientFields } from './client-fields.tsx';
import { listOf } from './kinds.ts';

const NOTHING = {
  name: '',
  kind: undefined,
  redirectUris: [],
  allowedOrigins: [],
  logoUri: null,
  postLogoutRedirectUris: [],
  backchannelLogoutUri: null,
  backchannelLogoutSessionRequired: false,
  idTokenSignedResponseAlg: 'RS256',
} as const;

export async function newClientPage(area: Area, { searchParams }: { searchParams: SearchParams }) {
  const list = listOf(area);
  const page = { area, here: list.href, path: `/${area}/clients/new`, searchParams };
  return visit(page, async ({ actor, form, typed }) => {
    await enter(actor, { action: area === 'admin' ? 'clients.manage-all' : 'clients.create' });
    const values = typed('client-create');
    return (
      <>
        <Title back={list} lead="You can change all of this later, except its client id.">
          {area === 'admin' ? 'Register a client' : 'Register an application'}
        </Title>
        <Panel id="new" heading="About it">
          <Form {...(await form('client-create'))}>
            <ClientFields typed={values} stored={NOTHING} />
            <TextField
              name="clientId"
              label="Client id"
              code
              optional
              hint="What it is called in requests. Left empty, one is made from the name."
              value={values.one('clientId')}
              maxLength={200}
            />
            {mayDo(actor, 'clients.manage-all') && (
              <TextField
                name="ownerEmail"
                label="Owner"
                type="email"
                optional
                hint="The developer who looks after it. Left empty: you."
                value={values.one('ownerEmail')}
              />
            )}
            <div className="form-actions">
              <Submit>Register it</Submit>
              <a className="button quiet" href={list.href}>
                Cancel
              </a>
            </div>
          </Form>
        </Panel>
      </>
    );
  });
}
