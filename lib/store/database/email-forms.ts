// Brings stored e-mail addresses into their canonical form. SQL has no punycode, so the migration that needs it runs this in its own
// transaction, and `gatehouse migrate` runs it again: a version before may have written since.
import { canonicalEmail } from '#lib/kit/index.ts';
import { ownConnection } from './transaction.ts';

/** The migration whose transaction this belongs to. */
export const EMAIL_FORMS_MIGRATION = '20261125050000_one_form_of_addresses';

type Run = <Row>(text: string, values?: unknown[]) => Promise<Row[]>;
/** People whose addresses have one canonical form: none of them is changed. */
type EmailCollision = { canonical: string; people: { id: string; email: string }[] };

/** Only text beyond ASCII has another form than the stored one. */
const beyondAscii = (column: string) => `octet_length(${column}) > char_length(${column})`;
/** Not unique there. `people.email` is. */
const COLUMNS = [
  ['external_identities', 'email'],
  ['person_registrations', 'email'],
  ['mail_tokens', 'email'],
  ['address_changes', 'email'],
  ['address_changes', 'from_email'],
] as const;

/** May run at several instances at once: each update names what it replaces. */
export async function canonicaliseEmails(run: Run): Promise<void> {
  for (const { canonical, people } of await formsOfPeople(run)) {
    const [person] = people;
    if (people.length === 1 && person)
      await run(
        `update people set email = $1 where id = $2 and email = $3
          and not exists (select from people where email = $1)`,
        [canonical, person.id, person.email],
      );
  }
  for (const [table, column] of COLUMNS) {
    const rows = await run<{ email: string }>(
      `select distinct ${column} as email from ${table} where ${beyondAscii(column)}`,
    );
    for (const { email } of rows) {
      const canonical = canonicalEmail(email);
      // links and codes of a person whose address could not be changed stay theirs
      const kept = table === 'mail_tokens' || column === 'from_email';
      if (canonical !== email)
        await run(
          `update ${table} set ${column} = $1 where ${column} = $2
            ${kept ? `and not exists (select from people where people.email = $2)` : ''}`,
          [canonical, email],
        );
    }
  }
  await canonicaliseSettings(run);
}

async function canonicaliseSettings(run: Run): Promise<void> {
  const apis = await run<{ id: string; approvers: string[] }>(
    `select id, approvers from apis where ${beyondAscii(`array_to_string(approvers, ' ')`)}`,
  );
  for (const { id, approvers } of apis) {
    const canonical = approvers.map(canonicalEmail);
    if (canonical.join() !== approvers.join())
      await run('update apis set approvers = $1 where id = $2 and approvers = $3', [
        canonical,
        id,
        approvers,
      ]);
  }
  const subscriptions = await run<{ client: string; api: string; values: string[] }>(
    `select client_id as client, api_id as api, required_claim -> 'values' as values from subscriptions
      where required_claim ->> 'name' = 'email' and ${beyondAscii('required_claim::text')}`,
  );
  for (const { client, api, values } of subscriptions) {
    const canonical = JSON.stringify(values.map(canonicalEmail));
    if (canonical !== JSON.stringify(values))
      await run(
        `update subscriptions set required_claim = jsonb_set(required_claim, '{values}', $1::jsonb)
          where client_id = $2 and api_id = $3 and required_claim -> 'values' = $4::jsonb`,
        [canonical, client, api, JSON.stringify(values)],
      );
  }
}

/** People whose stored address is not canonical, with those who have the canonical one. */
async function formsOfPeople(run: Run): Promise<EmailCollision[]> {
  const odd = await run<{ id: string; email: string }>(
    `select id::text, email from people where ${beyondAscii('email')} order by created_at, id`,
  );
  const forms = new Map<string, { id: string; email: string }[]>();
  for (const person of odd) {
    const canonical = canonicalEmail(person.email);
    forms.set(canonical, [...(forms.get(canonical) ?? []), person]);
  }
  // ASCII already, so not among them
  const taken = await run<{ id: string; email: string }>(
    `select id::text, email from people where email = any ($1) and not ${beyondAscii('email')}`,
    [[...forms.keys()]],
  );
  for (const person of taken) forms.get(person.email)?.push(person);
  return [...forms]
    .map(([canonical, people]) => ({ canonical, people }))
    .filter(({ canonical, people }) => people.some(({ email }) => email !== canonical));
}

const onPool: Run = (text, values = []) => ownConnection.query({ text, values });

export const emailForms = {
  /** Canonicalises what can be, and returns what cannot. */
  async bring(): Promise<EmailCollision[]> {
    await canonicaliseEmails(onPool);
    return formsOfPeople(onPool);
  },
  collisions: () => formsOfPeople(onPool),
};
