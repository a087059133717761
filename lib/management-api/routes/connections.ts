// Tests of the services that this one calls: for administrators. Each answers what it found, also where that is broken.
import { inEnglish } from '#lib/language/words.ts';
import { testMail } from '#lib/management/connections/mail.ts';
import { testAuthMethod } from '#lib/management/connections/methods.ts';
import type { ConnectionTest } from '#lib/management/connections/step.ts';
import { testAuditWebhook } from '#lib/management/connections/webhook.ts';
import { one, type Route, routesFor } from '../route.ts';

const test = routesFor('registry.manage');
const answers = one('ConnectionTest');

const testInEnglish = ({ steps, ...test }: ConnectionTest) => ({
  ...test,
  steps: steps.map(({ check, found, change, ...step }) => ({
    ...step,
    check: inEnglish(check),
    found: inEnglish(found),
    change: change && inEnglish(change),
  })),
});

export const connectionRoutes: Route[] = [
  test(
    'POST /service/mail/test',
    'Test the mail server, with a message to yourself',
    async (actor) => testInEnglish(await testMail(actor)),
    { answers },
  ),
  test(
    'POST /service/audit-webhook/test',
    'Test the audit webhook, with a signed event that is not stored',
    async (actor) => testInEnglish(await testAuditWebhook(actor)),
    { answers },
  ),
  test(
    'POST /auth-methods/:id/test',
    'Test the service behind a sign-in method, as a sign-in asks it, without a person',
    async (actor, { id }) => testInEnglish(await testAuthMethod(actor, { id })),
    { answers },
  ),
];
