import type { Metadata } from 'next';
import type { SearchParams } from '#app/_components/page-input.ts';
import { enter } from '#lib/management/index.ts';
import { MethodFields } from '../../../_registry/method-fields.tsx';
import { METHOD_TYPE_NAMES, METHOD_TYPES } from '../../../_registry/methods.ts';
import { Form } from '../../../_ui/form.tsx';
import { Panel, Title } from '../../../_ui/pieces.tsx';
import { visit } from '../../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Add a sign-in method' };

const NOTHING = { name: '', config: {}, hasSecret: false };

export default function NewMethodPage({ searchParams }: { searchParams: SearchParams }) {
  const path = '/admin/auth-methods/new';
  const page = { area: 'admin', here: '/admin/auth-methods', path, searchParams } as const;
  return visit(page, async ({ actor, query, form, typed }) => {
    await enter(actor, { action: 'registry.manage' });
    const type = METHOD_TYPE_NAMES.find((one) => one === query['type']) ?? 'external';
    return (
      <>
        <Title back={{ href: '/admin/auth-methods', label: 'Sign-in methods' }}>Add a sign-in method</Title>
        <p className="switch">
          {METHOD_TYPE_NAMES.map((one) => (
            <a key={one} href={`${path}?type=${one}`} aria-current={one === type ? 'true' : undefined}>
              {METHOD_TYPES[one].label}
            </a>
          ))}
        </p>
        <Panel id="new" heading={METHOD_TYPES[type].label} lead={METHOD_TYPES[type].note}>
          <Form
            {...(await form('method-create'))}
            fields={{ type }}
            submit="Add it"
            leave={{ href: '/admin/auth-methods', label: 'Cancel' }}
          >
            <MethodFields type={type} typed={typed('method-create')} stored={NOTHING} isNew />
          </Form>
        </Panel>
      </>
    );
  });
}
