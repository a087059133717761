// Tests the audit webhook with an event of its own, signed as every event is.
import { webhookTest } from '#lib/audit/webhook.ts';
import type { ProbeAnswer, ProbeVerdict } from '#lib/registry/methods/kind.ts';
import { operation } from '../core/operation.ts';
import { limitedTest } from './limited-test.ts';
import type { ConnectionTest, TestStep } from './step.ts';
import { walkProbes } from './walk.ts';

export const testAuditWebhook = operation(
  'testAuditWebhook',
  ({ actor }): Promise<ConnectionTest> => limitedTest(actor, { what: 'audit-webhook' }, steps),
);

const CHECK = { text: 'Test event' };

async function steps(): Promise<TestStep[]> {
  const made = webhookTest();
  if (made) {
    const { url: address, allowPrivateNetwork, secret, ...send } = made;
    const probe = { check: CHECK, address, send, judge };
    return walkProbes([probe], { policy: { allowPrivateNetwork }, secrets: [secret] });
  }
  return [
    {
      check: CHECK,
      state: 'skipped',
      ...{ sent: null, answered: null, tookMs: null },
      found: { text: 'AUDIT_WEBHOOK_URL is not set: no event is sent anywhere.' },
      change: null,
    },
  ];
}

function judge({ status }: ProbeAnswer): ProbeVerdict {
  if (status >= 200 && status < 300)
    return {
      state: 'ok',
      found: { text: 'It took the event. Whether it checked the signature, its log says.' },
    };
  if (status === 401 || status === 403)
    return {
      state: 'broken',
      found: { text: 'It does not accept the signature, or does not know this service.' },
      change: { text: 'Compare AUDIT_WEBHOOK_SECRET, and the clocks: old timestamps are refused.' },
    };
  if ([404, 405, 410].includes(status))
    return {
      state: 'broken',
      found: { text: 'Nothing takes a POST at this address.' },
      change: { text: 'Check AUDIT_WEBHOOK_URL.' },
    };
  return {
    state: 'broken',
    found: {
      text: 'It refuses the event with {status}. It would be sent again and again.',
      values: { status },
    },
    change: { text: 'Look into the log of the receiver.' },
  };
}
