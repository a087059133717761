// Is it this person's name and password? Search and bind, or a bind by a pattern. A refusal tells nothing by its words
// or its time: each costs a bind, and is given at a step of a clock.
import { setTimeout as sleep } from 'node:timers/promises';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { randomToken } from '#lib/kit/random.ts';
import { inventPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import type { UnderLimit, VerifierAnswer, VerifyPassword } from '../kind.ts';
import { type BindAnswer, meaningOf, WrongResult } from './answers.ts';
import type { Connection, Entry } from './connection.ts';
import { type Directory, directoryOf, type Server } from './directory.ts';
import { groupAttributes, groupsOf, type Who } from './groups.ts';
import { askedName, assertionsIn, inDn, inFilter, USERNAME } from './names.ts';
import { attributesOf, isSpelled, profileOf, subjectOf } from './person.ts';
import { type At, atServers, NoVerdict, reasonOf, triedAt } from './servers.ts';

const REFUSAL_STEP_MILLISECONDS = 250;
/** as long as all servers together may take */
const MOST_MILLISECONDS = 5_000;
export const EVERYTHING = '(objectClass=*)';
const TRUSTED_MILLISECONDS = 600_000;
/** 389 Directory Server says it of a disabled account, and others of each bind while they serve none. */
const UNWILLING = 53;

export const askDirectory: VerifyPassword = async (method, username, password, underLimit = unlimited) => {
  const began = performance.now();
  const name = askedName(username);
  const answer: VerifierAnswer =
    name === null || password === ''
      ? { kind: 'refused', reason: 'no-name' }
      : await asked(directoryOf(method), name, password, underLimit);
  if (answer.kind === 'refused') {
    const left = REFUSAL_STEP_MILLISECONDS - ((performance.now() - began) % REFUSAL_STEP_MILLISECONDS);
    await sleep(left);
  }
  return answer;
};

/** For a trial: the tests of one administrator have a limit. */
const unlimited: UnderLimit = (_, check) => check();

const readOf = (directory: Directory): string[] => [
  ...attributesOf(directory),
  ...groupAttributes(directory),
];

async function asked(
  directory: Directory,
  name: string,
  password: TypedPassword,
  underLimit: UnderLimit,
): Promise<VerifierAnswer> {
  const who = { name, until: performance.now() + MOST_MILLISECONDS, referrals: 0, underLimit };
  const answer = await verdictOf(() => atServers(directory, (at) => ask(directory, at, who, password)));
  return answer.kind === 'accepted' || who.referrals === 0 ? answer : { ...answer, referrals: who.referrals };
}

/** A whole sign-in at one server, of which nothing is kept. */
export function askServer(
  directory: Directory,
  server: Server,
  name: string,
  password: TypedPassword,
): Promise<VerifierAnswer> {
  const who = { name, until: performance.now() + MOST_MILLISECONDS, referrals: 0, underLimit: unlimited };
  return verdictOf(() => ask(directory, triedAt(directory, server), who, password));
}

/** Whose password is checked, and under which limit. */
type Asking = Who & { name: string; underLimit: UnderLimit };

const ask = (directory: Directory, at: At, who: Asking, password: TypedPassword): Promise<VerifierAnswer> =>
  (directory.bindAs === null ? searchAndBind : directBind)(directory, at, who, password);

async function verdictOf(work: () => Promise<VerifierAnswer>): Promise<VerifierAnswer> {
  try {
    return await work();
  } catch (error) {
    return { kind: 'no-verdict', because: reasonOf(error) };
  }
}

async function searchAndBind(
  directory: Directory,
  at: At,
  who: Asking,
  password: TypedPassword,
): Promise<VerifierAnswer> {
  const { found, entry } = await at.searching((searcher) => entryNamed(directory, searcher, who));
  if (entry?.dn === '') throw new NoVerdict('it gave an entry without a name');
  if (!entry) {
    await requireRefusal(at, directory);
    return { kind: 'refused', reason: found > 1 ? 'several-entries' : 'unknown' };
  }
  const refused = await who.underLimit(subjectOf(directory, entry) ?? entry.dn.toLowerCase(), () =>
    at.alone((connection) => bindPerson(at, directory, connection, entry.dn, password)),
  );
  return refused ?? at.searching((searcher) => described(directory, searcher, entry, who));
}

async function directBind(
  directory: Directory,
  at: At,
  person: Asking,
  password: TypedPassword,
): Promise<VerifierAnswer> {
  const { name } = person;
  const pattern = directory.bindAs ?? '';
  const isDn = pattern.includes('=');
  const who = pattern.replaceAll(USERNAME, () => (isDn ? inDn(name) : name));
  const place = isDn
    ? ({ base: who, scope: 'base', filter: EVERYTHING } as const)
    : ({ base: directory.baseDn, scope: 'sub', filter: filterFor(directory, name) } as const);
  return at.alone(async (connection) => {
    const refused = await bindPerson(at, directory, connection, who, password);
    if (refused) return refused;
    const found = await connection.search({ ...place, attributes: readOf(directory), most: 2 });
    const [entry] = found;
    if (!entry || entry.dn === '' || found.length !== 1)
      throw new NoVerdict('the entry of who is bound cannot be read');
    // what was found by the name might be another person than who is bound by it
    const other = isDn ? null : await bindPerson(at, directory, connection, entry.dn, password);
    return other ?? described(directory, connection, entry, person);
  });
}

/** `found`: how many entries the name finds, at most two; `entry`: null where that is not one of this name. */
export async function entryNamed(
  directory: Directory,
  searcher: Connection,
  who: Who & { name: string },
): Promise<{ found: number; entry: Entry | null }> {
  const { name } = who;
  const comparisons = assertionsIn(directory.filter) ?? [];
  const filter = filterFor(directory, name);
  const attributes = [...readOf(directory), ...comparisons.map(({ attribute }) => attribute)];
  searcher.takeReferrals();
  const found = await searcher.search({ base: directory.baseDn, scope: 'sub', filter, attributes, most: 2 });
  who.referrals += searcher.takeReferrals();
  const [entry = null] = found;
  const isOne =
    found.length === 1 && entry && (entry.dn === '' || isSpelled(comparisons, USERNAME, name, entry));
  return { found: found.length, entry: isOne ? entry : null };
}

export const filterFor = ({ filter }: Directory, name: string): string =>
  filter.replaceAll(USERNAME, () => inFilter(name));

/** Null: the person is bound. */
async function bindPerson(
  at: At,
  directory: Directory,
  connection: Connection,
  who: string,
  password: TypedPassword,
): Promise<VerifierAnswer | null> {
  const answer = await connection.bindPerson(who, password);
  const meaning = meaningOf(answer);
  switch (meaning.kind) {
    case 'refused':
      if (answer.code === UNWILLING && (await requireRefusal(at, directory)) === UNWILLING)
        throw new WrongResult(answer.code, answer.told);
      return meaning;
    case 'must-change':
      return { kind: 'refused', reason: meaning.reason, mustChange: true };
    case 'no-verdict':
      throw new WrongResult(answer.code, answer.told);
    case 'bound':
      if (at.key === null || (honest.value?.get(at.key) ?? 0) < now().getTime())
        await requireRefusal(at, directory);
      return null;
  }
}

/** The servers that have refused an account that there is not, and until when that counts. */
const honest = processWide<Map<string, number>>('ldap-honest');

/**
 * A directory that takes any password lets no one in. It is asked with an invented account: for each unknown name, as
 * long as a wrong password takes, and before a right one where that was not asked for a while. Resolves with the
 * result of the refusal.
 */
async function requireRefusal(at: At, directory: Directory): Promise<number> {
  const answer = await at.alone((connection) => bindInvented(directory, connection));
  if (answer.code === 0) throw new NoVerdict('it lets in an account that there is not');
  // a server that is going has not refused it
  if (meaningOf(answer).kind === 'no-verdict') throw new WrongResult(answer.code, answer.told);
  if (at.key === null) return answer.code;
  honest.value ??= new Map();
  honest.value.set(at.key, now().getTime() + TRUSTED_MILLISECONDS);
  return answer.code;
}

/** As an account that there is not. */
export const bindInvented = ({ baseDn }: Directory, connection: Connection): Promise<BindAnswer> =>
  connection.bindPerson(`cn=${randomToken('')}${baseDn === '' ? '' : `,${baseDn}`}`, inventPassword());

async function described(
  directory: Directory,
  connection: Connection,
  entry: Entry,
  who: Who,
): Promise<VerifierAnswer> {
  if (await isRejected(directory, connection, entry)) return { kind: 'refused', reason: 'rejected' };
  const sub = subjectOf(directory, entry);
  if (sub === null)
    throw new NoVerdict(`the entry has no ${directory.subjectAttribute} that names the person`);
  const groups = directory.groups ? { groups: await groupsOf(directory, connection, entry, who) } : {};
  return { kind: 'accepted', profile: { ...profileOf(directory, entry), ...groups, sub } };
}

/** Does reject_filter find the entry? */
export async function isRejected(
  { rejectFilter }: Directory,
  connection: Connection,
  entry: Entry,
): Promise<boolean> {
  if (rejectFilter === null) return false;
  const fits = async (filter: string) => {
    const asked = { base: entry.dn, scope: 'base', filter, most: 1 } as const;
    return (await connection.search({ ...asked, attributes: ['1.1'] })).length > 0;
  };
  if (await fits(rejectFilter)) return true;
  // what the account may not read, or the directory does not know, fits neither (RFC 4511 §4.5.1.7)
  if (await fits(`(&${EVERYTHING}(!${rejectFilter}))`)) return false;
  throw new NoVerdict('it cannot say whether reject_filter finds the person');
}
