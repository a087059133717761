// Panels of a user's page: profile, roles, groups, factors and sessions.
import { Name } from '#app/_components/pieces.tsx';
import type { FormValues } from '#app/(console)/_kit/draft.ts';
import { Form, Submit } from '#app/(console)/_kit/form.tsx';
import { List, Row } from '#app/(console)/_kit/list.tsx';
import type { FormStart } from '#app/(console)/_kit/page-start.tsx';
import { Callout, Fact, Facts, Panel, Pill, When } from '#app/(console)/_kit/pieces.tsx';
import { SelectField } from '#app/(console)/_kit/select-field.tsx';
import type { Visit } from '#app/(console)/_kit/visit.tsx';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { OriginKinds } from '#app/(console)/_subjects/group-fields.tsx';
import { groupPath } from '#app/(console)/_subjects/group-forms.ts';
import { DefinedFields } from '#app/(console)/_subjects/object-fields.tsx';
import { currentWords, Say, say } from '#app/(console)/_texts/say.tsx';
import { deviceOf } from '#app/(console)/account/device-name.ts';
import type { PersonGroupRow } from '#lib/catalogue/groups/definition.ts';
import { listGroupNames, listPersonGroups } from '#lib/catalogue/groups/operations.ts';
import {
  editablePerson,
  hasSignInName,
  ROLE_WORDS,
  ROLES,
  type SessionRow,
} from '#lib/catalogue/people/definition.ts';
import type { PersonView } from '#lib/catalogue/people/rows.ts';
import { isOwnSession } from '#lib/management/policy.ts';
import { formFields } from '#lib/registry/definition.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import { personPath } from '../forms.ts';

const FIELDS = formFields(editablePerson);

type ProfileProps = { person: PersonView; change: FormStart; typed: FormValues };

export function Profile({ person, change, typed }: ProfileProps) {
  const fields = FIELDS.filter(({ name }) => name === 'name' || hasSignInName(person)).map((field) =>
    field.name === 'email' && person.email === null ? { ...field, optional: true } : field,
  );
  return (
    <Panel id="profile" heading={say('Profile')}>
      {person.managed && (
        <Callout>
          <p>
            {say(
              'This person is defined in the configuration file: the next apply resets the name and roles.',
            )}
          </p>
        </Callout>
      )}
      <Form {...change} fields={{ id: person.id, version: person.version }} submit={say('Save')}>
        <DefinedFields fields={fields} typed={typed} stored={person} />
      </Form>
      <Facts>
        <Fact name={say('Id')}>
          <code>{person.id}</code>
        </Fact>
        {person.subject !== null && (
          <Fact name={say('Subject in tokens')}>
            <code>{person.subject}</code>
          </Fact>
        )}
        <Fact name={say('Email')}>
          {person.email === null
            ? say('None stored')
            : person.emailVerified
              ? say('Confirmed')
              : say('Not confirmed')}
        </Fact>
        <Fact name={say('Since')}>
          <When at={person.createdAt} />
        </Fact>
        {person.identities.map(({ authMethodId, subject, email, lastSeenAt }) => (
          <Fact key={`${authMethodId} ${subject}`} name={say('At {method}', { method: authMethodId })}>
            <Say
              text="{who}, last seen {time}"
              values={{ who: <bdi>{email ?? subject}</bdi>, time: <When at={lastSeenAt} /> }}
            />
          </Fact>
        ))}
        <Fact name={say('Applications')}>
          {say('Owns {clients}, authorized {consents}', {
            clients: person.clients,
            consents: person.consents,
          })}
        </Fact>
        <Fact name={say('Audit log')}>
          <a href={withQuery('/admin/audit', { person: person.id })}>{say('Events about this person')}</a>
          {' · '}
          <a href={withQuery('/admin/audit', { actor: person.id })}>{say('Events by this person')}</a>
        </Fact>
      </Facts>
    </Panel>
  );
}

export function RolePanel({ person }: { person: PersonView }) {
  return (
    <Panel
      id="roles"
      heading={say('Roles')}
      lead={say('Changing a role requires a sign-in in the last 15 minutes.')}
    >
      <List label={say('Roles')}>
        {ROLES.map((role) => {
          const has = person.roles.includes(role);
          return (
            <Row
              key={role}
              title={say(ROLE_WORDS[role].label)}
              pills={has && <Pill tone="good">{say('assigned')}</Pill>}
              side={
                <a
                  className={has ? 'button danger' : 'button plain'}
                  href={personPath(person.id, `${has ? 'revoke' : 'grant'}-${role}`)}
                >
                  {has ? say('Remove role…') : say('Grant role…')}
                  <span className="unseen"> {say(ROLE_WORDS[role].label)}</span>
                </a>
              }
            >
              {say(ROLE_WORDS[role].note)}
            </Row>
          );
        })}
      </List>
    </Panel>
  );
}

// The groups of a user with the source of each membership, and forms that add or remove a manual membership.

type GroupPanelProps = Pick<Visit, 'actor' | 'form' | 'typed'> & { personId: string };

export async function GroupPanel({ actor, form, typed, personId: person }: GroupPanelProps) {
  const [groups, all] = await Promise.all([listPersonGroups(actor, { id: person }), listGroupNames(actor)]);
  const byHand = groups.filter(({ origins }) => origins.includes('')).map(({ group }) => group);
  const others = all.filter(({ id }) => !byHand.includes(id));
  return (
    <Panel
      id="groups"
      heading={say('Groups')}
      lead={groups.length === 0 ? say('Not in any group.') : undefined}
    >
      {groups.length > 0 && (
        <List label={say('Groups')}>
          {groups.map((row) => (
            <GroupRow key={row.group} row={row} person={person} form={form} />
          ))}
        </List>
      )}
      {others.length > 0 && (
        <Form
          {...(await form('person-group-add'))}
          fields={{ person }}
          submit={say('Add to group')}
          tone="plain"
        >
          <SelectField
            name="id"
            label={say('Group')}
            hint={say('Group rules do not remove this person.')}
            value={typed('person-group-add').one('id', others[0]?.id)}
            groups={[['', others.map(({ id, name }) => [id, name === id ? id : `${name} (${id})`] as const)]]}
          />
        </Form>
      )}
      {all.length === 0 && (
        <div className="form-actions">
          <a className="button plain" href="/admin/groups/new">
            {say('Add group')}
          </a>
        </div>
      )}
    </Panel>
  );
}

type RowProps = { row: PersonGroupRow; person: string; form: Visit['form'] };

async function GroupRow({ row: { group, name, origins }, person, form }: RowProps) {
  const remove = { ...(await form('person-group-remove')), message: null };
  return (
    <Row
      href={groupPath(group)}
      title={<bdi>{name}</bdi>}
      pills={<OriginKinds origins={origins} />}
      side={
        origins.includes('') && (
          <Form {...remove} className="inline" fields={{ id: group, person }}>
            <Submit tone="plain" of={name}>
              {say('Remove from group')}
            </Submit>
          </Form>
        )
      }
    >
      <code>{group}</code>
    </Row>
  );
}

type FactorPanelProps = { person: PersonView; own: boolean };

/** The user's factors besides the password, and a form that removes a lost factor. */
export function FactorPanel({ person, own }: FactorPanelProps) {
  const { passkeys, oldPasskeys, totpCount, recoveryCodes, trustedBrowsers } = person;
  const lines = [
    ...(passkeys > 0
      ? [
          oldPasskeys > 0
            ? say('{passkeys, plural, one {# passkey} other {# passkeys}}, {old} for another host', {
                passkeys,
                old: oldPasskeys,
              })
            : say('{passkeys, plural, one {# passkey} other {# passkeys}}', { passkeys }),
        ]
      : []),
    ...(totpCount > 0
      ? [
          say('{count, plural, one {# authenticator app} other {# authenticator apps}}', {
            count: totpCount,
          }),
        ]
      : []),
    ...(recoveryCodes > 0
      ? [say('{codes, plural, one {# recovery code} other {# recovery codes}}', { codes: recoveryCodes })]
      : []),
    ...(trustedBrowsers > 0
      ? [
          say('{browsers, plural, one {# trusted browser} other {# trusted browsers}}', {
            browsers: trustedBrowsers,
          }),
        ]
      : []),
  ];
  return (
    <Panel
      id="factors"
      heading={say('Second factor')}
      lead={say(
        'For a person who lost their second factor. Verify that the request really comes from them: without the factor their password is enough to sign in.',
      )}
    >
      {lines.length === 0 && <p>{say('None.')}</p>}
      {lines.length > 0 && own && (
        <p>
          {say('You have {factors}.', { factors: lines.join(', ') })}{' '}
          <a href="/account/security">{say('Change your own factors')}</a>
        </p>
      )}
      {lines.length > 0 && !own && (
        <>
          <p>{say('The person has {factors}.', { factors: lines.join(', ') })}</p>
          <div className="form-actions">
            <a className="button danger" href={personPath(person.id, 'reset-factors')}>
              {say('Reset factors…')}
            </a>
          </div>
        </>
      )}
    </Panel>
  );
}

type SessionPanelProps = {
  actor: ConsoleActor;
  personId: string;
  rows: SessionRow[];
  more: boolean;
  end: FormStart;
};

export function SessionPanel({ actor, personId, rows, more, end }: SessionPanelProps) {
  const { t } = currentWords();
  return (
    <Panel
      id="sessions"
      heading={say('Active sessions')}
      lead={say('Signing the person out everywhere also revokes their tokens.')}
      aside={
        more && <a href={withQuery('/admin/sessions', { person: personId })}>{say('Show all sessions')}</a>
      }
    >
      {rows.length === 0 ? (
        <p>{say('No active sessions.')}</p>
      ) : (
        <List label={say('Active sessions')}>
          {rows.map((row) => (
            <Row
              key={row.id}
              title={deviceOf(row.userAgent, t)}
              pills={isOwnSession(actor, row.id) && <Pill tone="good">{say('this session')}</Pill>}
              side={
                !isOwnSession(actor, row.id) && (
                  <Form {...end} className="inline" fields={{ id: personId, session: row.id }}>
                    <Submit
                      tone="plain"
                      of={say('the sign-in by {device}', { device: deviceOf(row.userAgent, t) })}
                    >
                      {say('End session')}
                    </Submit>
                  </Form>
                )
              }
            >
              {row.name !== null && (
                <>
                  <Name>{row.name}</Name>
                  {' · '}
                </>
              )}
              <Say
                text="{where}, with {method} · last seen {time}"
                values={{
                  where: row.kind === 'console' ? say('This console') : say('Applications'),
                  method: row.methodName,
                  time: <When at={row.lastSeenAt} />,
                }}
              />
              {row.ip && ` · ${row.ip}`}
            </Row>
          ))}
        </List>
      )}
      <div className="form-actions">
        <a className="button danger" href={personPath(personId, 'sign-out')}>
          {say('Sign out everywhere…')}
        </a>
      </div>
    </Panel>
  );
}
