// Where what was found is.
import { type Actor, mayDo } from '#lib/management/core/policy.ts';
import type { FoundThing } from '#lib/store/find-kinds.ts';
import { type Area, path } from '../_forms/form.ts';
import { clientPath } from '../_objects/client-kinds.ts';
import { withQuery } from '../_ui/with-query.ts';

/** The area whose pages of clients a person may open. */
const areaOf = (actor: Actor): Area => (mayDo(actor, 'clients.see-all') ? 'admin' : 'developer');

export function addressOf(actor: Actor, { kind, id, api }: FoundThing): string {
  switch (kind) {
    case 'person':
      return path('admin', 'people', id);
    case 'client':
      return clientPath(areaOf(actor), id);
    case 'subscription':
      return mayDo(actor, 'subscriptions.decide')
        ? path('admin', 'subscriptions', id, api ?? '')
        : clientPath('developer', id);
    case 'api':
      return mayDo(actor, 'registry.read') ? path('admin', 'apis', id) : path('apis', id);
    case 'method':
      return path('admin', 'auth-methods', id);
    case 'group':
      return path('admin', 'groups', id);
    case 'key':
      return '/admin/keys';
    case 'request':
      return clientPath(areaOf(actor), id, 'requests');
    case 'event':
      return withQuery('/admin/audit', { request: id });
  }
}
