// Takes people one at a time, and refuses the second of one id, subject, address or name. It remembers those four of
// each person, and nothing else.
import { createHash } from 'node:crypto';
import { checkPerson, type ImportedPerson, type PersonLine, referencesOf } from '../people/index.ts';
import type { Notes, Part } from '../reading/index.ts';

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
    if (hasUnkeptClaims(checked.person)) this.#notes.add('left out', part.path, UNKEPT);
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

const UNKEPT = 'claims, given_name and family_name are kept with an identity, and this person has none here';

const hasUnkeptClaims = ({ identities, claims, given_name, family_name }: ImportedPerson) =>
  identities.length === 0 &&
  (given_name !== undefined || family_name !== undefined || Object.keys(claims ?? {}).length > 0);

const shortOf = (name: string) => createHash('sha256').update(name).digest('latin1').slice(0, 12);

/** What a person can do without. */
const LESS = ['name', 'given_name', 'family_name', 'locale', 'zoneinfo', 'picture', 'created_at'] as const;

/** Without those that are wrong; a text that no database can hold is told with the person. */
function withoutWrongs(line: PersonLine) {
  const left = { ...line };
  const lost: string[] = [];
  for (;;) {
    const text = JSON.stringify(left);
    const checked = checkPerson(JSON.parse(text));
    const wrong = 'faults' in checked ? checked.faults : [];
    const key = LESS.find(
      (one) => left[one] != null && wrong.some((fault) => fault.startsWith(`${one} must`)),
    );
    if (key === undefined) return { text, checked, lost };
    lost.push(...wrong.filter((fault) => fault.startsWith(`${key} must`)));
    delete left[key];
  }
}

function namesOf(person: ImportedPerson): { what: string; key: string }[] {
  const names: { what: string; key: string }[] = referencesOf(person).map(([what, name]) => ({
    what,
    key: `name ${name}`,
  }));
  if (person.email !== undefined) names.push({ what: 'email', key: `email ${person.email}` });
  return names;
}
