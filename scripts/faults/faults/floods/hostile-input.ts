import { ensureManagementApi } from '#lib/management/built-in.ts';
import { routes } from '#lib/management-api/routes.ts';
import { consoleFormToken, startConsoleSession } from '#lib/sessions/console.ts';
import { givenToken } from '#testing/data/registry.ts';
import { callManagement, givenOps } from '#testing/in-process/management.ts';
import { attempt } from '#testing/net/http.ts';
import { PAGES } from '../../../../e2e/support/console/console-access.ts';
import { FORMS } from '../../../../e2e/support/console/console-form-access.ts';
import { type Attempt, faultOfPage, hostileConsole } from '../../../fuzz/console.ts';
import { faultOfAnswer, hostileCalls } from '../../../fuzz/management-api.ts';
import { type Context, type Fault, PLAIN } from '../../support/context.ts';

const AT_ONCE = 6;
/** Names of forms that end the session of the user who sends them. */
const ENDING = new Set(['session-end', 'sessions-end', 'sign-out', 'sign-in-again', 'any-sessions-end']);

export const hostileInput: Fault = {
  name: 'hostile-input',
  title: 'hostile values in every page and form of the console, and in every field of the management API',
  async run(context) {
    if (context.quick) return { notes: 'some thousands of them run with the other tests' };
    const { id, email } = context.person(0);
    await context.sql("update people set roles = '{administrator}' where id = $1", [id]);
    const api = await throughTheApi(context, { id, email });
    const pages = await throughTheConsole(context, id);
    return {
      broken: [...api.broken, ...pages.broken],
      notes: `${api.sent} calls, ${pages.sent} pages and forms`,
    };
  },
};

type Done = { broken: string[]; sent: number };

async function throughTheApi(context: Context, person: { id: string; email: string }): Promise<Done> {
  const done: Done = { broken: [], sent: 0 };
  await context.inside(async () => {
    await ensureManagementApi(undefined, { atStart: true });
    await givenOps();
    const administrator = {
      ...person,
      kind: 'person',
      roles: ['administrator'],
      signedInAt: null,
      request: null,
    } as const;
    const newToken = () => givenToken(administrator, { authMethodId: 'pw' });
    let token = await newToken();
    const known = {
      id: 'orders',
      client_id: PLAIN.clientId,
      api: 'orders',
      role: 'approver',
      kind: 'confidential',
      type: 'local',
      redirect_uris: [PLAIN.redirectUri],
      auth_methods: ['pw'],
      scopes: ['read'],
      url: 'https://api.example',
      config: {},
      password: 'long-enough-9',
    };
    for (const call of hostileCalls(routes, known, { quick: false })) {
      const send = () =>
        callManagement(call.path, {
          ...call,
          method: call.route.method,
          token,
          headers: { 'if-match': '"1"' },
        });
      let answer = await send();
      if (answer.status === 401) {
        // the token has expired, or a call of this test signed its user out everywhere
        token = await newToken();
        answer = await send();
      }
      const type = String(answer.headers['content-type'] ?? '');
      const fault = faultOfAnswer(call, answer.status, type, String(answer.body ?? ''));
      if (answer.status === 401) done.broken.push(`${call.place}: the token is no more`);
      if (fault !== null) done.broken.push(`${call.route.method} ${call.route.path} ${call.place}: ${fault}`);
      done.sent += 1;
    }
  });
  return done;
}

async function throughTheConsole(context: Context, personId: string): Promise<Done> {
  const done: Done = { broken: [], sent: 0 };
  const instance = await context.instance('console');
  const words: Record<string, string> = {
    own: PLAIN.clientId,
    other: 'tru',
    guarded: 'billing',
    person: context.person(1).id,
    kid: 'none',
  };
  const pages = PAGES.map(([pattern, address]) => ({
    pattern,
    address: address.replaceAll(/\{(\w+)\}/g, (_, word: string) => words[word] ?? ''),
  }));
  const forms = Object.fromEntries(
    Object.entries(FORMS).map(([area, table]) => [
      area,
      Object.fromEntries(Object.entries(table).filter(([form]) => !ENDING.has(form))),
    ]),
  );
  await context.inside(async () => {
    const browser = { cookieHeader: undefined, ip: null, userAgent: null, requestId: 'hostile-input' };
    const person = { authMethodId: 'pw', methodEpoch: null, personId, personEpoch: '0' };
    const session = await startConsoleSession({ ...browser, ...person });
    const cookie = session?.cookie.split(';')[0] ?? '';
    const attempts = hostileConsole({ pages, forms, quick: false });
    const work = async () => {
      for (const one of attempts) await tryOne(one);
    };
    const tryOne = async (tried: Attempt) => {
      const token = tried.fields && (await consoleFormToken(cookie, tried.form));
      const answer = await attempt(instance.url + tried.address, {
        headers: { cookie, origin: `http://localhost:${instance.port}`, accept: 'text/html' },
        ...(tried.fields && {
          form: Object.fromEntries([['anti_forgery', token ?? ''], ...tried.fields]),
        }),
      });
      const fault = faultOfPage(tried, answer.status, answer.text);
      if (fault !== null) done.broken.push(`${tried.place}: ${fault}`);
      done.sent += 1;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });
  return done;
}
