// What expires, as events of a calendar, with the page where it is seen to.
import { settings } from '#lib/settings/index.ts';
import type { ChecklistName } from '#lib/store/index.ts';
import type { Expiring } from './expiring.ts';
import type { CalendarEvent } from './icalendar.ts';

type Of<Kind extends Expiring['kind']> = Extract<Expiring, { kind: Kind }>;
type Told = { summary: string; description: string; path: string };

const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

const KEYS = {
  begins: ['begins to sign', 'The key was published before, so no API has to do anything.'],
  leaves: ['leaves the JWKS', 'Its last token ends. APIs fetch the keys by themselves.'],
  replaced: ['is replaced', 'A new key takes over by itself.'],
  overdue: ['should have been replaced', 'The maintenance replaces keys by itself: see that it runs.'],
} as const satisfies Record<Of<'key'>['what'], readonly [string, string]>;

function told(one: Expiring, area: 'admin' | 'developer'): Told {
  switch (one.kind) {
    case 'secret':
      return {
        summary: `A secret of ${one.clientName} ends`,
        description: 'It was rotated. By then the application has to use its new one.',
        path: `/${area}/clients/${encodeURIComponent(one.clientId)}`,
      };
    case 'delegations':
      return {
        summary: `${counted(one.count, 'delegation', 'delegations')} to ${one.clientName} at ${one.apiName} end`,
        description: 'People let it act for them until then. They can let it act on, on their account page.',
        path: `/${area}/clients/${encodeURIComponent(one.clientId)}`,
      };
    case 'allowances':
      return {
        summary: `${one.clientName} has to ask ${counted(one.count, 'person', 'people')} again for ${one.apiName}`,
        description:
          'The approval limits how long what a person allows lasts. They are asked at the next sign-in.',
        path: `/${area}/clients/${encodeURIComponent(one.clientId)}`,
      };
    case 'invitations':
      return {
        summary: `${counted(one.count, 'invitation', 'invitations')} to ${one.methodName} end`,
        description: 'Who still wants to come needs another one.',
        path: '/admin/people/invitations',
      };
    case 'registrations':
      return {
        summary: `${counted(one.count, 'request', 'requests')} for an account at ${one.methodName} lapse`,
        description: 'They wait for an approval.',
        path: '/admin/approvals',
      };
    case 'key': {
      const [what, description] = KEYS[one.what];
      return {
        summary: `A signing key (${one.alg}) ${what}`,
        description: `${description} kid ${one.kid}`,
        path: '/admin/keys',
      };
    }
    case 'trust-anchor':
      return {
        summary: `The certificate of ${one.name} ends`,
        description: `${one.setting} names it as an authority: put its successor into that file before.`,
        path: '/admin/service',
      };
  }
}

/** A count is of a day; what is one thing has a moment. */
export function eventOf(one: Expiring, list: ChecklistName): CalendarEvent {
  const { summary, description, path } = told(one, list === 'own' ? 'developer' : 'admin');
  const { baseUrl } = settings();
  return {
    uid: `${one.id}@${new URL(baseUrl).hostname}`,
    at: one.at,
    allDay: 'count' in one,
    summary,
    description: `${description}\n${one.at.toISOString()}`,
    url: `${baseUrl}${path}`,
  };
}
