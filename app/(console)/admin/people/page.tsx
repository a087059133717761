import { dayFilters } from '#app/(console)/_kit/list.tsx';
import { listPage } from '#app/(console)/_kit/list-page.tsx';
import { pageTitle } from '#app/(console)/_kit/page-language.ts';
import { Callout } from '#app/(console)/_kit/pieces.tsx';
import { currentWords, say, sayEach } from '#app/(console)/_texts/say.tsx';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import { ROLE_WORDS, ROLES } from '#lib/catalogue/people/definition.ts';
import { pagePeople, readSecondFactors } from '#lib/catalogue/people/operations.ts';
import { type EnglishSentence, english } from '#lib/language/message.ts';
import { INVITATIONS } from '../forms.ts';
import { PersonItem } from './items.tsx';

export const generateMetadata = pageTitle('People');

const HERE = '/admin/people';
type PeopleAsked = NonNullable<Parameters<typeof pagePeople>[1]>;
const FACTORS = toSay({
  '': 'Any second factor',
  some: 'With a second factor',
  none: 'Without a second factor',
});
const STATES = toSay({ '': 'Any state', active: 'Active', disabled: 'Disabled' });
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

/** Returns the value if the filter has an option with this value. */
const knownValue = <Value extends string>(options: Readonly<Record<Value, unknown>>, value = '') =>
  Object.hasOwn(options, value) && value !== '' ? (value as Exclude<Value, ''>) : undefined;

export default listPage(HERE, async ({ actor, query, listOptions }) => {
  const { told } = currentWords();
  const role = ROLES.find((roleName) => roleName === query['role']);
  const state = knownValue(STATES, query['state']);
  const factors = knownValue(FACTORS, query['factors']);
  const seen = SEEN.find(([one]) => one === query['seen']);
  const created = DAYS.find((days) => `${days}` === query['created']);
  const days = await dayFilters(actor, query, [
    { name: 'created', label: say('Created') },
    { name: 'seen', label: say('Last sign-in') },
  ]);
  const page = await pagePeople(actor, {
    ...days.asked,
    ...listOptions,
    role,
    state,
    factors,
    seen: seen?.[2],
    createdWithin: created,
  });
  const { policy, without } = await readSecondFactors(actor);
  const values = {
    role: role ?? '',
    state: state ?? '',
    factors: factors ?? '',
    seen: seen?.[0] ?? '',
    created: `${created ?? ''}`,
  };
  const roles = ROLES.map((roleName) => [roleName, say(ROLE_WORDS[roleName].label)] as const);
  const filter = (name: keyof typeof values, label: string, options: (readonly [string, string])[]) => ({
    name,
    label,
    value: values[name],
    options,
  });
  return {
    title: say('People'),
    lead: say('Everyone with an account, and everyone who has signed in with another method.'),
    actions: (
      <>
        <a className="button plain" href={INVITATIONS}>
          {say('Invite people')}
        </a>
        <a className="button" href="/admin/people/new">
          {say('Add person')}
        </a>
      </>
    ),
    top: policy === 'required' && without > 0 && (
      <Callout>
        <p>
          {say(
            '{count, plural, one {One approver or administrator has} other {# approvers and administrators have}} no second factor yet. The console asks them to set one up.',
            { count: without },
          )}{' '}
          <a href={`${HERE}?factors=none`}>{say('Show people without a second factor')}</a>
        </p>
      </Callout>
    ),
    placeholder: say('Name or email'),
    filters: [
      filter('role', say('Role'), [['', say('Any role')], ...roles]),
      filter('factors', say('Second factor'), sayEach(FACTORS)),
      filter('state', say('State'), sayEach(STATES)),
      filter('seen', say('Last sign-in'), [
        ['', say('Any last sign-in')],
        ...SEEN.map(([value, of]) => [value, told(of)] as const),
      ]),
      filter('created', say('Created'), [
        ['', say('Any age')],
        ...CREATED.map(([value, of]) => [value, told(of)] as const),
      ]),
    ],
    days,
    page,
    kept: { search: listOptions.search, order: listOptions.order, ...values, ...days.query },
    orders: { name: say('Name'), seen: say('Last sign-in'), created: say('Created') },
    empty: say('No matches. Try the beginning of a name or email address.'),
    rows: page.rows.map((row) => <PersonItem key={row.id} row={row} />),
  };
});
