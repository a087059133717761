// Takes people one at a time, and refuses the second of one id, subject, address or name. It remembers those four of
// each person, and nothing else.
import { createHash } from 'node:crypto';
import { type ImportedPerson, type PersonLine, referencesOf, withoutWrongs } from '../people/person-line.ts';
import type { Notes } from '../reading/notes.ts';
import type { Part } from '../reading/part.ts';

/** False: the person does not come along. */
export type TakePerson = (part: Part, line: PersonLine) => Promise<boolean>;

/** `write`: a line with its line break. */
export class PeopleTaker {
  readonly #notes: Notes;
  readonly #write: (line: string) => Promise<void>;
  /** places by a digest of the name: there may be millions */
  readonly #seen = new Map<string, string>();
  readonly groups = new Set<string>();
  count = 0;

  constructor(notes: Notes, write: (line: string) => Promise<void>) {
    this.#notes = notes;
    this.#write = write;
  }

  /** Writes the rows of the part, too. */
  async take(part: Part, line: PersonLine): Promise<boolean> {
    const { text, checked, lost } = withoutWrongs(line);
    const fault = 'faults' in checked ? checked.faults.join('; ') : this.#sameAs(checked.person);
    if (fault !== null) {
      this.#notes.decide(part.path, `This person cannot come: ${fault}`, () => undefined);
      return false;
    }
    if ('faults' in checked) return false;
    for (const one of lost) this.#notes.add('left out', part.path, one);
    if (hasSecretWithoutName(checked.person)) {
      this.#notes.decide(part.path, NAMELESS, () => undefined);
      return false;
    }
    for (const { key } of namesOf(checked.person)) this.#seen.set(shortOf(key), part.path);
    for (const group of checked.person.groups) this.groups.add(group);
    this.count += 1;
    part.note();
    await this.#write(`${text}\n`);
    return true;
  }

  #sameAs(person: ImportedPerson): string | null {
    for (const { what, key } of namesOf(person)) {
      const place = this.#seen.get(shortOf(key));
      if (place !== undefined) return `its ${what} is a name of ${place}`;
    }
    return null;
  }
}

const NAMELESS =
  'This person has a password or an app and no name to sign in with: give them an address or a user name in the source, or `leave out`';

/** Nobody could use what the person signs in with. */
const hasSecretWithoutName = ({ email, username, password, totp, identities }: ImportedPerson) =>
  email === undefined &&
  username === undefined &&
  (password !== undefined || totp !== undefined) &&
  identities.length === 0;

const shortOf = (name: string) => createHash('sha256').update(name).digest('latin1').slice(0, 12);

function namesOf(person: ImportedPerson): { what: string; key: string }[] {
  const names: { what: string; key: string }[] = referencesOf(person).map(([what, name]) => ({
    what,
    key: `name ${name}`,
  }));
  if (person.email !== undefined) names.push({ what: 'email', key: `email ${person.email}` });
  return names;
}
