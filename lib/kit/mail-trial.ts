// What a mail server says to a caller that wants to send: it connects, encrypts and logs in as for a mail, and leaves.
import { deliverMail, type Mail, type MailTransport, smtpAddress } from './mail.ts';

const PATIENCE = { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 5_000 };
/** of one step, also where the server sends a little again and again */
const MOST_MS = 8_000;

export type MailStage = 'connect' | 'encrypt' | 'login' | 'message';

/** `code` and `command` are of the library, `cause` of the system or of TLS; `said` is what the server answered. */
export type MailFault = { code: string; command: string; cause: string; said: string };

export type MailStep = {
  stage: MailStage;
  tookMs: number;
  /** `skipped`: the address names no user, or TLS is not asked for and not offered */
  outcome: 'done' | 'skipped' | MailFault;
};

/** Ends at the first step that fails. With a mail, that is sent at the end, as every other mail is. */
export async function tryMailServer(
  transport: MailTransport & { smtpUrl: string },
  mail: Mail | null,
): Promise<MailStep[]> {
  const [{ default: SMTPConnection }, { parseConnectionUrl }] = await Promise.all([
    import('nodemailer/lib/smtp-connection'),
    import('nodemailer/lib/shared'),
  ]);
  const { auth, ...options } = parseConnectionUrl(smtpAddress(transport.smtpUrl).url);
  const connection = new SMTPConnection({ ...options, ...PATIENCE, dnsTimeout: PATIENCE.connectionTimeout });
  const steps: MailStep[] = [];
  try {
    const met = await timed((done) => {
      connection.once('error', done);
      connection.connect(done);
    });
    if (met.fault && !isOfTls(met.fault)) return [step('connect', met)];
    steps.push(step('connect', { tookMs: met.tookMs, fault: null }));
    if (met.fault) return [...steps, step('encrypt', { ...met, tookMs: 0 })];
    steps.push({ stage: 'encrypt', tookMs: 0, outcome: connection.secure ? 'done' : 'skipped' });
    if (auth?.user === undefined) steps.push({ stage: 'login', tookMs: 0, outcome: 'skipped' });
    else {
      const letIn = await timed((done) => connection.login(auth, done));
      steps.push(step('login', letIn));
      if (letIn.fault) return steps;
    }
  } finally {
    connection.removeAllListeners('error').on('error', () => {});
    connection.close();
  }
  if (mail === null) return steps;
  const taken = await timed((done) => {
    deliverMail(mail, transport, PATIENCE).then(() => done(), done);
  });
  return [...steps, step('message', taken)];
}

type Tried = { tookMs: number; fault: MailFault | null };

const step = (stage: MailStage, { tookMs, fault }: Tried): MailStep => ({
  stage,
  tookMs,
  outcome: fault ?? 'done',
});

async function timed(work: (done: (error?: Error | null) => void) => void): Promise<Tried> {
  const began = performance.now();
  const { promise, resolve } = Promise.withResolvers<Error | null>();
  const timer = setTimeout(() => resolve(Object.assign(new Error(), { code: 'ETIMEDOUT' })), MOST_MS);
  work((error) => resolve(error ?? null));
  const error = await promise;
  clearTimeout(timer);
  return { tookMs: Math.round(performance.now() - began), fault: error && faultOf(error) };
}

function faultOf(error: Error): MailFault {
  const { code, command, originalCode, response } = error as Record<string, unknown> & Error;
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    code: text(code),
    command: text(command),
    cause: text(originalCode) || text((error.cause as { code?: unknown } | undefined)?.code),
    said: text(response),
  };
}

/** The server is there, and the two do not come to an encrypted connection. */
const isOfTls = ({ code, cause }: MailFault): boolean =>
  code === 'ETLS' || /^(ERR_(SSL|TLS)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO$|HOSTNAME)/.test(cause);
