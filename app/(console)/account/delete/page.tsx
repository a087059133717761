import type { Metadata } from 'next';
import { Name } from '#app/_components/name.tsx';
import type { SearchParams } from '#app/_components/page-input.ts';
import { DELETION_WORD, type DeletionPreview, previewMyDeletion } from '#lib/management/index.ts';
import { TextField } from '../../_ui/fields.tsx';
import { Form } from '../../_ui/form.tsx';
import { Callout, Panel, Title } from '../../_ui/pieces.tsx';
import { visit } from '../../_visit/visit.tsx';

export const metadata: Metadata = { title: 'Delete your account' };

const LEAVE = { href: '/account', label: 'Keep it' };

export default function DeleteAccountPage({ searchParams }: { searchParams: SearchParams }) {
  const page = { area: 'account', here: '/account', path: '/account/delete', searchParams } as const;
  return visit(page, async ({ actor, form, typed }) => {
    const preview = await previewMyDeletion(actor);
    return (
      <>
        <Title back={{ href: '/account', label: 'Your account' }} lead="There is no way back.">
          Delete your account
        </Title>
        {preview.onlyAdministrator ? (
          <Callout>
            <p>You are the only administrator: make somebody else one first.</p>
          </Callout>
        ) : (
          <Panel id="delete" heading="For good" tone="danger">
            <Form
              {...(await form('account-delete'))}
              submit="Delete my account for good"
              tone="danger"
              leave={LEAVE}
            >
              <Consequences of={preview} />
              <TextField
                name="word"
                label={`Type the word “${DELETION_WORD}”`}
                value={typed('account-delete').one('word')}
                autoComplete="off"
                maxLength={20}
                code
              />
            </Form>
          </Panel>
        )}
      </>
    );
  });
}

const count = (number: number, one: string, many: string) => `${number} ${number === 1 ? one : many}`;

function Consequences({ of: { sessions, consents, clients, managed } }: { of: DeletionPreview }) {
  return (
    <Callout tone="refused">
      <p>
        <strong>What ends with it</strong>
      </p>
      <ul>
        <li>
          {count(sessions, 'sign-in ends', 'sign-ins end')}, this one too, and every application that acts for
          you stops.
        </li>
        {consents > 0 && (
          <li>What you allowed to {count(consents, 'application', 'applications')} is forgotten.</li>
        )}
        <li>Your passkeys, authenticator app and recovery codes go. Whoever comes again is somebody new.</li>
        <li>The log of this service keeps what it has about you, for as long as it keeps anything.</li>
        {clients.length > 0 && (
          <li>
            Your applications go on without an owner, and administrators are told:{' '}
            {clients.map(({ clientId, name }, at) => (
              <span key={clientId}>
                {at > 0 && ', '}
                <Name>{name}</Name>
              </span>
            ))}
          </li>
        )}
        {managed && (
          <li>The configuration file describes you: the next apply makes an account for you again.</li>
        )}
      </ul>
    </Callout>
  );
}
