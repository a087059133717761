import { Name } from '#app/_components/pieces.tsx';
import { path } from '#app/(console)/_kit/console-form.ts';
import { Form, Submit } from '#app/(console)/_kit/form.tsx';
import { Dots, Row } from '#app/(console)/_kit/list.tsx';
import { listPage } from '#app/(console)/_kit/list-page.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import type { FormStart } from '#app/(console)/_kit/page-start.tsx';
import { Kind, Panel, Pill, When } from '#app/(console)/_kit/pieces.tsx';
import { currentWords, Say, say, sayEach } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { deviceOf } from '#app/(console)/account/device-name.ts';
import type { SessionRow } from '#lib/catalogue/people/definition.ts';
import { pageSessions, readPerson } from '#lib/catalogue/people/operations.ts';
import type { PersonView } from '#lib/catalogue/people/rows.ts';
import { isOwnSession } from '#lib/management/policy.ts';

export const generateMetadata = pageTitle('Sessions');

const KINDS = toSay({ 'sign-in': 'Applications', console: 'This console' });
type SessionKind = keyof typeof KINDS;

export default listPage('/admin/sessions', async ({ actor, query, listOptions, form }) => {
  const { person: personId = '' } = query;
  const kind = (Object.keys(KINDS) as SessionKind[]).find((kindName) => kindName === query['kind']);
  const person = personId === '' ? null : await readPerson(actor, { id: personId });
  const page = await pageSessions(actor, { ...listOptions, kind, personId: person?.id });
  const filterQuery = { person: personId, search: listOptions.search, kind: kind ?? '' };
  const end = await form('any-session-end');
  const kinds = [['', say('Anywhere')] as const, ...sayEach(KINDS)];
  return {
    title: say('Sessions'),
    lead: say(
      'The places where people are signed in. After you end a session, the person must sign in there again.',
    ),
    top: person && <EndAll person={person} />,
    placeholder: person ? null : say('Name or email'),
    filters: [{ name: 'kind', label: say('Where'), value: kind ?? '', options: kinds }],
    page,
    kept: { ...filterQuery, order: listOptions.order },
    orders: { 'signed-in': say('Sign-in') },
    empty: say('No matching sessions.'),
    rows: page.rows.map((row) => (
      <SessionItem key={row.id} row={row} {...{ end, kept: filterQuery }} own={isOwnSession(actor, row.id)} />
    )),
  };
});

type ItemProps = {
  row: SessionRow;
  end: FormStart;
  kept: Record<string, string>;
  own: boolean;
};

function SessionItem({ row, end, kept, own }: ItemProps) {
  const device = deviceOf(row.userAgent, currentWords().t);
  return (
    <Row
      href={path('admin', 'people', row.personId)}
      title={<Name>{row.personLabel}</Name>}
      pills={
        <>
          <Kind>{say(KINDS[row.kind])}</Kind>
          {own && <Pill tone="good">{say('this session')}</Pill>}
        </>
      }
      side={
        !own && (
          <Form {...end} className="inline" fields={{ id: row.id, ...kept }}>
            <Submit
              tone="plain"
              of={say('the sign-in of {person} by {device}', { person: row.personLabel, device })}
            >
              {say('End session')}
            </Submit>
          </Form>
        )
      }
    >
      <Dots>
        <Say text="{device}, with {method}" values={{ device, method: row.methodName }} />
        {row.name !== null && <Name>{row.name}</Name>}
        <Say
          text="signed in {time}, last seen {seen}"
          values={{ time: <When at={row.authTime} />, seen: <When at={row.lastSeenAt} /> }}
        />
        {row.ip}
      </Dots>
    </Row>
  );
}

function EndAll({ person }: { person: PersonView }) {
  const name = person.name || person.email || say('this person');
  return (
    <Panel
      id="person"
      heading={say('Only sessions of {name}', { name })}
      lead={say('Signing a person out everywhere also revokes their tokens.')}
    >
      <div className="form-actions">
        <a className="button danger" href={path('admin', 'people', person.id, 'sign-out')}>
          {say('Sign out everywhere…')}
        </a>
        <a className="button quiet" href={path('admin', 'people', person.id)}>
          {say('Person’s page')}
        </a>
        <a className="button quiet" href="/admin/sessions">
          {say('Sessions of all people')}
        </a>
      </div>
    </Panel>
  );
}
