// A trial of a directory, server by server: the connection, the account that searches, a person by name, and with a
// password a whole sign-in. It tells the names of attributes and no values.
import { now } from '#lib/kit/clock.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import type { MethodConfig, TakenStep, TrialAs } from '../kind.ts';
import { meaningOf, WrongResult } from './answers.ts';
import { Connection } from './connection.ts';
import { type Directory, directoryOf, type Server } from './directory.ts';
import { tryPerson } from './trial-person.ts';
import { brokenStep, byResult, certified, type Take, type TrialAnswer } from './trial-words.ts';
import { bindInvented, EVERYTHING } from './verify.ts';

/** of all servers together */
const MOST_MILLISECONDS = 20_000;

/** `refusal`: a server has refused the account that searches. */
type Trial = { directory: Directory; as: TrialAs; refusal: boolean; signedIn: boolean };

/** One server after the other. What one has refused is not sent to the next: that could lock the account. */
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
        ...{ state: 'warning', found: { text: 'Not asked: the steps before took too long.' }, next: null },
      }));
      continue;
    }
    const connection = await take({ text: 'Connection to {server}' }, '', () => connected(trial, server));
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
      const told = byResult(error, directory);
      if (told) steps.push({ ...step(), ...told });
      else if (error instanceof OutboundFailed) {
        const { host, port } = server;
        steps.push({ ...step(), failed: error, host, port, seconds: directory.timeoutMs / 1000 });
      } else throw error;
      return null;
    }
  };

async function connected({ directory }: Trial, server: Server): Promise<TrialAnswer<Connection>> {
  try {
    const connection = await Connection.open(server, directory, directory.timeoutMs);
    return { ...certified(connection.certifiedUntil, now()), next: connection };
  } catch (error) {
    if (!(error instanceof WrongResult)) throw error;
    return {
      ...brokenStep(
        { text: 'It refuses StartTLS.' },
        { text: 'Use ldaps://, or give the server a certificate. Nothing is sent to it in the clear.' },
      ),
      ...{ answered: `result ${error.code}`, next: null },
    };
  }
}

async function trySteps(trial: Trial, server: Server, connection: Connection, take: Take): Promise<void> {
  const { directory, as } = trial;
  const isHonest = await take({ text: 'An invented account at {server}' }, 'BIND', () =>
    invented(directory, connection),
  );
  if (isHonest === null) return;
  if (directory.bindAs === null) {
    if (directory.searcher !== null) {
      if (!as.mayBind || trial.refusal) return;
      const sent = `BIND ${directory.searcher.dn}`;
      const isBound = await take({ text: 'The account that searches, at {server}' }, sent, () =>
        boundSearcher(trial, connection),
      );
      if (isBound === null) return;
    }
    const sent = `SEARCH ${directory.baseDn}`;
    const isThere = await take({ text: 'Where people are, at {server}' }, sent, () =>
      searchedBase(directory, connection),
    );
    if (isThere === null) return;
  }
  if (as.person === null) return;
  // each server would count a wrong password
  const password = trial.signedIn ? null : as.person.password;
  const isSignIn = await tryPerson({ directory, server, connection, take }, as.person.name, password);
  trial.signedIn ||= isSignIn;
}

async function invented(directory: Directory, connection: Connection): Promise<TrialAnswer<true>> {
  const { code, told } = await bindInvented(directory, connection);
  const answered = `result ${code}`;
  if (code === 0)
    return {
      ...brokenStep(
        { text: 'It lets in an account that was invented for this test, with any password.' },
        { text: 'Switch that off there: as long as it does so, no one is signed in by it.' },
      ),
      ...{ answered, next: null },
    };
  // 53: no account is refused by name, and none is let in
  if (code === 53 || meaningOf({ code, told, policy: null }).kind === 'no-verdict')
    throw new WrongResult(code, told);
  return {
    ...{ state: 'ok', answered, next: true },
    found: {
      text: 'It refuses an invented account, as it must. Whether it lets in a right one, a sign-in shows.',
    },
  };
}

async function boundSearcher(trial: Trial, connection: Connection): Promise<TrialAnswer<true>> {
  const { dn, password } = trial.directory.searcher ?? { dn: '', password: null };
  if (!password)
    return {
      ...brokenStep(
        { text: 'The account that searches has no password here.' },
        { text: 'Type its password, or leave the account empty.' },
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
      { text: 'Compare its name, written as in the directory, and its password (bind_dn, bind_password).' },
    ),
    ...{ answered, next: null },
  };
}

async function searchedBase({ baseDn }: Directory, connection: Connection): Promise<TrialAnswer<true>> {
  await connection.search({ base: baseDn, scope: 'base', filter: EVERYTHING, attributes: ['1.1'], most: 1 });
  return {
    ...{ state: 'ok', answered: 'result 0', next: true },
    found: { text: 'The place is there. With a name the test looks for a person below it.' },
  };
}
