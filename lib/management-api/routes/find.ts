// /find, /token-inspections: one field for everything, as the console has it. No address holds a credential.
import { z } from 'zod';
import { faultAt } from '#lib/management/core/refusals/codes.ts';
import { faulty } from '#lib/management/core/refused.ts';
import { findAnything, isSecretText } from '#lib/management/find/find.ts';
import { inspectToken } from '#lib/management/find/token-inspection.ts';
import { one, type Route, routesFor, wholeList } from '../route.ts';

const find = routesFor('clients.see-all', 'clients.see-own', 'subscriptions.decide');

export const findRoutes: Route[] = [
  find(
    'GET /find',
    'What a text names, of what one may see: an id, an e-mail address, a client, a key, a request, a redirect host',
    async (actor, { q }) => {
      if (isSecretText(q.trim())) throw faulty([faultAt('q', 'find.secret')]);
      return (await findAnything(actor, { text: q })).rows;
    },
    { query: z.strictObject({ q: z.string().min(1).max(4096) }), answers: wholeList('Found') },
  ),
  find(
    'POST /token-inspections',
    'What a token says, whose key signed it, and whether it is valid; it is not kept',
    inspectToken,
    { body: z.strictObject({ token: z.string().min(1).max(16_384) }), answers: one('TokenInspection') },
  ),
];
