// Takes people one at a time, and refuses the second of one id, subject, address or name. It remembers those four of
// each person, and nothing else.
import { checkPerson, type ImportedPerson, type PersonLine } from '../people/index.ts';
import type { Notes, Part } from '../reading/index.ts';

export type TakePerson = (part: Part, line: PersonLine) => Promise<void>;

/** `write`: a line with its line break. */
export class PeopleTaker {
  readonly #notes: Notes;
  readonly #write: (line: string) => Promise<void>;
  readonly #seen = new Map<string, string>();
  readonly groups = new Set<string>();
  count = 0;

  constructor(notes: Notes, write: (line: string) => Promise<void>) {
    this.#notes = notes;
    this.#write = write;
  }

  /** Writes the rows of the part, too. */
  async take(part: Part, line: PersonLine): Promise<void> {
    const text = JSON.stringify(line);
    const checked = checkPerson(JSON.parse(text));
    const fault = 'faults' in checked ? checked.faults.join('; ') : this.#sameAs(checked.person);
    if (fault !== null) {
      this.#notes.decide(part.path, `This person cannot come: ${fault}`, () => undefined);
      return;
    }
    if ('faults' in checked) return;
    for (const name of namesOf(checked.person)) this.#seen.set(name, part.path);
    for (const group of checked.person.groups) this.groups.add(group);
    this.count += 1;
    part.note();
    await this.#write(`${text}\n`);
  }

  #sameAs(person: ImportedPerson): string | null {
    for (const name of namesOf(person)) {
      const place = this.#seen.get(name);
      if (place !== undefined) return `the same ${name.slice(0, name.indexOf(' '))} as ${place}`;
    }
    return null;
  }
}

/** No subject is another person's id. */
function namesOf({ id, subject, email, username }: ImportedPerson): string[] {
  const names = [`id ${id}`];
  if (subject !== undefined && subject.toLowerCase() !== id) names.push(`id ${subject}`);
  if (email !== undefined) names.push(`email ${email}`);
  if (username !== undefined) names.push(`username ${username}`);
  return names;
}
