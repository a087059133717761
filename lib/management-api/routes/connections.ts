// Tests of the services that this one calls: for administrators. Each answers what it found, also where that is broken.
import { formatEnglish } from '#lib/language/index.ts';
import { type ConnectionTest, testAuditWebhook, testAuthMethod, testMail } from '#lib/management/index.ts';
import { one, type Route, routesFor } from '../route.ts';

const test = routesFor('registry.manage');
const answers = one('ConnectionTest');

const inEnglish = ({ steps, ...test }: ConnectionTest) => ({
  ...test,
  steps: steps.map(({ check, found, change, ...step }) => ({
    ...step,
    check: formatEnglish(check),
    found: formatEnglish(found),
    change: change && formatEnglish(change),
  })),
});

export const connectionRoutes: Route[] = [
  test(
    'POST /service/mail/test',
    'Test the mail server, with a message to yourself',
    async (actor) => inEnglish(await testMail(actor)),
    { answers },
  ),
  test(
    'POST /service/audit-webhook/test',
    'Test the audit webhook, with a signed event that is not stored',
    async (actor) => inEnglish(await testAuditWebhook(actor)),
    { answers },
  ),
  test(
    'POST /auth-methods/:id/test',
    'Test the service behind a sign-in method, as a sign-in asks it, without a person',
    async (actor, { id }) => inEnglish(await testAuthMethod(actor, { id })),
    { answers },
  ),
];
