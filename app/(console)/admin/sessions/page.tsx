import type { SearchParams } from '#app/_components/page-input.ts';
import { Name } from '#app/_components/pieces.tsx';
import { path } from '#app/(console)/_kit/console-form.ts';
import { Form, Submit } from '#app/(console)/_kit/form.tsx';
import { Dots, List, Ordered, Row, Search } from '#app/(console)/_kit/list.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import type { FormStart } from '#app/(console)/_kit/page-start.tsx';
import { Pill, Title, When } from '#app/(console)/_kit/pieces.tsx';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { currentWords, Say, say, sayEach } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { deviceOf } from '#app/(console)/account/device-name.ts';
import { pageSessions, readPerson } from '#lib/management/people.ts';
import { isOwnSession } from '#lib/management/policy.ts';
import type { SessionRow } from '#lib/registry/person.ts';
import { EndAll } from './end-all.tsx';

export const generateMetadata = pageTitle('Sessions');

const HERE = '/admin/sessions';
const KINDS = toSay({ 'sign-in': 'Applications', console: 'This console' });
type Kind = keyof typeof KINDS;

export default function SessionsPage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: HERE, path: HERE, searchParams }, async ({ actor, query, form }) => {
    const { search = '', cursor = '', order = '', person: personId = '' } = query;
    const kind = (Object.keys(KINDS) as Kind[]).find((kindName) => kindName === query['kind']);
    const person = personId === '' ? null : await readPerson(actor, { id: personId });
    const page = await pageSessions(actor, {
      counted: true,
      search,
      cursor,
      order,
      kind,
      personId: person?.id,
    });
    const filterQuery = { person: personId, search, kind: kind ?? '' };
    const end = await form('any-session-end');
    return (
      <>
        <Title
          lead={say(
            'The places where people are signed in. After you end a session, the person must sign in there again.',
          )}
        >
          {say('Sessions')}
        </Title>
        {person ? (
          <EndAll person={person} />
        ) : (
          <Search
            action={HERE}
            search={search}
            placeholder={say('Name or email')}
            order={order}
            filters={[
              {
                name: 'kind',
                label: say('Where'),
                value: kind ?? '',
                options: [['', say('Anywhere')], ...sayEach(KINDS)],
              },
            ]}
          />
        )}
        <Ordered
          path={HERE}
          query={{ ...filterQuery, order, cursor }}
          page={page}
          orders={{ 'signed-in': say('Sign-in') }}
        >
          {page.rows.length === 0 ? (
            <p className="soft nothing">{say('No matching sessions.')}</p>
          ) : (
            <List label={say('Sessions')}>
              {page.rows.map((row) => (
                <SessionItem
                  key={row.id}
                  row={row}
                  {...{ end, kept: filterQuery }}
                  own={isOwnSession(actor, row.id)}
                />
              ))}
            </List>
          )}
        </Ordered>
      </>
    );
  });
}

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
          <Pill tone="neutral">{say(KINDS[row.kind])}</Pill>
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
              {say('End')}
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
