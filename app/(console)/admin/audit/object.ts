// What an event is about, as the console shows it.
import { path } from '#app/(console)/_forms/form.ts';
import { toSay } from '#app/(console)/_texts/to-say.ts';
import type { AuditEntry } from '#lib/management/index.ts';

export type EventObject = {
  label: string;
  href: string;
  list: string;
  listLabel: string;
};

export function objectOf({
  event,
  clientId,
  apiId,
  authMethodId,
  personId,
  personEmail,
  details,
}: AuditEntry): EventObject {
  if (event.startsWith('group.') && typeof details['group'] === 'string')
    return {
      label: details['group'],
      href: path('admin', 'groups', details['group']),
      list: '/admin/groups',
      listLabel: toSay('All groups'),
    };
  if (event.startsWith('subscription.') && clientId !== null && apiId !== null)
    return {
      label: `${clientId} to ${apiId}`,
      href: path('admin', 'subscriptions', clientId, apiId),
      list: '/admin/subscriptions',
      listLabel: toSay('All subscriptions'),
    };
  if (event.startsWith('api.') && apiId !== null)
    return {
      label: apiId,
      href: path('admin', 'apis', apiId),
      list: '/admin/apis',
      listLabel: toSay('All APIs'),
    };
  if (authMethodId !== null)
    return {
      label: authMethodId,
      href: path('admin', 'auth-methods', authMethodId),
      list: '/admin/auth-methods',
      listLabel: toSay('All sign-in methods'),
    };
  if (event.startsWith('person.') && personId !== null)
    return {
      label: personEmail ?? personId,
      href: path('admin', 'people', personId),
      list: '/admin/people',
      listLabel: toSay('All people'),
    };
  const href = path('admin', 'clients', clientId ?? '');
  return { label: clientId ?? '', href, list: '/admin/clients', listLabel: toSay('All applications') };
}
