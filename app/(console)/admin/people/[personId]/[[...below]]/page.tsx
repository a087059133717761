// Pages about a user: profile, roles and groups, sign-in, and confirmations.
import type { ReactNode } from 'react';
import { personQuestion } from '#app/(console)/_kit/access.ts';
import { Form, Submit } from '#app/(console)/_kit/form.tsx';
import { untitled } from '#app/(console)/_kit/page-language.ts';
import { Callout, Managed, Panel, Pill } from '#app/(console)/_kit/pieces.tsx';
import { personTab, QUESTIONS } from '#app/(console)/_kit/questions.ts';
import type { Visit } from '#app/(console)/_kit/visit.tsx';
import { AskedInVain, ask } from '#app/(console)/_subjects/object-forms.tsx';
import { type ObjectVisit, objectPages } from '#app/(console)/_subjects/object-page.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { hasSignInName } from '#lib/catalogue/people/definition.ts';
import { pageSessions, readPerson } from '#lib/catalogue/people/operations.ts';
import type { PersonView } from '#lib/catalogue/people/rows.ts';
import { personPath } from '../../../forms.ts';
import { FactorPanel, GroupPanel, Profile, RolePanel, SessionPanel } from '../../panels.tsx';

export const metadata = untitled;

const nameOf = (person: PersonView) =>
  person.name || person.email || person.username || say('A person without a name');

export default objectPages<PersonView>({
  area: 'admin',
  param: 'personId',
  kind: toSay('Person'),
  here: '/admin/people',
  list: () => ({ href: '/admin/people', label: say('People') }),
  path: personPath,
  read: (actor, id) => readPerson(actor, { id }),
  head: (person) => ({
    name: nameOf(person),
    lead: person.name && (person.email ?? person.username),
    pills: (
      <>
        {person.disabled && <Pill tone="refused">{say('disabled')}</Pill>}
        {person.managed && <Managed />}
      </>
    ),
    notice: person.disabled && (
      <Callout tone="refused">
        <p>{say('This person is disabled, cannot sign in anywhere and has no tokens.')}</p>
      </Callout>
    ),
  }),
  pages: {
    '': {
      label: toSay('Overview'),
      tab: true,
      render: async (person, { form, typed }) => (
        <>
          <Profile person={person} change={await form('person-change')} typed={typed('person-change')} />
          <Ending person={person} form={form} />
        </>
      ),
    },
    access: {
      label: toSay('Roles and groups'),
      tab: true,
      anchors: ['roles', 'groups'],
      render: (person, visit) => (
        <>
          {hasSignInName(person) && <RolePanel person={person} />}
          <GroupPanel {...visit} personId={person.id} />
        </>
      ),
    },
    'sign-in': {
      label: toSay('Sign-in'),
      tab: true,
      anchors: ['sessions', 'factors', 'password'],
      render: renderSignIn,
    },
    '[question]': {
      label: (step) => QUESTIONS[personQuestion(step).name].words.submit,
      render: renderQuestion,
    },
  },
});

async function renderSignIn(person: PersonView, { actor, form }: ObjectVisit): Promise<ReactNode> {
  const { id } = person;
  const sessions = await pageSessions(actor, { personId: id, limit: 5 });
  return (
    <>
      <SessionPanel
        actor={actor}
        personId={id}
        rows={sessions.rows}
        more={sessions.next !== null}
        end={await form('person-session-end')}
      />
      <FactorPanel person={person} own={id === actor.id} />
      {hasSignInName(person) && <Password person={person} form={form} />}
    </>
  );
}

async function renderQuestion(person: PersonView, { step, ...visit }: ObjectVisit): Promise<ReactNode> {
  const question = personQuestion(step);
  const leave = personTab(person.id, step);
  const why = inVain(step, person, visit.actor.id);
  if (why !== null) return <AskedInVain why={why} leave={leave} />;
  const fields = { id: person.id, ...(question.role === null ? {} : { role: question.role }) };
  return ask(visit, question.name, { fields, of: nameOf(person), leave });
}

/**
 * The reason why the confirmation is not shown: a concurrent change, or the actor's own account. Null: it is shown.
 */
function inVain(step: string, person: PersonView, actorId: string): string | null {
  const { name, role } = personQuestion(step);
  const { passkeys, factors, recoveryCodes, trustedBrowsers } = person;
  if (name === 'person-disable' && person.disabled) return say('This person is already disabled.');
  if (name === 'person-grant' && role !== null && person.roles.includes(role))
    return say('This person already has the role.');
  if (name === 'person-revoke' && role !== null && !person.roles.includes(role))
    return say('This person does not have the role.');
  if (name !== 'person-reset-factors') return null;
  if (person.id === actorId) return say('These are your own factors. Change them on your account page.');
  const none = passkeys + recoveryCodes + trustedBrowsers === 0 && factors.length === 0;
  return none ? say('This person has no second factor.') : null;
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
          submit={say('Send reset link')}
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
