// The forms that test a connection. Each leads back to its page, which shows what was found.
import { testMail } from '#lib/management/connections/mail.ts';
import { testAuthMethod } from '#lib/management/connections/methods.ts';
import type { ConnectionTest } from '#lib/management/connections/step.ts';
import { testAuditWebhook } from '#lib/management/connections/webhook.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import type { Fields } from '../_forms/fields.ts';
import { type ConsoleForm, done, type Forms, path } from '../_forms/form.ts';
import { storeResult } from '../_forms/test-result.ts';
import { withQuery } from '../_ui/with-query.ts';
import { triedPerson } from './methods.ts';

export const CONNECTIONS = '/admin/connections';
export const testPath = (methodId: string) => path('admin', 'auth-methods', methodId, 'test');

function testForm(
  page: (fields: Fields) => string,
  of: (fields: Fields) => string,
  run: (actor: ConsoleActor, fields: Fields) => Promise<ConnectionTest>,
): ConsoleForm {
  return {
    page,
    run: async (actor, fields) => {
      const [to, part] = [page(fields), of(fields)];
      const result = await storeResult(`${to}#${part}`, await run(actor, fields), actor);
      return done(`${withQuery(to, { result: result ?? '' })}#${part}`);
    },
  };
}

export const testForms: Forms = {
  'mail-test': testForm(
    () => CONNECTIONS,
    () => 'mail',
    (actor) => testMail(actor),
  ),
  'webhook-test': testForm(
    () => CONNECTIONS,
    () => 'webhook',
    (actor) => testAuditWebhook(actor),
  ),
  'method-test': testForm(
    (fields) => testPath(fields.one('id')),
    () => 'result',
    (actor, fields) => testAuthMethod(actor, { id: fields.one('id'), person: triedPerson(fields) }),
  ),
};
