// Tests the mail server of SMTP_URL with a message to the person who asks.
import type { MailFault, MailStep } from '#lib/kit/mail-trial.ts';
import type { Sentence } from '#lib/kit/sentence.ts';
import { readableLine } from '#lib/kit/text/readable-text.ts';
import { mailStaysHere } from '#lib/mail/service-mail.ts';
import { sendTestMail } from '#lib/mail/test-mail.ts';
import { settings } from '#lib/settings/settings.ts';
import { operation } from '../core/operation.ts';
import { type Actor, readerOf } from '../core/policy.ts';
import { FAILURES, type Failure, networkFailure } from './failures.ts';
import { limitedTest } from './limited-test.ts';
import type { ConnectionTest, TestStep } from './step.ts';

const SECONDS = 5;
const MOST_SAID = 200;

export const testMail = operation(
  'testMail',
  ({ actor }): Promise<ConnectionTest> => limitedTest(actor, { what: 'mail' }, () => steps(actor)),
);

/** Without a message; nothing where no server is set. */
export async function mailServerSteps(): Promise<TestStep[]> {
  const told = await sendTestMail(null);
  return told === null ? [] : told.map((one) => stepOf(one, new URL(settings().smtpUrl ?? ''), null));
}

async function steps(actor: Actor): Promise<TestStep[]> {
  const email = actor.kind === 'person' ? actor.email : null;
  const to = actor.kind === 'person' && email !== null ? readerOf({ ...actor, email }) : null;
  const told = await sendTestMail(to);
  if (told === null) return [notSet(to !== null)];
  const server = new URL(settings().smtpUrl ?? '');
  const all = told.map((one) => stepOf(one, server, email));
  const isWhole = told.every(({ outcome }) => typeof outcome === 'string');
  return email === null && isWhole ? [...all, NO_ADDRESS] : all;
}

const plain = { sent: null, answered: null, tookMs: null, change: null };
export const MAIL_CHECKS: Record<MailStep['stage'], string> = {
  connect: 'Connect',
  encrypt: 'Encrypt',
  login: 'Log in',
  message: 'Test message',
};

const NO_ADDRESS: TestStep = {
  ...plain,
  check: { text: MAIL_CHECKS.message },
  state: 'skipped',
  found: { text: 'No message was sent: you have no e-mail address here.' },
};

function notSet(written: boolean): TestStep {
  const check = { text: 'Mail server' };
  if (mailStaysHere())
    return {
      ...plain,
      check,
      state: 'warning',
      found: written
        ? {
            text: 'SMTP_URL is not set. The test message is at /account/mail, as all mails of this local service are.',
          }
        : { text: 'SMTP_URL is not set. All mails of this local service are at /account/mail.' },
      change: { text: 'Set SMTP_URL before others use this service.' },
    };
  return {
    ...plain,
    check,
    state: 'broken',
    found: { text: 'SMTP_URL is not set. Mails are written into a folder, and reach no one.' },
    change: { text: 'Set SMTP_URL, such as smtps://user:password@mail.example.com.' },
  };
}

export const MAIL_DONE: Record<MailStep['stage'], [sent: string, found: string]> = {
  connect: ['EHLO', 'The server answers.'],
  encrypt: ['TLS', 'The connection is encrypted, and the certificate is right.'],
  login: ['AUTH', 'The server accepts user and password.'],
  message: ['MAIL, RCPT, DATA', 'The server took the message for {to}. Look whether it has arrived.'],
};

function stepOf({ stage, tookMs, outcome }: MailStep, server: URL, to: string | null): TestStep {
  const [sent, found] = MAIL_DONE[stage];
  const host = server.hostname;
  const port = server.port || (server.protocol === 'smtps:' ? '465' : '587');
  const step = {
    ...plain,
    check: { text: MAIL_CHECKS[stage] },
    sent: stage === 'connect' ? `${host}:${port}` : sent,
  };
  if (outcome === 'skipped') return { ...step, ...skipped(stage) };
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

function skipped(stage: MailStep['stage']): {
  state: 'warning' | 'skipped';
  sent: null;
  found: Sentence;
  change: Sentence | null;
} {
  if (stage === 'login')
    return {
      state: 'skipped',
      sent: null,
      found: { text: 'SMTP_URL has no user: mails are sent without logging in.' },
      change: null,
    };
  return {
    state: 'warning',
    sent: null,
    found: { text: 'The connection is not encrypted: mails, and links in them, can be read on their way.' },
    change: {
      text: 'Use smtps:// and port 465, or a server that offers STARTTLS, if it is not on this machine.',
    },
  };
}

/** Some servers repeat what they were sent. */
function withoutSecret(said: string, { password, username }: URL): string {
  const [secret, name] = [decodeURIComponent(password), decodeURIComponent(username)];
  if (secret === '') return said;
  const sent = [secret, password, btoaOf(secret), btoaOf(`\0${name}\0${secret}`)];
  return sent.reduce((text, one) => text.replaceAll(one, '…'), said);
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
