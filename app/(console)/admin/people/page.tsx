import type { SearchParams } from '#app/_components/page-input.ts';
import { dayFilters, List, Ordered, Search } from '#app/(console)/_kit/list.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Callout, Title } from '#app/(console)/_kit/pieces.tsx';
import { visit } from '#app/(console)/_kit/visit.tsx';
import { currentWords, say } from '#app/(console)/_texts/say.tsx';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { pagePeople, readSecondFactors } from '#lib/management/people.ts';
import { ROLE_WORDS, ROLES } from '#lib/registry/person.ts';
import { INVITATIONS } from '../forms.ts';
import { PersonItem } from './items.tsx';

export const generateMetadata = pageTitle('People');

const HERE = '/admin/people';
type PeopleAsked = NonNullable<Parameters<typeof pagePeople>[1]>;
const FACTORS = ['some', 'none'] as const;
const STATES = ['active', 'disabled'] as const;
const DAYS = [1, 7, 30, 90, 365];
const CREATED = DAYS.map(
  (days) =>
    [
      `${days}`,
      english('Created in the last {days, plural, =1 {24 hours} =365 {year} other {# days}}', { days }),
    ] as const,
);
const SEEN: readonly (readonly [string, EnglishSentence, NonNullable<PeopleAsked['seen']>])[] = [
  ...DAYS.map(
    (days) =>
      [
        `${days}`,
        english('Signed in in the last {days, plural, =1 {24 hours} =365 {year} other {# days}}', { days }),
        { within: days },
      ] as const,
  ),
  ...DAYS.slice(2).map(
    (days) =>
      [
        `not-${days}`,
        english('Not signed in for {days, plural, =365 {a year} other {# days}}', { days }),
        { before: days },
      ] as const,
  ),
  ['never', english('Never signed in'), 'never'],
];

export default function PeoplePage({ searchParams }: { searchParams: SearchParams }) {
  return visit({ area: 'admin', here: HERE, path: HERE, searchParams }, async ({ actor, query }) => {
    const { told } = currentWords();
    const { search = '', cursor = '', order = '' } = query;
    const role = ROLES.find((roleName) => roleName === query['role']);
    const state = STATES.find((stateName) => stateName === query['state']);
    const factors = FACTORS.find((factorFilter) => factorFilter === query['factors']);
    const seen = SEEN.find(([one]) => one === query['seen']);
    const created = DAYS.find((days) => `${days}` === query['created']);
    const days = await dayFilters(actor, query, [
      { name: 'created', label: say('Created') },
      { name: 'seen', label: say('Last sign-in') },
    ]);
    const page = await pagePeople(actor, {
      ...days.asked,
      counted: true,
      search,
      cursor,
      order,
      role,
      state,
      factors,
      seen: seen?.[2],
      createdWithin: created,
    });
    const { policy, without } = await readSecondFactors(actor);
    return (
      <>
        <Title
          lead={say('Everyone with an account, and everyone who has signed in with another method.')}
          actions={
            <>
              <a className="button plain" href={INVITATIONS}>
                {say('Invite people')}
              </a>
              <a className="button" href="/admin/people/new">
                {say('Add person')}
              </a>
            </>
          }
        >
          {say('People')}
        </Title>
        {policy === 'required' && without > 0 && (
          <Callout>
            <p>
              {say(
                '{count, plural, one {One approver or administrator has} other {# approvers and administrators have}} no second factor yet. The console asks them to set one up.',
                { count: without },
              )}{' '}
              <a href={`${HERE}?factors=none`}>{say('Show people without a second factor')}</a>
            </p>
          </Callout>
        )}
        <Search
          action={HERE}
          search={search}
          placeholder={say('Name or email')}
          order={order}
          days={days}
          filters={[
            {
              name: 'role',
              label: say('Role'),
              value: role ?? '',
              options: [
                ['', say('Any role')],
                ...ROLES.map((roleName) => [roleName, say(ROLE_WORDS[roleName].label)] as const),
              ],
            },
            {
              name: 'factors',
              label: say('Second factor'),
              value: factors ?? '',
              options: [
                ['', say('Any second factor')],
                ['some', say('With a second factor')],
                ['none', say('Without a second factor')],
              ],
            },
            {
              name: 'state',
              label: say('State'),
              value: state ?? '',
              options: [
                ['', say('Any state')],
                ['active', say('Active')],
                ['disabled', say('Disabled')],
              ],
            },
            {
              name: 'seen',
              label: say('Last sign-in'),
              value: seen?.[0] ?? '',
              options: [
                ['', say('Any last sign-in')],
                ...SEEN.map(([value, of]) => [value, told(of)] as const),
              ],
            },
            {
              name: 'created',
              label: say('Created'),
              value: created === undefined ? '' : `${created}`,
              options: [['', say('Any age')], ...CREATED.map(([value, of]) => [value, told(of)] as const)],
            },
          ]}
        />
        <Ordered
          path={HERE}
          query={{
            search,
            cursor,
            order,
            role: role ?? '',
            state: state ?? '',
            factors: factors ?? '',
            seen: seen?.[0] ?? '',
            created: created === undefined ? '' : `${created}`,
            ...days.query,
          }}
          page={page}
          orders={{ name: say('Name'), seen: say('Last sign-in'), created: say('Created') }}
        >
          {page.rows.length === 0 ? (
            <p className="soft nothing">{say('No matches. Try the beginning of a name or email address.')}</p>
          ) : (
            <List label={say('People')}>
              {page.rows.map((row) => (
                <PersonItem key={row.id} row={row} />
              ))}
            </List>
          )}
        </Ordered>
      </>
    );
  });
}
