import { Form, Submit } from '#app/(console)/_kit/form.tsx';
import { titled } from '#app/(console)/_kit/page-language.ts';
import { Callout, Panel } from '#app/(console)/_kit/pieces.tsx';
import type { Visit } from '#app/(console)/_kit/visit.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { pageSessions } from '#lib/management/people.ts';
import { hasSignInName } from '#lib/registry/person.ts';
import type { PersonView } from '#lib/store/people.ts';
import { personPath } from '../../forms.ts';
import { FactorPanel, GroupPanel, Profile, RolePanel, SessionPanel } from '../panels.tsx';
import { type PersonPageProps, visitPerson } from '../visit-person.tsx';

export const generateMetadata = titled('Person');

export default function PersonPage(props: PersonPageProps) {
  return visitPerson(props, '', async ({ actor, form, typed, person }) => {
    const { id, disabled } = person;
    const sessions = await pageSessions(actor, { personId: id, limit: 5 });
    return (
      <>
        {disabled && (
          <Callout tone="refused">
            <p>{say('This person is disabled: they cannot sign in anywhere, and have no tokens.')}</p>
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
          ? say(
              'They have no address, so no mail brings them a link. Set one at the command line: {command}',
              {
                command: `gatehouse user set-password ${person.username}`,
              },
            )
          : person.hasPassword
            ? say('They get a mail with a link to choose another. Until they do, the one they have goes on.')
            : say('They have none yet. They get a mail with a link to choose one.')
      }
    >
      {person.email !== null && (
        <Form
          {...(await form('person-reset'))}
          fields={{ id: person.id }}
          submit={say('Send the mail')}
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
      heading={say('Stop them')}
      lead={
        disabled
          ? say('A disabled person keeps their account. Deleting ends everything for good.')
          : say(
              'Disabling signs them out at once, ends their tokens and keeps their account. Deleting ends everything for good.',
            )
      }
    >
      <div className="form-actions">
        {disabled ? (
          <Form {...(await form('person-enable'))} className="inline" fields={{ id }}>
            <Submit tone="plain">{say('Enable them')}</Submit>
          </Form>
        ) : (
          <a className="button danger" href={personPath(id, 'disable')}>
            {say('Disable them…')}
          </a>
        )}
        <a className="button danger" href={personPath(id, 'delete')}>
          {say('Delete them…')}
        </a>
      </div>
    </Panel>
  );
}
