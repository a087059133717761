// csv: people in rows. A column whose title is a key of people.jsonl is taken as that; what another one is, is chosen.
// So are roles and groups: those of another service are often not ours, and ours may do much in the console.
import type { PersonLine } from '../people/person-line.ts';
import { csvRows } from '../reading/csv-rows.ts';
import { pathOf } from '../reading/notes.ts';
import { Part } from '../reading/part.ts';
import { SourceFault } from '../reading/source-file.ts';
import type { Conversion } from '../writing/conversion.ts';
import { momentOf, passwordOf, UNKEPT } from '../writing/values.ts';
import { placeOf } from './jsonl.ts';

const TEXTS = [
  ...['id', 'subject', 'email', 'username', 'name', 'given_name', 'family_name', 'locale', 'zoneinfo'],
  'picture',
];
const FLAGS = ['email_verified', 'disabled', 'must_change_password'];
const LISTS = ['roles', 'groups'];
const OTHERS = ['created_at', 'password', 'totp'];
const PLAIN = [...TEXTS, ...FLAGS, ...LISTS, ...OTHERS];
const QUESTION = `Which key is this column: ${PLAIN.join(', ')}, claims.NAME or identities.METHOD?`;

/** The key that a column is; null: none. Undefined: that is still to be chosen. */
type Columns = { title: string; key: string | null | undefined; asked?: boolean }[];

export async function convertCsv(conversion: Conversion): Promise<void> {
  const { files, notes, take } = conversion;
  for (const file of files) {
    let columns: Columns | null = null;
    for await (const { fields, number } of csvRows(file)) {
      if (columns === null) {
        columns = columnsOf(fields, conversion, `${file.name}:${number}`);
        continue;
      }
      if (fields.length !== columns.length)
        throw new SourceFault(
          `${file.name}:${number}: has ${fields.length} fields, the first row has ${columns.length}`,
        );
      const row = Object.fromEntries(columns.map(({ title }, at) => [title, fields[at] ?? '']));
      if (isOtherId(columns, row, notes)) continue;
      const part = new Part(row, `${placeOf(file, files)}[${number}]`, notes);
      await take(part, lineOf(part, columns));
    }
    if (columns === null) throw new SourceFault(`${file.name}: is empty`);
  }
}

function columnsOf(titles: string[], { notes }: Conversion, place: string): Columns {
  const again = titles.find((title, at) => titles.indexOf(title) !== at);
  if (again !== undefined) throw new SourceFault(`${place}: two columns are called ${again}`);
  const head = new Part(Object.fromEntries(titles.map((title) => [title, title])), 'columns', notes);
  const columns = titles.map((title) => {
    const known = title
      .trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_');
    if (isKey(known) && !LISTS.includes(known) && notes.choice(head.at(title)) === undefined) {
      head.text(title);
      return { title, key: known };
    }
    return { title, key: head.decide(title, QUESTION, (answer) => (isKey(answer) ? answer : undefined)) };
  });
  head.note();
  const keys = columns.flatMap(({ key }) => key ?? []);
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) throw new SourceFault(`${place}: two columns are ${twice}`);
  return columns;
}

const NO_UUID = 'ids of this column are no UUIDs. Choose `subject`: tokens keep them as `sub`';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** One decision for a whole column of ids that are no UUIDs. */
function isOtherId(columns: Columns, row: Record<string, string>, notes: Conversion['notes']): boolean {
  const column = columns.find(({ key }) => key === 'id');
  const id = column && row[column.title]?.trim();
  if (!column || !id || UUID.test(id)) return false;
  if (!column.asked) notes.decide(pathOf('columns', column.title, false), NO_UUID, () => undefined);
  column.asked = true;
  return true;
}

const isKey = (answer: unknown): answer is string =>
  typeof answer === 'string' && (PLAIN.includes(answer) || /^(?:claims|identities)\.[^\s.]+$/.test(answer));

const YES = new Set(['true', 'yes', 'y', '1']);
const NO = new Set(['false', 'no', 'n', '0']);

function lineOf(part: Part, columns: Columns): PersonLine {
  const made: Record<string, unknown> = {};
  const claims: Record<string, unknown> = {};
  const identities: { auth_method: string; subject: string }[] = [];
  for (const { title, key } of columns) {
    if (key == null) {
      part.leaveOut(
        title,
        key === null ? 'its column is left out' : 'it is to be decided what its column is',
      );
      continue;
    }
    const [kind, name = ''] = key.split(/\.(.*)/s);
    const text = part.text(title)?.trim();
    if (text === undefined || text === '') continue;
    if (kind === 'claims') claims[name] = text;
    else if (kind === 'identities') identities.push({ auth_method: name, subject: text });
    else made[key] = cellValue(part, title, key, text);
  }
  if (Object.keys(claims).length > 0) made['claims'] = claims;
  if (identities.length > 0) made['identities'] = identities;
  else
    for (const { title, key } of columns)
      if (key?.startsWith('claims.') || key === 'given_name' || key === 'family_name')
        part.leaveOut(title, UNKEPT);
  return made as PersonLine;
}

function cellValue(part: Part, title: string, key: string, text: string): unknown {
  if (FLAGS.includes(key)) {
    const word = text.toLowerCase();
    if (YES.has(word) || NO.has(word)) return YES.has(word);
    part.leaveOut(title, 'is neither true nor false');
    return undefined;
  }
  if (LISTS.includes(key)) return text.split(/[\s,;|]+/).filter((one) => one !== '');
  if (key === 'created_at') return momentOf(part, title);
  if (key === 'password') return passwordOf(part, title, text);
  return key === 'totp' ? { secret: text.replaceAll(/[\s=-]/g, '').toUpperCase() } : text;
}
