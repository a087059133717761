import type { Metadata } from 'next';
import { type PersonPageProps, visitPerson } from '#app/(console)/_people/visit-person.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Callout, Panel } from '#app/(console)/_ui/pieces.tsx';
import { Submit } from '#app/(console)/_ui/submit.tsx';
import { enter, type PersonView } from '#lib/management/index.ts';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Delete the person' };

export default function DeletePersonPage(props: PersonPageProps) {
  return visitPerson(props, 'delete', async ({ actor, person, form }) => {
    await enter(actor, { action: 'people.manage' });
    return (
      <Panel
        id="delete"
        heading={`Delete ${person.name || person.email || 'them'}?`}
        lead="There is no way back. What they did stays in the audit log."
      >
        <Form {...(await form('person-delete'))}>
          <input type="hidden" name="id" value={person.id} />
          <Callout tone="refused">
            <p>
              <strong>What ends with them</strong>
            </p>
            <ul>
              {losses(person).map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </Callout>
          <div className="form-actions">
            <Submit tone="danger">Delete them for good</Submit>
            <a className="button quiet" href={`/admin/users/${person.id}`}>
              Keep them
            </a>
          </div>
        </Form>
      </Panel>
    );
  });
}

function losses({ sessions, consents, clients }: PersonView): string[] {
  return [
    'They cannot sign in any more; the same address later is somebody new to every application.',
    `${sessions} ${sessions === 1 ? 'sign-in ends' : 'sign-ins end'}, with their tokens.`,
    `${consents} ${consents === 1 ? 'consent goes' : 'consents go'}.`,
    ...(clients > 0
      ? [`${clients} ${clients === 1 ? 'client loses its' : 'clients lose their'} owner.`]
      : []),
  ];
}
