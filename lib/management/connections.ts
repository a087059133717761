// Operations that test connections: sign-in methods, mail server, audit webhook.
import { isDeepStrictEqual } from 'node:util';
import { webhookTest } from '#lib/audit/webhook.ts';
import { secretToSend } from '#lib/auth-methods/broker-discovery.ts';
import { callbackUriOf } from '#lib/auth-methods/callback.ts';
import { basicCredentials } from '#lib/catalogue/methods/broker/tenants.ts';
import type { AuthMethodInput } from '#lib/catalogue/methods/definition.ts';
import type { MethodConfig, ProbeAnswer, ProbeVerdict, TriedPerson } from '#lib/catalogue/methods/kind.ts';
import { methodAsSaved } from '#lib/catalogue/methods/operations.ts';
import { keepsSecret, methodKind, wholeConfig } from '#lib/catalogue/methods/questions.ts';
import type { MailFault, MailStep } from '#lib/kit/mail.ts';
import { readableLine, type Sentence } from '#lib/kit/text.ts';
import { inEnglish } from '#lib/language/words.ts';
import { mailStaysHere, sendTestMail } from '#lib/mail/send.ts';
import { settings } from '#lib/settings/settings.ts';
import { openFromRow } from '#lib/store/sealed.ts';
import { currentSnapshot, type SnapshotMethod } from '#lib/store/snapshot.ts';
import {
  type ConnectionTest,
  connectionTest,
  FAILURES,
  type Failure,
  limitedTest,
  networkFailure,
  stepOfTaken,
  type TestStep,
  walkProbes,
} from './connection-steps.ts';
import { one, operation } from './operations.ts';
import { type Actor, readerOf } from './policy.ts';
import { Refused } from './refused.ts';

/** A broken connection also returns a successful response. */
const TEST = one('ConnectionTest', connectionTest, ({ steps, ...test }: ConnectionTest) => ({
  ...test,
  steps: steps.map(({ check, found, change, ...step }) => ({
    ...step,
    check: inEnglish(check),
    found: inEnglish(found),
    change: change && inEnglish(change),
  })),
}));

// Tests the service of a sign-in method with the requests of its kind. The secret is sent to the same addresses as in
// a sign-in.

export const testAuthMethod = operation(
  // uses the stored secret and the stored addresses
  { name: 'testAuthMethod', right: 'registry.manage', output: TEST },
  async ({ actor }, { id, person = null }: { id: string; person?: Tried }): Promise<ConnectionTest> => {
    const method = (await currentSnapshot()).methods.get(id);
    if (!method) throw new Refused('method.unknown', { method: id });
    const about = { what: 'auth-method', authMethodId: id } as const;
    return limitedTest(actor, about, () => methodSteps(method, 'as a sign-in does', person));
  },
);

/** For directories: the user whose sign-in is tested. */
type Tried = TriedPerson | null;

const plainMethodStep = { sent: null, answered: null, tookMs: null };

/** The secret, and each encoding of the secret that a request can contain. */
function formsOf(secret: string | null, { client_id }: MethodConfig): string[] {
  if (secret === null) return [];
  const basic = basicCredentials(String(client_id ?? ''), secret).replace('Basic ', '');
  const [, encoded = ''] = atob(basic).split(':');
  return [basic, encoded, secret];
}

/**
 * `by the doctor`: sends only requests without credentials. Requests to a directory are the exception: they use the
 * search account.
 */
export async function methodSteps(
  method: SnapshotMethod,
  how: 'as a sign-in does' | 'by the doctor',
  person: Tried = null,
): Promise<TestStep[]> {
  const { id, sealedSecret } = method;
  const secret = sealedSecret === null ? null : openFromRow('auth_methods', id, sealedSecret);
  if (sealedSecret !== null && secret === null)
    return [
      {
        ...plainMethodStep,
        check: { text: 'Secret' },
        state: 'broken',
        found: { text: 'The secret of this method was encrypted with another GATEHOUSE_SECRET.' },
        change: { text: 'Save the secret again, or apply the configuration again.' },
      },
    ];
  if (how === 'by the doctor' && !methodKind(method.type).trial) return stepsOf(method, null);
  const steps = await stepsOf(method, { secret }, person);
  return how === 'by the doctor' ? steps : orNothing(steps);
}

/** Tests settings before they are saved. The stored secret is sent only to the addresses that are stored with it. */
export const testAuthMethodInput = operation(
  { name: 'testAuthMethodInput', right: 'registry.manage' },
  async (
    { actor, db },
    { person = null, ...input }: AuthMethodInput & { person?: Tried },
  ): Promise<ConnectionTest> => {
    const method = await methodAsSaved(db, input);
    const snapshotMethod = (await currentSnapshot()).methods.get(method.id);
    const about = { what: 'auth-method', ...(snapshotMethod && { authMethodId: method.id }) } as const;
    return limitedTest(actor, about, async () => {
      if (input.secret !== undefined || !snapshotMethod || snapshotMethod.sealedSecret === null)
        return orNothing(await stepsOf(method, { secret: input.secret ?? null }, person));
      if (!keepsSecret(snapshotMethod, method))
        return orNothing(await stepsOf(method, { secret: null }, person));
      if (sameAddresses(snapshotMethod, method))
        return methodSteps({ ...snapshotMethod, config: method.config }, 'as a sign-in does', person);
      return [...(await stepsOf(method, null, person)), SECRET_NOT_SENT];
    });
  },
);

const SECRET_NOT_SENT: TestStep = {
  ...plainMethodStep,
  check: { text: 'Secret' },
  state: 'skipped',
  found: { text: 'The stored secret is not sent to an address that is not saved yet.' },
  change: { text: 'To test this address, enter the secret as well.' },
};

const sameAddresses = (method: Tested, other: Tested): boolean =>
  method.type === other.type && isDeepStrictEqual(secretGoesTo(method), secretGoesTo(other));

function secretGoesTo(tested: Tested): readonly unknown[] {
  const { addresses = [], sendsTo } = methodKind(tested.type);
  const config = wholeConfig(tested);
  return sendsTo?.(config) ?? addresses.map((key) => config[key]);
}

const NO_KEY: TestStep = {
  ...plainMethodStep,
  check: { text: 'Secret' },
  state: 'broken',
  found: { text: 'The secret of this method is not a signing key.' },
  change: { text: 'Save the private key again.' },
};

type Tested = Pick<SnapshotMethod, 'id' | 'type' | 'config'>;

/** `typedSecret` null: the test sends only requests without a secret. */
async function stepsOf(
  tested: Tested,
  typedSecret: { secret: string | null } | null,
  person: Tried = null,
): Promise<TestStep[]> {
  const { id, type } = tested;
  const config = wholeConfig(tested);
  const { probes = () => [], remarks = () => [], trial } = methodKind(type);
  const remarkSteps = remarks(config).map(({ key: _, ...remark }) => ({
    ...plainMethodStep,
    change: null,
    ...remark,
  }));
  if (trial) {
    const method = { id, config, secret: typedSecret?.secret ?? null };
    const taken = await trial(method, { mayBind: typedSecret !== null, person });
    return [...taken.map(stepOfTaken), ...remarkSteps];
  }
  const key = typedSecret?.secret ?? null;
  const sent = key === null ? null : await secretToSend(config, key).catch(() => null);
  if (key !== null && sent === null) return [NO_KEY];
  const as = typedSecret && { secret: sent };
  const timeoutMs = typeof config['timeout_ms'] === 'number' ? config['timeout_ms'] : undefined;
  const policy = { allowPrivateNetwork: config['allow_private_network'] === true, timeoutMs };
  const probeContext = as && { callback: callbackUriOf({ id, config }), ...as };
  const steps = await walkProbes(probes(config, probeContext), {
    policy,
    secrets: formsOf(as?.secret ?? null, config),
  });
  return [...steps, ...remarkSteps];
}

function orNothing(steps: TestStep[]): TestStep[] {
  if (steps.length > 0) return steps;
  const finding = { text: 'This method uses no other service: there is nothing to test.' };
  return [
    { ...plainMethodStep, check: { text: 'Connection' }, state: 'skipped', found: finding, change: null },
  ];
}

// Tests the mail server of SMTP_URL and sends a message to the actor.

const SECONDS = 5;
const MOST_SAID = 200;

export const testMail = operation(
  // the mail is sent to the caller's own address
  { name: 'testMail', right: 'registry.manage', output: TEST },
  ({ actor }): Promise<ConnectionTest> => limitedTest(actor, { what: 'mail' }, () => mailSteps(actor)),
);

/** Runs the test without sending a message. The result is empty if no mail server is set. */
export async function mailServerSteps(): Promise<TestStep[]> {
  const testSteps = await sendTestMail(null);
  return testSteps === null
    ? []
    : testSteps.map((mailStep) => stepOf(mailStep, new URL(settings().smtpUrl ?? ''), null));
}

async function mailSteps(actor: Actor): Promise<TestStep[]> {
  const email = actor.kind === 'person' ? actor.email : null;
  const to = actor.kind === 'person' && email !== null ? readerOf({ ...actor, email }) : null;
  const testSteps = await sendTestMail(to);
  if (testSteps === null) return [notSet(to !== null)];
  const server = new URL(settings().smtpUrl ?? '');
  const all = testSteps.map((mailStep) => stepOf(mailStep, server, email));
  const isWhole = testSteps.every(({ outcome }) => typeof outcome === 'string');
  return email === null && isWhole ? [...all, NO_ADDRESS] : all;
}

const plainMailStep = { sent: null, answered: null, tookMs: null, change: null };
export const MAIL_CHECKS: Record<MailStep['stage'], string> = {
  connect: 'Connect',
  encrypt: 'Encrypt',
  login: 'Log in',
  message: 'Test message',
};

const NO_ADDRESS: TestStep = {
  ...plainMailStep,
  check: { text: MAIL_CHECKS.message },
  state: 'skipped',
  found: { text: 'No message was sent, because your account has no email address.' },
};

function notSet(written: boolean): TestStep {
  const check = { text: 'Mail server' };
  if (mailStaysHere())
    return {
      ...plainMailStep,
      check,
      state: 'warning',
      found: written
        ? {
            text: 'SMTP_URL is not set. The test message is at /account/mail, like all mails of this local service.',
          }
        : { text: 'SMTP_URL is not set. All mails of this local service are at /account/mail.' },
      change: { text: 'Set SMTP_URL before others use this service.' },
    };
  return {
    ...plainMailStep,
    check,
    state: 'broken',
    found: { text: 'SMTP_URL is not set. Mails are written to a folder and reach no one.' },
    change: { text: 'Set SMTP_URL, such as smtps://user:password@mail.example.com.' },
  };
}

export const MAIL_DONE: Record<MailStep['stage'], [sent: string, found: string]> = {
  connect: ['EHLO', 'The server responds.'],
  encrypt: ['TLS', 'The connection is encrypted, and the certificate is valid.'],
  login: ['AUTH', 'The server accepts the username and password.'],
  message: ['MAIL, RCPT, DATA', 'The server accepted the message for {to}. Check whether it has arrived.'],
};

function stepOf({ stage, tookMs, outcome }: MailStep, server: URL, to: string | null): TestStep {
  const [sent, found] = MAIL_DONE[stage];
  const host = server.hostname;
  const port = server.port || (server.protocol === 'smtps:' ? '465' : '587');
  const step = {
    ...plainMailStep,
    check: { text: MAIL_CHECKS[stage] },
    sent: stage === 'connect' ? `${host}:${port}` : sent,
  };
  if (outcome === 'skipped') return { ...step, ...skippedStep(stage) };
  if (outcome === 'done')
    return { ...step, state: 'ok', tookMs, found: { text: found, values: { to: to ?? '' } } };
  const failure = failureOf(stage, outcome);
  const values = { host, port, seconds: SECONDS };
  return {
    ...step,
    state: 'broken',
    tookMs,
    answered: readableLine(withoutSecret(outcome.said, server))?.slice(0, MOST_SAID) ?? null,
    found: { text: FAILURES[failure].found, values },
    change: { text: FAILURES[failure].change, values },
  };
}

function skippedStep(stage: MailStep['stage']): {
  state: 'warning' | 'skipped';
  sent: null;
  found: Sentence;
  change: Sentence | null;
} {
  if (stage === 'login')
    return {
      state: 'skipped',
      sent: null,
      found: { text: 'SMTP_URL has no username: mails are sent without logging in.' },
      change: null,
    };
  return {
    state: 'warning',
    sent: null,
    found: { text: 'The connection is not encrypted: mails, and the links in them, can be read in transit.' },
    change: {
      text: 'If the server is not on this machine, use smtps:// and port 465, or a server that offers STARTTLS.',
    },
  };
}

/** Removes the credentials from the response, because some servers repeat them. */
function withoutSecret(answerText: string, { password, username }: URL): string {
  const [secret, name] = [decodeURIComponent(password), decodeURIComponent(username)];
  if (secret === '') return answerText;
  const sent = [secret, password, btoaOf(secret), btoaOf(`\0${name}\0${secret}`)];
  return sent.reduce((text, secretForm) => text.replaceAll(secretForm, '…'), answerText);
}

const btoaOf = (text: string) => Buffer.from(text).toString('base64');

function failureOf(stage: MailStep['stage'], { code, cause, command, said }: MailFault): Failure {
  const status = Number(said.slice(0, 3));
  if (stage === 'login') return [502, 503, 504].includes(status) ? 'mail-no-login' : 'mail-login';
  if (stage === 'message' && said !== '') {
    if (/STARTTLS|TLS|encrypt/i.test(said)) return 'mail-needs-tls';
    if (status === 530 || /authenticat|log ?in|5\.7\.[01]\b.*relay/i.test(said)) return 'mail-needs-login';
    if (command === 'MAIL FROM') return 'mail-sender';
    return command === 'RCPT TO' ? 'mail-recipient' : 'mail-message';
  }
  const failure = networkFailure(cause, code);
  if (failure === 'tls-none' || (failure === 'tls-failed' && said !== '')) return 'mail-tls';
  if (failure === 'timeout') return 'mail-silent';
  return said === '' ? failure : 'mail-greeting';
}

// Tests the audit webhook with a signed test event.

export const testAuditWebhook = operation(
  { name: 'testAuditWebhook', right: 'registry.manage', output: TEST },
  ({ actor }): Promise<ConnectionTest> => limitedTest(actor, { what: 'audit-webhook' }, webhookSteps),
);

const CHECK = { text: 'Test event' };

async function webhookSteps(): Promise<TestStep[]> {
  const webhook = webhookTest();
  if (webhook) {
    const { url: address, allowPrivateNetwork, secret, ...send } = webhook;
    const probe = { check: CHECK, address, send, judge };
    return walkProbes([probe], { policy: { allowPrivateNetwork }, secrets: [secret] });
  }
  return [
    {
      check: CHECK,
      state: 'skipped',
      ...{ sent: null, answered: null, tookMs: null },
      found: { text: 'AUDIT_WEBHOOK_URL is not set: events are not sent.' },
      change: null,
    },
  ];
}

function judge({ status }: ProbeAnswer): ProbeVerdict {
  if (status >= 200 && status < 300)
    return {
      state: 'ok',
      found: { text: 'The receiver accepted the event. Its log shows whether it verified the signature.' },
    };
  if (status === 401 || status === 403)
    return {
      state: 'broken',
      found: { text: 'The receiver does not accept the signature, or does not know this service.' },
      change: {
        text: 'Compare AUDIT_WEBHOOK_SECRET and the clock at both services: old timestamps are rejected.',
      },
    };
  if ([404, 405, 410].includes(status))
    return {
      state: 'broken',
      found: { text: 'This address does not accept POST requests.' },
      change: { text: 'Check AUDIT_WEBHOOK_URL.' },
    };
  return {
    state: 'broken',
    found: {
      text: 'The receiver rejects the event with {status}. The event would be sent again and again.',
      values: { status },
    },
    change: { text: 'Check the log of the receiver.' },
  };
}
