import type { Metadata } from 'next';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Callout, Panel } from '#app/(console)/_ui/pieces.tsx';
import type { PersonView } from '#lib/management/index.ts';
import { personPath } from '../../forms.ts';
import { nameOf, type PersonPageProps, visitPerson } from '../../visit-person.tsx';

export const metadata: Metadata = { title: 'Delete a person' };

export default function DeletePersonPage(props: PersonPageProps) {
  return visitPerson(props, 'delete', async ({ form, person }) => (
    <Panel
      id="delete"
      heading={`Delete ${nameOf(person)}?`}
      lead="There is no way back. To keep the account and stop it for now, disable it."
    >
      <Form
        {...(await form('person-delete'))}
        fields={{ id: person.id, confirmed: person.id }}
        submit="Delete them for good"
        tone="danger"
        leave={{ href: personPath(person.id), label: 'Keep them' }}
      >
        <Callout tone="refused">
          <p>
            <strong>What ends with it</strong>
          </p>
          <ul>
            {consequencesOf(person).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </Callout>
      </Form>
    </Panel>
  ));
}

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;

function consequencesOf(person: PersonView): string[] {
  return [
    `Every token of theirs ends, and ${count(person.sessions, 'sign-in', 'sign-ins')}.`,
    ...(person.consents > 0
      ? [`What they allowed to ${count(person.consents, 'application', 'applications')} is forgotten.`]
      : []),
    ...(person.clients > 0
      ? [`${count(person.clients, 'application', 'applications')} of theirs go on, without an owner.`]
      : []),
    ...(person.managed ? ['The configuration file describes them: the next apply adds them again.'] : []),
    ...(person.identities.length > 0
      ? ['If they sign in again through another service, they get a new account.']
      : []),
  ];
}
