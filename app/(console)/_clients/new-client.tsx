import type { SearchParams } from '#app/_components/page-input.ts';
import { enter } from '#lib/management/core/operation.ts';
import type { Area } from '../_forms/form.ts';
import { listOf } from '../_objects/client-kinds.ts';
import { say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { Title } from '../_ui/pieces.tsx';
import { visit } from '../_visit/visit.tsx';
import { RegisterFields } from './register-fields.tsx';

export async function newClientPage(area: Area, { searchParams }: { searchParams: SearchParams }) {
  const page = { area, here: listOf(area).href, path: `/${area}/clients/new`, searchParams };
  return visit(page, async ({ actor, form, typed }) => {
    await enter(actor, { action: area === 'admin' ? 'clients.manage-all' : 'clients.create' });
    const start = await form('client-create');
    const list = listOf(area);
    return (
      <Form
        {...start}
        className="form panel register"
        above={
          <Title
            back={list}
            lead={say('Three questions. You can change all of it later, except the client id.')}
          >
            {area === 'admin' ? say('Register a client') : say('Register an application')}
          </Title>
        }
        submit={say('Register it')}
        leave={{ href: list.href, label: say('Cancel') }}
      >
        <RegisterFields actor={actor} typed={typed('client-create')} faults={start.faults} />
      </Form>
    );
  });
}
