// The panels of a person: profile, roles, groups, factors and sessions.
import { Name } from '#app/_components/pieces.tsx';
import type { FormValues } from '#app/(console)/_kit/draft.ts';
import { Form, Submit } from '#app/(console)/_kit/form.tsx';
import { List, Row } from '#app/(console)/_kit/list.tsx';
import type { FormStart } from '#app/(console)/_kit/page-start.tsx';
import { Callout, Fact, Facts, Panel, Pill, When } from '#app/(console)/_kit/pieces.tsx';
import { SelectField } from '#app/(console)/_kit/select-field.tsx';
import type { Visit } from '#app/(console)/_kit/visit.tsx';
import { withQuery } from '#app/(console)/_kit/with-query.ts';
import { groupPath } from '#app/(console)/_subjects/group-forms.ts';
import { DefinedFields } from '#app/(console)/_subjects/object-fields.tsx';
import { OriginPills } from '#app/(console)/_subjects/object-pages.tsx';
import { Say, say, spoken } from '#app/(console)/_texts/say.tsx';
import { deviceOf } from '#app/(console)/account/device-name.ts';
import { listGroupNames, listPersonGroups } from '#lib/management/groups.ts';
import { isOwnSession } from '#lib/management/policy.ts';
import { formFields } from '#lib/registry/definition.ts';
import type { PersonGroupRow } from '#lib/registry/group.ts';
import { editablePerson, hasSignInName, ROLE_WORDS, ROLES, type SessionRow } from '#lib/registry/person.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import type { PersonView } from '#lib/store/people.ts';
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
            {say('The configuration file describes this person: the next apply sets name and roles back.')}
          </p>
        </Callout>
      )}
      <Form {...change} fields={{ id: person.id, version: person.version }} submit={say('Save')} tone="plain">
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
        <Fact name={say('E-mail')}>
          {person.email === null
            ? say('None of our own')
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
              text="{who}, seen {time}"
              values={{ who: <bdi>{email ?? subject}</bdi>, time: <When at={lastSeenAt} /> }}
            />
          </Fact>
        ))}
        <Fact name={say('Applications')}>
          {say('Looks after {clients}, has allowed {consents}', {
            clients: person.clients,
            consents: person.consents,
          })}
        </Fact>
        <Fact name={say('Audit log')}>
          <a href={withQuery('/admin/audit', { person: person.id })}>{say('What happened to them')}</a>
          {' · '}
          <a href={withQuery('/admin/audit', { actor: person.id })}>{say('What they did')}</a>
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
      lead={say('Changing one takes a sign-in of the last 15 minutes.')}
    >
      <List label={say('Roles')}>
        {ROLES.map((role) => {
          const has = person.roles.includes(role);
          return (
            <Row
              key={role}
              title={say(ROLE_WORDS[role].label)}
              pills={has && <Pill tone="good">{say('has it')}</Pill>}
              side={
                <a
                  className={has ? 'button danger' : 'button plain'}
                  href={personPath(person.id, `${has ? 'revoke' : 'grant'}-${role}`)}
                >
                  {has ? say('Take it back…') : say('Grant…')}
                  <span className="unseen"> {say('the role {role}', { role })}</span>
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

// The groups of a person, by what they are in each, and the forms that put them in and take them out by hand.

type GroupPanelProps = Pick<Visit, 'actor' | 'form' | 'typed'> & { personId: string };

export async function GroupPanel({ actor, form, typed, personId: person }: GroupPanelProps) {
  const [groups, all] = await Promise.all([listPersonGroups(actor, { id: person }), listGroupNames(actor)]);
  const byHand = groups.filter(({ origins }) => origins.includes('')).map(({ group }) => group);
  const others = all.filter(({ id }) => !byHand.includes(id));
  return (
    <Panel
      id="groups"
      heading={say('Groups')}
      lead={groups.length === 0 ? say('They are in no group.') : undefined}
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
          submit={say('Put them in')}
          tone="plain"
        >
          <SelectField
            name="id"
            label={say('Group')}
            hint={say('They stay in it whatever its rules say.')}
            value={typed('person-group-add').one('id', others[0]?.id)}
            groups={[['', others.map(({ id, name }) => [id, name === id ? id : `${name} (${id})`] as const)]]}
          />
        </Form>
      )}
      {all.length === 0 && (
        <div className="form-actions">
          <a className="button plain" href="/admin/groups/new">
            {say('Add a group')}
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
      pills={<OriginPills origins={origins} />}
      side={
        origins.includes('') && (
          <Form {...remove} className="inline" fields={{ id: group, person }}>
            <Submit tone="plain" of={name}>
              {say('Take out')}
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

/** The factors of a person beside the password, and how a lost one is removed. */
export function FactorPanel({ person, own }: FactorPanelProps) {
  const { passkeys, oldPasskeys, totpCount, recoveryCodes, trustedBrowsers } = person;
  const lines = [
    ...(passkeys > 0
      ? [
          oldPasskeys > 0
            ? say('{passkeys, plural, one {# passkey} other {# passkeys}}, {old} of another host', {
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
        'For a person who lost it. Make sure that the request is really theirs: without it their password is enough.',
      )}
    >
      {lines.length === 0 && <p>{say('None.')}</p>}
      {lines.length > 0 && own && (
        <p>
          {say('You have {factors}.', { factors: lines.join(', ') })}{' '}
          <a href="/account/security">{say('Change your own there')}</a>
        </p>
      )}
      {lines.length > 0 && !own && (
        <>
          <p>{say('They have {factors}.', { factors: lines.join(', ') })}</p>
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
  const { t } = spoken();
  return (
    <Panel
      id="sessions"
      heading={say('Where they are signed in')}
      lead={say('Signing them out everywhere ends their tokens, too.')}
      aside={more && <a href={withQuery('/admin/sessions', { person: personId })}>{say('All of them')}</a>}
    >
      {rows.length === 0 ? (
        <p>{say('Nowhere at the moment.')}</p>
      ) : (
        <List label={say('Where they are signed in')}>
          {rows.map((row) => (
            <Row
              key={row.id}
              title={deviceOf(row.userAgent, t)}
              pills={isOwnSession(actor, row.id) && <Pill tone="good">{say('this one')}</Pill>}
              side={
                !isOwnSession(actor, row.id) && (
                  <Form {...end} className="inline" fields={{ id: personId, session: row.id }}>
                    <Submit
                      tone="plain"
                      of={say('the sign-in by {device}', { device: deviceOf(row.userAgent, t) })}
                    >
                      {say('End')}
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
                text="{where}, by {method} · seen {time}"
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
          {say('Sign them out everywhere…')}
        </a>
      </div>
    </Panel>
  );
}
