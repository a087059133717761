// The navigation of the console. It hides what a person may not open; each page checks the rights itself.
import { type Action, type Actor, mayDo } from '#lib/management/index.ts';

export type Place = { href: string; label: string; action: Action };
export type Group = { title: string; places: readonly Place[] };

const GROUPS: readonly Group[] = [
  {
    title: 'You',
    places: [{ href: '/account', label: 'Your account', action: 'account.read' }],
  },
  {
    title: 'Build',
    places: [
      { href: '/developer', label: 'Applications', action: 'clients.see-own' },
      { href: '/developer/catalogue', label: 'API catalogue', action: 'clients.see-own' },
      { href: '/developer/playground', label: 'Playground', action: 'clients.see-own' },
    ],
  },
  {
    title: 'Run',
    places: [
      { href: '/admin', label: 'Operations', action: 'audit.read' },
      { href: '/admin/approvals', label: 'Approvals', action: 'subscriptions.decide' },
      { href: '/admin/subscriptions', label: 'Subscriptions', action: 'subscriptions.decide' },
      { href: '/admin/apis', label: 'APIs', action: 'registry.read' },
      { href: '/admin/auth-methods', label: 'Sign-in methods', action: 'registry.read' },
      { href: '/admin/clients', label: 'Clients', action: 'clients.see-all' },
      { href: '/admin/people', label: 'People', action: 'people.read' },
      { href: '/admin/sessions', label: 'Sessions', action: 'sessions.read' },
      { href: '/admin/keys', label: 'Keys', action: 'keys.read' },
      { href: '/admin/audit', label: 'Audit log', action: 'audit.read' },
    ],
  },
];

export function groupsFor(actor: Actor): Group[] {
  return GROUPS.map(({ title, places }) => ({
    title,
    places: places.filter(({ action }) => mayDo(actor, action)),
  })).filter(({ places }) => places.length > 0);
}
