import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { Checks } from '#app/(console)/_ui/choices.tsx';
import { TextField } from '#app/(console)/_ui/fields.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Panel, Title } from '#app/(console)/_ui/pieces.tsx';
import { visit } from '#app/(console)/_visit/visit.tsx';
import { enter } from '#lib/management/index.ts';
import { ROLES } from '#lib/registry/index.ts';
import { ROLE_WORDS } from '../roles.ts';

export const metadata: Metadata = { title: 'Add a person' };

export default function NewPersonPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'admin', here: '/admin/people', path: '/admin/people/new', searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    await enter(actor, { action: 'people.manage' });
    const values = typed('person-create');
    return (
      <>
        <Title
          back={{ href: '/admin/people', label: 'People' }}
          lead="Somebody of our own store, who signs in with e-mail and password."
        >
          Add a person
        </Title>
        <Panel id="new" heading="About them">
          <Form
            {...(await form('person-create'))}
            submit="Add them"
            leave={{ href: '/admin/people', label: 'Cancel' }}
          >
            <TextField
              name="email"
              label="E-mail"
              type="email"
              autoComplete="off"
              value={values.one('email')}
            />
            <TextField
              name="name"
              label="Name"
              autoComplete="off"
              value={values.one('name')}
              maxLength={200}
              optional
            />
            <Checks
              name="roles"
              label="Roles"
              hint="Without one they are an end user: they sign in to applications and see their own account."
              values={values.list('roles')}
              options={ROLES.map((value) => ({ value, ...ROLE_WORDS[value] }))}
            />
            <TextField
              name="password"
              label="Password"
              type="password"
              autoComplete="new-password"
              hint="Left empty, a mail goes to them with a link to choose one. That is better."
              optional
            />
          </Form>
        </Panel>
      </>
    );
  });
}
