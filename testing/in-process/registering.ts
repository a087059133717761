// Users who register at the fixtures' local method, in this process.
import { randomUUID } from 'node:crypto';
import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { pageWaitingPeople } from '#lib/catalogue/people/invitations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { mailTo, sql } from '../data/registry.ts';
import { locationOf } from './in-process.ts';
import { type Place, Visitor } from './visitor.ts';

/** Sets the `registration` setting of the method. */
export async function registration(mode: string): Promise<void> {
  await changeAuthMethod(OPERATOR, { id: 'pw', config: { registration: mode } });
  await currentSnapshot();
}

let count = 0;
export const newAddress = () => `new-${Date.now()}-${count++}@example.com`;

/** Returns the code and the link of the newest mail. */
export async function codeMail(address: string): Promise<{ code: string; link: string }> {
  const [{ text } = { text: '' }] = await mailTo(address);
  const code = /code is (\d{3}) (\d{3})/.exec(text)?.slice(1).join('') ?? '';
  return { code, link: /register\?link=([\w-]+)/.exec(text)?.[1] ?? '' };
}

export const peopleAt = (email: string) =>
  sql('select id, name, email_verified_at, roles from people where email = $1', [email]);

/** Returns a visitor who has requested a code. */
export async function asking(email: string): Promise<{ visitor: Visitor; at: Place }> {
  const visitor = new Visitor();
  const start = await visitor.start({ prompt: 'create', scope: 'openid read' });
  return { visitor, at: await visitor.submit(start, { email }) };
}

/** Returns a visitor who has typed the code. */
export async function proved(email: string): Promise<{ visitor: Visitor; at: Place }> {
  const { visitor, at } = await asking(email);
  const { code } = await codeMail(email);
  return { visitor, at: await visitor.submit(at, { code }) };
}

export const NEW_PASSWORD = 'correct horse battery';

/** Completes a registration. Returns the `done` parameter of the page that follows. */
export async function askedFor(email: string): Promise<string | null> {
  const { visitor, at } = await proved(email);
  const answer = await visitor.post(at, { name: 'Nora', password: NEW_PASSWORD });
  return new URL(locationOf(answer)).searchParams.get('done');
}

/** Removes pending registrations and requires approval for new ones. */
export async function nobodyWaits(): Promise<void> {
  for (const table of ['attempts', 'sessions', 'person_registrations']) await sql(`delete from ${table}`);
  await registration('approval');
}

/** Returns the addresses of pending registrations, the oldest first. */
export const waitingEmails = async () => (await pageWaitingPeople(OPERATOR)).rows.map(({ email }) => email);

/** Returns the handle of a registration or invitation whose address is verified. */
export async function provedHandle(kind: string): Promise<string> {
  const handle = randomUUID();
  await sql(
    `insert into person_registrations (auth_method_id, email, kind, state, handle_hash, expires_at)
     values ('pw', $1, $2, 'proved', sha256($3::text::bytea), now() + interval '10 minutes')`,
    [newAddress(), kind, handle],
  );
  return handle;
}
