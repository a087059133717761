// A trial of a directory with a person: by name what is found of them, and with a password a whole sign-in.
import type { Sentence } from '#lib/kit/sentence.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import type { Connection, Entry } from './connection.ts';
import type { Directory, Server } from './directory.ts';
import { groupsOf, type Who } from './groups.ts';
import { askedName } from './names.ts';
import { profileOf, subjectOf } from './person.ts';
import { brokenStep, noVerdict, type Take, type TrialAnswer } from './trial-words.ts';
import { askServer, entryNamed, filterFor, isRejected } from './verify.ts';

const MOST_MILLISECONDS = 5_000;

type At = { directory: Directory; server: Server; connection: Connection; take: Take };

/** Resolves with whether a whole sign-in was tried. The connection is the one of the account that searches. */
export async function tryPerson(at: At, typed: string, password: string | null): Promise<boolean> {
  const { directory, server, take } = at;
  const name = askedName(typed);
  if (directory.bindAs === null && !(await lookFor(at, name, typed))) return false;
  if (password === null) return false;
  const read = readTypedPassword(password);
  await take({ text: 'A sign-in at {server}' }, 'BIND', async () =>
    read === null
      ? { ...refusedStep('password too long'), next: null }
      : signedIn(directory, server, name, read),
  );
  return true;
}

const NO_NAME = brokenStep(
  { text: 'This is a name that no account has: signs in it cannot be seen, or it is too long.' },
  { text: 'Type it again, by hand.' },
);

async function lookFor(at: At, name: string | null, typed: string): Promise<boolean> {
  const { directory, connection, take } = at;
  const who = { name: name ?? '', until: performance.now() + MOST_MILLISECONDS, referrals: 0 };
  const sent = `SEARCH ${filterFor(directory, name ?? typed)}`.slice(0, 300);
  const entry = await take({ text: 'The entry of the person, at {server}' }, sent, async () =>
    name === null ? { ...NO_NAME, next: null } : named(directory, connection, who),
  );
  if (entry === null) return false;
  const isWhole = await take({ text: 'Who the person is, at {server}' }, 'SEARCH', () =>
    whoItIs(directory, connection, entry),
  );
  if (directory.groups === null) return isWhole !== null;
  const groups = await take({ text: 'Groups of the person, at {server}' }, 'SEARCH', async () => {
    const { length: count } = await groupsOf(directory, connection, entry, who);
    return {
      ...{ state: 'ok', next: true, answered: `referrals: ${connection.takeReferrals()}` },
      found: { text: 'Groups: {count}.', values: { count } },
    };
  });
  return isWhole !== null && groups !== null;
}

async function named(
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
          text: 'It refers to others, which are never asked. Name a server that has all people, such as the catalogue of a forest (port 3269).',
        }
      : {
          text: 'Compare the place, the filter (base_dn, filter), and what the account that searches may read.',
        };
  const words = {
    0: brokenStep({ text: 'No entry has this name.' }, change),
    1: brokenStep(
      {
        text: 'The entry that is found spells the name in another way, or does not show it, and is not taken.',
      },
      {
        text: 'Type the name as the directory has it.',
      },
    ),
    2: brokenStep(
      { text: 'Several entries have this name: no one is signed in.' },
      { text: 'Narrow the filter or the place, so that one is left (filter, base_dn).' },
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
        { text: 'The person is found by reject_filter, and refused.' },
        { text: 'Nothing, if that is meant. Otherwise change reject_filter, or the entry.' },
      ),
      next: null,
    };
  const { subjectAttribute: attribute } = directory;
  if (subjectOf(directory, entry) === null)
    return {
      ...brokenStep(
        { text: 'The entry has no {attribute} that names the person for good.', values: { attribute } },
        { text: 'Let the account that searches read it, or choose another one (subject_attribute).' },
      ),
      next: null,
    };
  const said = profileOf(directory, entry);
  const map = { email: 'email', name: 'name', ...directory.claims };
  const [came, missing] = [true, false].map((isThere) =>
    Object.entries(map)
      .filter(([, attribute]) =>
        attribute === 'groups' && directory.groups ? false : attribute in said === isThere,
      )
      .map(([claim]) => claim)
      .join(', '),
  );
  const values = { attribute, came: came || '–', missing: missing || '–' };
  return {
    ...{ state: 'ok', answered: 'result 0', next: true },
    found: { text: 'It has {attribute}. Claims with a value: {came}; without one: {missing}.', values },
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
      return { state: 'ok', found: { text: 'Name and password are right.' }, next: true };
    case 'no-verdict':
      return { ...noVerdict(answer.because), next: null };
    case 'refused': {
      const values = { reason: answer.reason ?? '' };
      return answer.mustChange
        ? {
            ...{ state: 'warning', next: null },
            found: { text: 'The password is right, and has to be changed first ({reason}).', values },
          }
        : { ...refusedStep(values.reason), next: null };
    }
  }
}

const refusedStep = (reason: string) =>
  brokenStep(
    { text: 'The sign-in is refused ({reason}).', values: { reason } },
    { text: 'Compare name and password. The guide about LDAP says what the reasons mean.' },
  );
