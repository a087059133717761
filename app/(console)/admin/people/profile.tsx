import { DefinedFields } from '#app/(console)/_objects/defined-fields.tsx';
import { Say, say } from '#app/(console)/_texts/say.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Callout, Fact, Facts, Panel } from '#app/(console)/_ui/pieces.tsx';
import { When } from '#app/(console)/_ui/when.tsx';
import { withQuery } from '#app/(console)/_ui/with-query.ts';
import type { FormValues } from '#app/(console)/_visit/form-values.ts';
import type { FormStart } from '#app/(console)/_visit/start-form.ts';
import { formFields } from '#lib/registry/fields/form-fields.ts';
import { editablePerson, hasSignInName } from '#lib/registry/objects/person.ts';
import type { PersonView } from '#lib/store/people/people.ts';

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
