// expiring: what ends by itself, as the console lists it.
import { type Command, JSON_FLAG, listVerb, option } from '../command.ts';
import type { Json } from '../service.ts';
import { wholeNumber } from '../typed.ts';

const count = ({ count: of }: Json) => (of === undefined ? '' : String(of));
const what = ({ client_name: client, api_name: api, method_name: method, name, alg, kid }: Json) =>
  [client, api, method, name, alg, kid].filter(Boolean).join(', ');

export const expiringCommand: Command = listVerb(
  'expiring',
  'list what ends by itself: secrets, signing keys, delegations, invitations, …',
  { AT: 'at', KIND: 'kind', COUNT: count, WHAT: what },
  async ({ service, text }) => {
    const days = wholeNumber(text('days') ?? '90', '--days');
    return (await service.call('GET', `/expiring?days=${days}`))['rows'] as Json[];
  },
  {
    options: { ...JSON_FLAG, days: option('DAYS', 'within so many days, at most 366; by default 90') },
    remote: true,
  },
);
