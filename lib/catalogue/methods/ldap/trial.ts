// Tests each server of a directory: the connection, the search account, the lookup of a user and, if a password is
// given, a complete sign-in. Reports attribute names without values.
import { now } from '#lib/kit/clock.ts';
import type { Sentence } from '#lib/kit/text.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import type { MethodConfig, ProbeVerdict, TakenStep, TrialAs } from '../kind.ts';
import { Connection, type Entry, meaningOf, NO_SENSE, NoVerdict, WrongResult } from './connection.ts';
import { askedName, type Directory, directoryOf, type Server } from './directory.ts';
import {
  askServer,
  bindInvented,
  EVERYTHING,
  entryNamed,
  filterFor,
  groupsOf,
  isRejected,
  profileOf,
  subjectOf,
  type Who,
} from './verify.ts';

// Texts for the responses of a directory in a connection test.

/** `next`: input of the next step; null: there is none. */
type TrialAnswer<Next> = ProbeVerdict & { answered?: string; next: Next | null };

/**
 * A function that performs a step of the test and returns the input of the next step; null: the test ends with
 * this step. `check`: a sentence that contains {server}.
 */
type Take = <Next>(
  check: Sentence,
  sent: string,
  work: () => Promise<TrialAnswer<Next>>,
) => Promise<Next | null>;

const brokenStep = (sentence: Sentence, change: Sentence): ProbeVerdict => ({
  state: 'broken',
  found: sentence,
  change,
});

const ENDS_SOON_DAYS = 30;

/** Verdict about the server's certificate. `until`: null if the connection has no TLS. */
function certificateVerdict(until: Date | null, now: Date): ProbeVerdict & { answered?: string } {
  if (until === null)
    return {
      state: 'warning',
      found: { text: 'The server responds, but passwords are sent to it without TLS.' },
      change: { text: 'Use ldaps://, or StartTLS.' },
    };
  const days = Math.floor((until.getTime() - now.getTime()) / 86_400_000);
  const answered = `TLS, notAfter ${until.toISOString().slice(0, 10)}`;
  if (days >= ENDS_SOON_DAYS)
    return { state: 'ok', answered, found: { text: 'The server responds, and its certificate is valid.' } };
  return {
    ...{ state: 'warning', answered },
    found: { text: 'Days until its certificate expires: {days}.', values: { days } },
    change: { text: 'Renew the certificate on the server.' },
  };
}

type Words = (directory: Directory) => ProbeVerdict;

const NEEDS_TLS: Words = () =>
  brokenStep(
    { text: 'The server accepts passwords only over TLS.' },
    { text: 'Use ldaps:// (port 636), or StartTLS on port 389.' },
  );
const MAY_NOT: Words = () =>
  brokenStep(
    { text: 'The server does not allow this account to search.' },
    { text: 'Set an account that can read the people (bind_dn), or grant it the right in the directory.' },
  );

/** Texts by result code (RFC 4511 §A.1). */
const BY_CODE: ReadonlyMap<number, Words> = new Map([
  // Active Directory returns this code for a search without a bind
  [1, MAY_NOT],
  [
    4,
    () =>
      brokenStep(
        { text: 'The server returns fewer entries than requested.' },
        { text: 'Raise the server’s search size limit for this account to at least 2.' },
      ),
  ],
  [8, NEEDS_TLS],
  [
    10,
    () =>
      brokenStep(
        { text: 'The server refers to another server, and referrals are never followed.' },
        { text: 'Set the other server (urls), or a search base on this server (base_dn).' },
      ),
  ],
  [13, NEEDS_TLS],
  [
    32,
    ({ baseDn }) =>
      brokenStep(
        {
          text: '{base} does not exist in the directory, or the account cannot see it.',
          values: { base: baseDn },
        },
        {
          text: 'Compare the search base (base_dn) with the directory, and check what the search account can read.',
        },
      ),
  ],
  [50, MAY_NOT],
]);

/** Returns the verdict for an error response of the server; null: the error is not a response. */
function byResult(error: unknown, directory: Directory): (ProbeVerdict & { answered: string | null }) | null {
  if (error instanceof WrongResult) {
    const { code } = error;
    const words = BY_CODE.get(code);
    const verdict = words
      ? words(directory)
      : brokenStep(
          { text: 'The server responds with the result {code}, which is not accepted.', values: { code } },
          { text: 'RFC 4511, appendix A, explains the result. The server’s log may show the reason.' },
        );
    return { ...verdict, answered: `result ${code}` };
  }
  const because = error instanceof NoVerdict ? error.message : faultIn(error);
  return because === null ? null : { ...noVerdict(because), answered: null };
}

/** The reason why the connection was closed; null: there was no response, or the fault is not one of LDAP. */
function faultIn(error: unknown): string | null {
  if (!(error instanceof OutboundFailed) || error.reason !== 'bad-answer') return null;
  const { cause } = error;
  return cause instanceof Error && cause.message !== NO_SENSE ? cause.message : null;
}

const noVerdict = (because: string): ProbeVerdict =>
  brokenStep(
    {
      text: 'This response is not accepted, and signs no one in: {because}.',
      values: { because },
    },
    { text: 'Check the servers and their ports, and the server logs.' },
  );

// Test with a user: a lookup by name, or a complete sign-in if a password is given.

const PERSON_MILLISECONDS = 5_000;

type At = { directory: Directory; server: Server; connection: Connection; take: Take };

/** Resolves to true if a complete sign-in was tried. Uses the connection of the search account. */
async function tryPerson(at: At, typed: string, password: string | null): Promise<boolean> {
  const { directory, server, take } = at;
  const name = askedName(typed);
  if (directory.bindAs === null && !(await lookFor(at, name, typed))) return false;
  if (password === null) return false;
  const read = readTypedPassword(password);
  await take({ text: 'Sign-in at {server}' }, 'BIND', async () =>
    read === null
      ? { ...refusedStep('password too long'), next: null }
      : signedIn(directory, server, name, read),
  );
  return true;
}

const NO_NAME = brokenStep(
  { text: 'No account can have this name: it contains invisible characters, or it is too long.' },
  { text: 'Type the name again instead of pasting it.' },
);

async function lookFor(at: At, name: string | null, typed: string): Promise<boolean> {
  const { directory, connection, take } = at;
  const who = { name: name ?? '', until: performance.now() + PERSON_MILLISECONDS, referrals: 0 };
  const sent = `SEARCH ${filterFor(directory, name ?? typed)}`.slice(0, 300);
  const entry = await take({ text: 'Entry of the person at {server}' }, sent, async () =>
    name === null ? { ...NO_NAME, next: null } : findNamedEntry(directory, connection, who),
  );
  if (entry === null) return false;
  const isWhole = await take({ text: 'Identity of the person at {server}' }, 'SEARCH', () =>
    whoItIs(directory, connection, entry),
  );
  if (directory.groups === null) return isWhole !== null;
  const groups = await take({ text: 'Groups of the person at {server}' }, 'SEARCH', async () => {
    const { length: count } = await groupsOf(directory, connection, entry, who);
    return {
      ...{ state: 'ok', next: true, answered: `referrals: ${connection.takeReferrals()}` },
      found: { text: 'Groups: {count}.', values: { count } },
    };
  });
  return isWhole !== null && groups !== null;
}

async function findNamedEntry(
  directory: Directory,
  connection: Connection,
  who: Who & { name: string },
): Promise<TrialAnswer<Entry>> {
  const { found, entry } = await entryNamed(directory, connection, who);
  const answered = `entries: ${found}, referrals: ${who.referrals}`;
  if (entry !== null && entry.dn !== '')
    return { state: 'ok', found: { text: 'Exactly one entry has this name.' }, answered, next: entry };
  const change: Sentence =
    who.referrals > 0
      ? {
          text: 'The server refers to other servers, and referrals are never followed. Set a server that has all people, such as the catalogue of a forest (port 3269).',
        }
      : {
          text: 'Compare the search base and the filter (base_dn, filter), and check what the search account can read.',
        };
  const words = {
    0: brokenStep({ text: 'No entry has this name.' }, change),
    1: brokenStep(
      {
        text: 'The entry that was found spells the name differently, or does not contain it, and is not accepted.',
      },
      {
        text: 'Enter the name as it is in the directory.',
      },
    ),
    2: brokenStep(
      { text: 'Several entries have this name: no one is signed in.' },
      { text: 'Narrow the filter or the search base so that only one entry matches (filter, base_dn).' },
    ),
  };
  return { ...(words[found as 0 | 1 | 2] ?? words[2]), answered, next: null };
}

async function whoItIs(
  directory: Directory,
  connection: Connection,
  entry: Entry,
): Promise<TrialAnswer<true>> {
  if (await isRejected(directory, connection, entry))
    return {
      ...brokenStep(
        { text: 'The person matches reject_filter and is rejected.' },
        { text: 'Nothing to do, if this is intended. Otherwise change reject_filter, or the entry.' },
      ),
      next: null,
    };
  const { subjectAttribute: attribute } = directory;
  if (subjectOf(directory, entry) === null)
    return {
      ...brokenStep(
        { text: 'The entry has no {attribute} to identify the person permanently.', values: { attribute } },
        {
          text: 'Allow the search account to read the attribute, or choose another attribute (subject_attribute).',
        },
      ),
      next: null,
    };
  const profile = profileOf(directory, entry);
  const map = { email: 'email', name: 'name', ...directory.claims };
  const [came, missing] = [true, false].map((isThere) =>
    Object.entries(map)
      .filter(([, attribute]) =>
        attribute === 'groups' && directory.groups ? false : attribute in profile === isThere,
      )
      .map(([claim]) => claim)
      .join(', '),
  );
  const values = { attribute, came: came || '–', missing: missing || '–' };
  return {
    ...{ state: 'ok', answered: 'result 0', next: true },
    found: {
      text: 'The entry has {attribute}. Claims with a value: {came}. Claims without a value: {missing}.',
      values,
    },
  };
}

async function signedIn(
  directory: Directory,
  server: Server,
  name: string | null,
  password: TypedPassword,
): Promise<TrialAnswer<true>> {
  if (name === null) return { ...NO_NAME, next: null };
  const answer = await askServer(directory, server, name, password);
  switch (answer.kind) {
    case 'accepted':
      return { state: 'ok', found: { text: 'The name and password are correct.' }, next: true };
    case 'no-verdict':
      return { ...noVerdict(answer.because), next: null };
    case 'refused': {
      const values = { reason: answer.reason ?? '' };
      return answer.mustChange
        ? {
            ...{ state: 'warning', next: null },
            found: { text: 'The password is correct, and must be changed first ({reason}).', values },
          }
        : { ...refusedStep(values.reason), next: null };
    }
  }
}

const refusedStep = (reason: string) =>
  brokenStep(
    { text: 'The sign-in is rejected ({reason}).', values: { reason } },
    { text: 'Check the name and password. The LDAP guide explains the reasons.' },
  );

/** time limit for all servers together */
const MOST_MILLISECONDS = 20_000;

/** `refusal`: true if a server has rejected the search account. */
type Trial = { directory: Directory; as: TrialAs; refusal: boolean; signedIn: boolean };

/**
 * Tests the servers one after the other. Credentials that one server rejected are not sent to the next, because that
 * could lock the account.
 */
export async function tryDirectory(
  method: { id: string; config: MethodConfig; secret: string | null },
  as: TrialAs,
): Promise<TakenStep[]> {
  const began = performance.now();
  const trial: Trial = { directory: directoryOf(method), as, refusal: false, signedIn: false };
  const steps: TakenStep[] = [];
  for (const server of trial.directory.servers) {
    const take = taking(trial.directory, server, steps);
    if (performance.now() - began > MOST_MILLISECONDS) {
      await take({ text: 'Connection to {server}' }, '', async () => ({
        ...{ state: 'warning', found: { text: 'Skipped: the previous steps took too long.' }, next: null },
      }));
      continue;
    }
    const connection = await take({ text: 'Connection to {server}' }, '', () => tryConnection(trial, server));
    if (connection === null) continue;
    try {
      await trySteps(trial, server, connection, take);
    } finally {
      connection.close();
    }
  }
  return steps;
}

const taking =
  (directory: Directory, server: Server, steps: TakenStep[]): Take =>
  async (check, sent, work) => {
    const began = performance.now();
    const step = () => ({
      ...{ check: { ...check, values: { server: server.url } }, answered: null },
      sent: sent === '' ? server.url : `${server.url} ${sent}`,
      tookMs: Math.round(performance.now() - began),
    });
    try {
      const { next, ...told } = await work();
      steps.push({ ...step(), ...told });
      return next;
    } catch (error) {
      const verdict = byResult(error, directory);
      if (verdict) steps.push({ ...step(), ...verdict });
      else if (error instanceof OutboundFailed) {
        const { host, port } = server;
        steps.push({ ...step(), failed: error, host, port, seconds: directory.timeoutMs / 1000 });
      } else throw error;
      return null;
    }
  };

async function tryConnection({ directory }: Trial, server: Server): Promise<TrialAnswer<Connection>> {
  try {
    const connection = await Connection.open(server, directory, directory.timeoutMs);
    return { ...certificateVerdict(connection.certifiedUntil, now()), next: connection };
  } catch (error) {
    if (!(error instanceof WrongResult)) throw error;
    return {
      ...brokenStep(
        { text: 'The server rejects StartTLS.' },
        { text: 'Use ldaps://, or give the server a certificate. Nothing is sent to it unencrypted.' },
      ),
      ...{ answered: `result ${error.code}`, next: null },
    };
  }
}

async function trySteps(trial: Trial, server: Server, connection: Connection, take: Take): Promise<void> {
  const { directory, as } = trial;
  const isHonest = await take({ text: 'Invented account at {server}' }, 'BIND', () =>
    tryInventedBind(directory, connection),
  );
  if (isHonest === null) return;
  if (directory.bindAs === null) {
    if (directory.searcher !== null) {
      if (!as.mayBind || trial.refusal) return;
      const sent = `BIND ${directory.searcher.dn}`;
      const isBound = await take({ text: 'Search account at {server}' }, sent, () =>
        boundSearcher(trial, connection),
      );
      if (isBound === null) return;
    }
    const sent = `SEARCH ${directory.baseDn}`;
    const isThere = await take({ text: 'Search base at {server}' }, sent, () =>
      searchedBase(directory, connection),
    );
    if (isThere === null) return;
  }
  if (as.person === null) return;
  // the password is tried only once, because each server would count a wrong password
  const password = trial.signedIn ? null : as.person.password;
  const isSignIn = await tryPerson({ directory, server, connection, take }, as.person.name, password);
  trial.signedIn ||= isSignIn;
}

async function tryInventedBind(directory: Directory, connection: Connection): Promise<TrialAnswer<true>> {
  const { code, told } = await bindInvented(directory, connection);
  const answered = `result ${code}`;
  if (code === 0)
    return {
      ...brokenStep(
        { text: 'An account that was invented for this test is accepted with any password.' },
        { text: 'Disable this behaviour on the server: until then, the server signs no one in.' },
      ),
      ...{ answered, next: null },
    };
  // 53: the server neither accepts the account nor rejects it as unknown
  if (code === 53 || meaningOf({ code, told, policy: null }).kind === 'no-verdict')
    throw new WrongResult(code, told);
  return {
    ...{ state: 'ok', answered, next: true },
    found: {
      text: 'An invented account is correctly rejected. Only a sign-in shows whether a real account is accepted.',
    },
  };
}

async function boundSearcher(trial: Trial, connection: Connection): Promise<TrialAnswer<true>> {
  const { dn, password } = trial.directory.searcher ?? { dn: '', password: null };
  if (!password)
    return {
      ...brokenStep(
        { text: 'The search account has no password in the settings of this method.' },
        { text: 'Enter the password of the search account, or leave the account empty.' },
      ),
      next: null,
    };
  const answer = await connection.bindSearcher(dn, password);
  const answered = `result ${answer.code}`;
  const meaning = meaningOf(answer);
  if (meaning.kind === 'no-verdict') throw new WrongResult(answer.code, answer.told);
  if (meaning.kind === 'bound')
    return { state: 'ok', found: { text: 'The account is accepted.' }, answered, next: true };
  trial.refusal = true;
  return {
    ...brokenStep(
      { text: 'The account is not accepted ({reason}).', values: { reason: meaning.reason } },
      {
        text: 'Compare the name of the account with the directory, and check its password (bind_dn, bind_password).',
      },
    ),
    ...{ answered, next: null },
  };
}

async function searchedBase({ baseDn }: Directory, connection: Connection): Promise<TrialAnswer<true>> {
  await connection.search({ base: baseDn, scope: 'base', filter: EVERYTHING, attributes: ['1.1'], most: 1 });
  return {
    ...{ state: 'ok', answered: 'result 0', next: true },
    found: { text: 'The search base exists. With a name, the test searches for a person below it.' },
  };
}
