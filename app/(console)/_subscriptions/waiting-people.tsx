// People who wait for an account, in the inbox: a row of each, and one of them with the decision.

import { Name } from '#app/_components/name.tsx';
import type { WaitingPersonRow } from '#lib/registry/objects/invitation.ts';
import { Say, say } from '../_texts/say.tsx';
import { TextArea } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { Fact, Facts, Pill } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import { When } from '../_ui/when.tsx';
import type { Visit } from '../_visit/visit.tsx';
import { NotTaken } from './not-taken.tsx';
import { inboxAt, type Place, waitingPath } from './place.ts';
import { AllTexts } from './shown-to-people.tsx';

export function PersonRequest({ row, here, place }: { row: WaitingPersonRow; here: boolean; place: Place }) {
  return (
    <li className="row linked">
      <div className="row-text">
        <p className="row-title">
          <a href={waitingPath(row.id, place)} aria-current={here ? 'true' : undefined}>
            <Name>{row.name || row.email}</Name>
          </a>
          <Pill tone="waiting">{say('account')}</Pill>
        </p>
        <p className="soft">
          <bdi>{row.email}</bdi> · {row.authMethodName} · <When at={row.createdAt} />
        </p>
      </div>
    </li>
  );
}

const cameFrom = (name: string | null, id: string | null) =>
  name ?? (id === null ? null : say('{id} (gone)', { id }));

/** Everything that an approver decides by. */
export function PersonFacts({ of }: { of: WaitingPersonRow }) {
  const client = cameFrom(of.clientName, of.clientId);
  const api = cameFrom(of.apiName, of.apiId);
  return (
    <Facts>
      <Fact name={say('Address')}>
        <bdi>{of.email}</bdi> <span className="soft">{say('They have proved that it is theirs.')}</span>
      </Fact>
      <Fact name={say('Name')}>
        {of.name ? <AllTexts of={of.name} /> : say('None given')}{' '}
        <span className="soft">{say('They chose it themselves.')}</span>
      </Fact>
      <Fact name={say('Signs in with')}>
        <Name>{of.authMethodName}</Name>
      </Fact>
      {client !== null && (
        <Fact name={say('Came from')}>
          <Name>{client}</Name>
          {api !== null && (
            <>
              {' '}
              → <Name>{api}</Name>
            </>
          )}
        </Fact>
      )}
      <Fact name={say('Waits since')}>
        <When at={of.createdAt} />
        <span className="soft">
          {' '}
          <Say text="· goes {time} if nobody decides" values={{ time: <When at={of.expiresAt} /> }} />
        </span>
      </Fact>
    </Facts>
  );
}

export async function ChosenPerson({
  of,
  place,
  form,
  typed,
}: Visit & { of: WaitingPersonRow; place: Place }) {
  const [start, values] = [await form('person-decide'), typed('person-decide')];
  const open = values.one('action');
  const quiet = { ...start, message: null, faults: {} };
  return (
    <section className="panel" aria-labelledby="chosen">
      <p className="crumb inbox-back">
        <a href={inboxAt(place)}>{say('All requests')}</a>
      </p>
      <div className="decide">
        <Form {...quiet} className="decide-yes" fields={{ ...place, id: of.id, action: 'approve' }}>
          <Submit>{say('Approve')}</Submit>
        </Form>
        <Form {...quiet} className="decide-yes" fields={{ ...place, id: of.id, action: 'reject' }}>
          <Submit tone="danger">{say('Reject')}</Submit>
        </Form>
        <details open={open === 'explain'}>
          <summary className="button plain">{say('Reject with a reason…')}</summary>
          <Form
            {...(open === 'explain' ? start : quiet)}
            fields={{ ...place, id: of.id, action: 'explain' }}
            submit={say('Reject it')}
            tone="danger"
          >
            <TextArea
              name="reason"
              label={say('Why not?')}
              hint={say('The mail says it. Without one it says only that the request was rejected.')}
              value={open === 'explain' ? values.one('reason') : ''}
              maxLength={2000}
            />
          </Form>
        </details>
      </div>
      {open !== 'explain' && <NotTaken message={start.message} wrote="" />}
      <div className="panel-head">
        <h2 id="chosen">
          <Say text="{who} asks for an account" values={{ who: <Name>{of.name || of.email}</Name> }} />
        </h2>
      </div>
      <PersonFacts of={of} />
    </section>
  );
}
