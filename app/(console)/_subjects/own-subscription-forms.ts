// Actions of a developer on subscriptions: request, change, cancel.
import { listCatalogue } from '#lib/catalogue/apis/operations.ts';
import { readClient } from '#lib/catalogue/clients/operations.ts';
import { isPowerful } from '#lib/catalogue/subscriptions/definition.ts';
import {
  changeSubscription,
  previewSubscriptionChange,
  requestSubscription,
} from '#lib/catalogue/subscriptions/operations.ts';
import { faultAt, faulty } from '#lib/management/refused.ts';
import { type ConsoleForm, type Forms, redirectAfter } from '../_kit/console-form.ts';
import type { Fields } from '../_kit/posted.ts';
import { formsOf } from '../_kit/questions.ts';
import { ceilingOf } from '../_kit/subscription-words.ts';
import { clientPath, isBackground } from './client-kinds.ts';

type Run = ConsoleForm['run'];
type Actor = Parameters<Run>[0];

const page = (fields: Fields) => clientPath('developer', fields.one('clientId'), 'apis', fields.one('api'));

async function askedFor(actor: Actor, fields: Fields) {
  const [clientId, api] = [fields.one('clientId'), fields.one('api')];
  const entry = (await listCatalogue(actor, { clientId })).find(({ id }) => id === api);
  const scopes = entry?.scopes ?? [];
  const checked = fields.list('scopes');
  if (scopes.length > 0 && checked.length === 0) {
    throw faulty([faultAt('scopes', 'wish.no_scope')]);
  }
  const trusted = fields.has('trusted');
  const message = fields.text('message');
  const powers = { trusted, machine: fields.has('machine'), device: fields.has('device') };
  if (isPowerful(powers) && message === undefined) {
    const why = powers.machine ? 'wish.why_machine' : 'wish.why_device';
    throw faulty([faultAt('message', trusted ? 'wish.why_trusted' : why)]);
  }
  return { clientId, api, ...powers, scopes: ceilingOf(checked, scopes), message };
}

const request: Run = async (actor, fields) => {
  const input = await askedFor(actor, fields);
  const state = await requestSubscription(actor, input);
  if (state !== 'approved') return redirectAfter(page(fields), 'subscription-pending');
  const idle = !input.machine && isBackground(await readClient(actor, input));
  return redirectAfter(page(fields), idle ? 'subscription-idle' : 'subscription-approved');
};

const change: Run = async (actor, fields) => {
  const input = await askedFor(actor, fields);
  const { from, to } = await previewSubscriptionChange(actor, input);
  if (from === 'approved' && to === 'pending' && fields.one('confirmed') !== 'pending') {
    return { kind: 'confirm' };
  }
  const message = input.message ?? '';
  const { state } = await changeSubscription(actor, { ...input, message, version: fields.number('version') });
  const waits = from !== 'pending' && state === 'pending';
  return redirectAfter(page(fields), waits ? 'subscription-pending' : 'subscription-changed');
};

export const subscriptionForms: Forms = {
  'subscription-request': { page, run: request },
  'subscription-change': { page, run: change },
  ...formsOf('subscription-cancel'),
};
