import type { PersonView } from '#lib/management/index.ts';
import { TextField } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { Panel } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import type { FormStart } from '../_visit/start-form.ts';

type AccessProps = {
  person: PersonView;
  reset: FormStart;
  password: FormStart;
  sessions: FormStart;
  disable: FormStart;
};

/** Password, sessions, and shutting out. */
export function Access({ person, reset, password, sessions, disable }: AccessProps) {
  const id = <input type="hidden" name="id" value={person.id} />;
  return (
    <>
      {person.email !== null && (
        <Panel
          id="password"
          heading="Password"
          lead="Best: they choose one themselves, by a link in a mail. Setting one ends every sign-in of theirs."
        >
          <Form {...reset}>
            {id}
            <div className="form-actions">
              <Submit tone="plain">Send them a link</Submit>
            </div>
          </Form>
          <details className="more" open={password.message !== null}>
            <summary>Set one for them</summary>
            <Form {...password}>
              {id}
              <TextField name="password" label="New password" type="password" autoComplete="new-password" />
              <div className="form-actions">
                <Submit tone="danger">Set the password</Submit>
              </div>
            </Form>
          </details>
        </Panel>
      )}
      <Panel
        id="sessions"
        heading={`Signed in ${person.sessions === 1 ? 'once' : `${person.sessions} times`}`}
        lead="Signing them out ends every sign-in and every token of theirs."
        aside={
          person.sessions > 0 && (
            <a href={`/admin/sessions?${new URLSearchParams({ person: person.id })}`}>Where</a>
          )
        }
      >
        <Form {...sessions}>
          {id}
          <div className="form-actions">
            <Submit tone="plain">Sign them out everywhere</Submit>
          </div>
        </Form>
      </Panel>
      <Panel
        id="ending"
        heading={person.disabled ? 'Disabled' : 'Shut out'}
        lead={
          person.disabled
            ? 'They cannot sign in. Enabled again, they sign in as before.'
            : 'Disabling ends every sign-in and token of theirs at once, and keeps the rest. Deleting ends everything for good.'
        }
      >
        <Form {...disable} className="form-actions">
          {id}
          <Submit tone={person.disabled ? 'plain' : 'danger'}>
            {person.disabled ? 'Enable them' : 'Disable them'}
          </Submit>
          <a className="button danger" href={`/admin/users/${person.id}/delete`}>
            Delete them…
          </a>
        </Form>
      </Panel>
    </>
  );
}
