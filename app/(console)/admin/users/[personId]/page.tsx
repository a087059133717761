import type { Metadata } from 'next';
import { Access } from '#app/(console)/_people/access.tsx';
import { Roles } from '#app/(console)/_people/role-panel.tsx';
import { type PersonPageProps, visitPerson } from '#app/(console)/_people/visit-person.tsx';
import { TextField } from '#app/(console)/_ui/fields.tsx';
import { Form } from '#app/(console)/_ui/form.tsx';
import { Fact, Facts, Panel, Pill } from '#app/(console)/_ui/pieces.tsx';
import { Submit } from '#app/(console)/_ui/submit.tsx';
import { When } from '#app/(console)/_ui/when.tsx';
import { mayDo, type PersonView } from '#lib/management/index.ts';

export const dynamic = 'force-dynamic';
export const metadata: Metadata = { title: 'Person' };

export default function PersonPage(props: PersonPageProps) {
  return visitPerson(props, null, async ({ actor, person, form, typed }) => {
    const values = typed('person-change');
    const own = person.email ?? '';
    return (
      <>
        <Roles person={person} grant={await form('role-grant')} revoke={await form('role-revoke')} />
        <Panel id="profile" heading="Profile">
          <Form {...(await form('person-change'))}>
            <input type="hidden" name="id" value={person.id} />
            <input type="hidden" name="version" value={person.version} />
            <TextField
              name="name"
              label="Name"
              optional
              value={values.one('name', person.name)}
              meanwhile={values.meanwhile('name', person.name)}
              autoComplete="off"
              maxLength={200}
            />
            {person.email !== null && (
              <TextField
                name="email"
                label="E-mail"
                type="email"
                hint="They sign in with it."
                value={values.one('email', own)}
                meanwhile={values.meanwhile('email', own)}
                autoComplete="off"
              />
            )}
            <div className="form-actions">
              <Submit tone="plain">Save</Submit>
            </div>
          </Form>
          <About person={person} audit={mayDo(actor, 'audit.read')} />
        </Panel>
        <Access
          person={person}
          reset={await form('person-reset')}
          password={await form('person-password')}
          sessions={await form('person-sessions')}
          disable={await form(person.disabled ? 'person-enable' : 'person-disable')}
        />
      </>
    );
  });
}

function About({ person, audit }: { person: PersonView; audit: boolean }) {
  const link = (path: string, query: Record<string, string>) => `${path}?${new URLSearchParams(query)}`;
  return (
    <Facts>
      <Fact name="E-mail confirmed">
        {person.emailVerified ? <Pill tone="good">yes</Pill> : <Pill tone="neutral">no</Pill>}
      </Fact>
      {person.identities.map((identity) => (
        <Fact key={`${identity.authMethodId} ${identity.subject}`} name={identity.authMethodId}>
          <code>{identity.subject}</code> {identity.email}, seen <When at={identity.lastSeenAt} />
        </Fact>
      ))}
      <Fact name="Clients of theirs">
        {person.clients > 0 && person.email ? (
          <a href={link('/admin/clients', { search: person.email })}>{person.clients}</a>
        ) : (
          person.clients
        )}
      </Fact>
      <Fact name="Consents">{person.consents}</Fact>
      <Fact name="Here since">
        <When at={person.createdAt} />
        {audit && (
          <>
            . <a href={link('/admin/audit', { person: person.id })}>What happened</a>
          </>
        )}
      </Fact>
    </Facts>
  );
}
