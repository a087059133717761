import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { enter, ROLES } from '#lib/management/index.ts';
import { ROLE_WORDS } from '../../../_people/roles.ts';
import { Checks } from '../../../_ui/choices.tsx';
import { TextField } from '../../../_ui/fields.tsx';
import { Form } from '../../../_ui/form.tsx';
import { Panel, Title } from '../../../_ui/pieces.tsx';
import { Submit } from '../../../_ui/submit.tsx';
import { visit } from '../../../_visit/visit.tsx';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Add a person' };

export default function NewPersonPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'admin', here: '/admin/users', path: '/admin/users/new', searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    await enter(actor, { action: 'people.manage' });
    const values = typed('person-create');
    return (
      <>
        <Title back={{ href: '/admin/users', label: 'People' }}>Add a person</Title>
        <Panel
          id="new"
          heading="About them"
          lead="A mail with a link goes to them, with which they choose their password."
        >
          <Form {...(await form('person-create'))}>
            <TextField
              name="email"
              label="E-mail"
              type="email"
              value={values.one('email')}
              autoComplete="off"
            />
            <TextField
              name="name"
              label="Name"
              optional
              value={values.one('name')}
              autoComplete="off"
              maxLength={200}
            />
            <Checks
              name="roles"
              label="Roles"
              hint="Without one they sign in to applications, and see their own account."
              options={ROLES.map((role) => ({ value: role, label: role, note: ROLE_WORDS[role] }))}
              values={values.list('roles')}
            />
            <div className="form-actions">
              <Submit>Add them</Submit>
              <a className="button quiet" href="/admin/users">
                Cancel
              </a>
            </div>
          </Form>
        </Panel>
      </>
    );
  });
}
