// Deciding on subscriptions: one form for every decision, and one for the terms of what is approved.
import {
  approvePerson,
  changeTerms,
  decideSubscription,
  Refused,
  rejectPerson,
} from '#lib/management/index.ts';
import { DECISIONS, type Decision } from '#lib/registry/index.ts';
import type { Fields } from '../_forms/fields.ts';
import { done, type Forms, path } from '../_forms/form.ts';
import { termsIn } from './terms-fields.tsx';
import { waitingPath } from './waiting-people.tsx';
import { INBOX } from './words.ts';

const page = (fields: Fields): string => {
  const [clientId, api] = [fields.one('clientId'), fields.one('api')];
  if (fields.one('from') === 'inbox') return `${INBOX}?${new URLSearchParams({ client: clientId, api })}`;
  return path('admin', 'subscriptions', clientId, api);
};

export const decideForms: Forms = {
  terms: {
    page,
    run: async (actor, fields) => {
      const [clientId, api] = [fields.one('clientId'), fields.one('api')];
      await changeTerms(actor, { clientId, api, ...termsIn(fields), version: fields.number('version') });
      return done(page(fields), 'terms-changed');
    },
  },
  'person-decide': {
    page: (fields) => waitingPath(fields.one('id')),
    run: async (actor, fields) => {
      const id = fields.one('id');
      if (fields.one('action') === 'approve') {
        await approvePerson(actor, { id });
        return done(INBOX, 'person-approved');
      }
      await rejectPerson(actor, { id, reason: fields.given('reason') });
      return done(INBOX, 'person-rejected');
    },
  },
  decide: {
    page,
    run: async (actor, fields) => {
      const action = DECISIONS.find((one) => one === fields.one('action')) as Decision;
      const reason = fields.given('reason');
      if (action === 'reject' && reason === undefined && fields.one('silent') !== 'yes') {
        const message = 'Say why: the requester has nothing else to go by.';
        throw new Refused(message, 'invalid', { faults: [{ field: 'reason', message }] });
      }
      const state = await decideSubscription(actor, {
        clientId: fields.one('clientId'),
        api: fields.one('api'),
        action,
        reason,
        ...(action === 'approve' && termsIn(fields)),
        ...(action === 'approve' && fields.has('ceiling') && { scopes: fields.list('scopes') }),
        version: fields.number('version'),
      });
      return done(
        fields.one('from') === 'inbox' ? INBOX : page(fields),
        `decided-${state === 'pending' ? state : action}`,
      );
    },
  },
};
