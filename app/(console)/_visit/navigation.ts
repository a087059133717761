// The navigation of the console. It hides what a person may not open; each page checks the rights itself.
import type { Plain } from '#lib/language/message.ts';
import { type Action, type Actor, mayDo } from '#lib/management/core/policy.ts';

export type Place = { href: string; label: Plain; action: Action };
export type Group = { title: Plain; places: readonly Place[] };

const GROUPS: readonly Group[] = [
  {
    title: 'console.you',
    places: [{ href: '/account', label: 'my.heading', action: 'account.read' }],
  },
  {
    title: 'console.build',
    places: [
      { href: '/developer', label: 'console.applications', action: 'clients.see-own' },
      { href: '/developer/catalogue', label: 'console.catalogue', action: 'clients.see-own' },
      { href: '/developer/playground', label: 'console.playground', action: 'clients.see-own' },
      { href: '/developer/expiring', label: 'console.expiring', action: 'clients.see-own' },
    ],
  },
  {
    title: 'console.run',
    places: [
      { href: '/admin', label: 'console.operations', action: 'audit.read' },
      { href: '/admin/approvals', label: 'console.approvals', action: 'subscriptions.decide' },
      { href: '/admin/subscriptions', label: 'console.subscriptions', action: 'subscriptions.decide' },
      { href: '/admin/apis', label: 'console.apis', action: 'registry.read' },
      { href: '/admin/auth-methods', label: 'console.methods', action: 'registry.read' },
      { href: '/admin/clients', label: 'console.clients', action: 'clients.see-all' },
      { href: '/admin/people', label: 'console.people', action: 'people.read' },
      { href: '/admin/groups', label: 'console.groups', action: 'groups.read' },
      { href: '/admin/mails', label: 'console.mails', action: 'registry.read' },
      { href: '/admin/sessions', label: 'console.sessions', action: 'sessions.read' },
      { href: '/admin/keys', label: 'console.keys', action: 'keys.read' },
      { href: '/admin/audit', label: 'console.audit', action: 'audit.read' },
      { href: '/admin/service', label: 'console.service', action: 'audit.read' },
    ],
  },
];

export function groupsFor(actor: Actor): Group[] {
  return GROUPS.map(({ title, places }) => ({
    title,
    places: places.filter(({ action }) => mayDo(actor, action)),
  })).filter(({ places }) => places.length > 0);
}
