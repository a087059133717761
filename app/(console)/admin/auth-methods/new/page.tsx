import type { SearchParams } from '#app/_components/page-input.ts';
import { say } from '#app/(console)/_texts/say.tsx';
import { titled } from '#app/(console)/_ui/titled.ts';
import { enter } from '#lib/management/index.ts';
import { METHOD_KINDS } from '#lib/registry/index.ts';
import { MethodFields } from '../../../_registry/method-fields.tsx';
import { testFirst } from '../../../_registry/methods.ts';
import { Form } from '../../../_ui/form.tsx';
import { Panel, Title } from '../../../_ui/pieces.tsx';
import { visit } from '../../../_visit/visit.tsx';

export const generateMetadata = titled('Add a sign-in method');

/** A method for accounts of ours is there already. */
const USUAL = METHOD_KINDS.find(({ capabilities }) => !capabilities.hasAccounts) ?? METHOD_KINDS[0];
const NOTHING = { name: '', config: {}, hasSecret: false };

export default function NewMethodPage({ searchParams }: { searchParams: SearchParams }) {
  const path = '/admin/auth-methods/new';
  const page = { area: 'admin', here: '/admin/auth-methods', path, searchParams } as const;
  return visit(page, async ({ actor, query, form, typed }) => {
    await enter(actor, { action: 'registry.manage' });
    const kind = METHOD_KINDS.find(({ type }) => type === query['type']) ?? USUAL;
    const { type, words } = kind;
    return (
      <>
        <Title back={{ href: '/admin/auth-methods', label: say('Sign-in methods') }}>
          {say('Add a sign-in method')}
        </Title>
        <p className="switch">
          {METHOD_KINDS.map((one) => (
            <a
              key={one.type}
              href={`${path}?type=${one.type}`}
              aria-current={one === kind ? 'true' : undefined}
            >
              {say(one.words.label)}
            </a>
          ))}
        </p>
        <Panel id="new" heading={say(words.label)} lead={say(words.note)}>
          <Form
            {...(await form('method-create'))}
            fields={{ type }}
            submit={say('Add it')}
            also={testFirst(type)}
            leave={{ href: '/admin/auth-methods', label: say('Cancel') }}
          >
            <MethodFields type={type} typed={typed('method-create')} stored={NOTHING} isNew />
          </Form>
        </Panel>
      </>
    );
  });
}
