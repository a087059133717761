// Invitations: a form for many addresses, and the list of unused invitations.

import { Choice } from '#app/(console)/_kit/choices.tsx';
import { TextField } from '#app/(console)/_kit/fields.tsx';
import { Form, Submit } from '#app/(console)/_kit/form.tsx';
import { Row } from '#app/(console)/_kit/list.tsx';
import { Listing, listQuery } from '#app/(console)/_kit/list-page.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Callout, Panel, Title } from '#app/(console)/_kit/pieces.tsx';
import { consolePage, type Visit } from '#app/(console)/_kit/visit.tsx';
import { say } from '#app/(console)/_texts/say.tsx';
import type { InvitationRow } from '#lib/catalogue/people/definition.ts';
import { listInvitingMethods, pageInvitations } from '#lib/catalogue/people/invitations.ts';
import { INVITATIONS, INVITE_LABELS } from '../../forms.ts';
import { InvitationFacts } from '../items.tsx';
import { AddressesField } from './addresses-field.tsx';

export const generateMetadata = pageTitle('Invitations');

export default consolePage({ path: INVITATIONS, here: INVITATIONS }, async (visited) => {
  const { actor, query } = visited;
  const { search = '' } = query;
  const page = await pageInvitations(actor, listQuery(query));
  const methods = await listInvitingMethods(actor);
  return (
    <>
      <Title
        back={{ href: '/admin/people', label: say('People') }}
        lead={say(
          'Each address receives a link that creates one account. The link works once, within seven days.',
        )}
      >
        {say('Invitations')}
      </Title>
      {methods.length === 0 ? (
        <Callout>
          <p>
            {say('To invite people, set the registration of a local sign-in method to “Invited people”.')}{' '}
            <a href="/admin/auth-methods">{say('Sign-in methods')}</a>
          </p>
        </Callout>
      ) : (
        <Invite methods={methods} {...visited} />
      )}
      <Panel id="open" heading={say('Open invitations')} lead={say('Not used yet.')}>
        <Listing
          path={INVITATIONS}
          query={query}
          page={page}
          label={say('Open invitations')}
          placeholder={say('Part of an address')}
          orders={{ created: say('Invited') }}
          empty={search === '' ? say('No open invitations.') : say('No matching invitations.')}
          rows={page.rows.map((row) => <Open key={row.id} row={row} {...visited} />)}
        />
      </Panel>
    </>
  );
});

async function Invite({ methods, form, typed }: Visit & { methods: { id: string; name: string }[] }) {
  const values = typed('invite');
  return (
    <Panel id="invite" heading={say('Invite people')}>
      <Form {...(await form('invite'))} submit={say('Send invitations')}>
        <AddressesField value={values.one('emails')} />
        {methods.length > 1 && (
          <Choice
            name="authMethodId"
            label={say(INVITE_LABELS.authMethodId.label)}
            options={methods.map(({ id, name }) => ({ value: id, label: name, note: id }))}
            value={values.one('authMethodId')}
          />
        )}
        <TextField
          name="name"
          label={say(INVITE_LABELS.name.label)}
          hint={say('The initial value of the name field, if you invite one person.')}
          value={values.one('name')}
          maxLength={200}
          optional
        />
      </Form>
    </Panel>
  );
}

async function Open({ row, form, typed }: Visit & { row: InvitationRow }) {
  const { id, email, authMethodId, name } = row;
  const start = await form('invitation');
  const quiet = { ...start, message: null, faults: {} };
  const fields = { id, email, authMethodId, name };
  return (
    <Row
      title={<bdi>{email}</bdi>}
      side={
        <Form
          {...(typed('invitation').one('id') === id ? start : quiet)}
          className="inline"
          label={say('Invitation for {email}', { email })}
          fields={fields}
        >
          <div className="form-actions">
            <Submit tone="plain" name="action" value="again" of={email}>
              {say('Invite again')}
            </Submit>
            <Submit tone="danger" name="action" value="withdraw" of={email}>
              {say('Withdraw')}
            </Submit>
          </div>
        </Form>
      }
    >
      <InvitationFacts of={row} />
    </Row>
  );
}
