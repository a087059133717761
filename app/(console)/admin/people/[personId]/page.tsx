import { Form, Submit } from '#app/(console)/_kit/form.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Callout, Panel } from '#app/(console)/_kit/pieces.tsx';
import type { Visit } from '#app/(console)/_kit/visit.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { pageSessions } from '#lib/management/people.ts';
import { hasSignInName } from '#lib/registry/person.ts';
import type { PersonView } from '#lib/store/people.ts';
import { personPath } from '../../forms.ts';
import { FactorPanel, GroupPanel, Profile, RolePanel, SessionPanel } from '../panels.tsx';
import { type PersonPageProps, visitPerson } from '../visit-person.tsx';

export const generateMetadata = pageTitle('Person');

export default function PersonPage(props: PersonPageProps) {
  return visitPerson(props, '', async ({ actor, form, typed, person }) => {
    const { id, disabled } = person;
    const sessions = await pageSessions(actor, { personId: id, limit: 5 });
    return (
      <>
        {disabled && (
          <Callout tone="refused">
            <p>{say('This person is disabled, cannot sign in anywhere and has no tokens.')}</p>
          </Callout>
        )}
        {hasSignInName(person) && <RolePanel person={person} />}
        <Profile person={person} change={await form('person-change')} typed={typed('person-change')} />
        <GroupPanel actor={actor} form={form} typed={typed} personId={id} />
        <SessionPanel
          actor={actor}
          personId={id}
          rows={sessions.rows}
          more={sessions.next !== null}
          end={await form('person-session-end')}
        />
        <FactorPanel person={person} own={id === actor.id} />
        {hasSignInName(person) && <Password person={person} form={form} />}
        <Ending person={person} form={form} />
      </>
    );
  });
}

type Props = { person: PersonView; form: Visit['form'] };

async function Password({ person, form }: Props) {
  return (
    <Panel
      id="password"
      heading={say('Password')}
      lead={
        person.email === null
          ? say('The person has no address for a reset link. Set a password on the command line: {command}', {
              command: `gatehouse user set-password ${person.username}`,
            })
          : person.hasPassword
            ? say(
                'The person receives a mail with a link to choose a new password. Until then, the current password works.',
              )
            : say('The person has no password yet, and receives a mail with a link to choose one.')
      }
    >
      {person.email !== null && (
        <Form
          {...(await form('person-reset'))}
          fields={{ id: person.id }}
          submit={say('Send mail')}
          tone="plain"
        />
      )}
    </Panel>
  );
}

async function Ending({ person, form }: Props) {
  const { id, disabled } = person;
  return (
    <Panel
      id="ending"
      heading={say('Disable or delete')}
      lead={
        disabled
          ? say('A disabled person keeps their account. Deleting removes everything permanently.')
          : say(
              'Disabling signs the person out immediately, revokes their tokens and keeps the account. Deleting removes everything permanently.',
            )
      }
    >
      <div className="form-actions">
        {disabled ? (
          <Form {...(await form('person-enable'))} className="inline" fields={{ id }}>
            <Submit tone="plain">{say('Enable person')}</Submit>
          </Form>
        ) : (
          <a className="button danger" href={personPath(id, 'disable')}>
            {say('Disable person…')}
          </a>
        )}
        <a className="button danger" href={personPath(id, 'delete')}>
          {say('Delete person…')}
        </a>
      </div>
    </Panel>
  );
}
