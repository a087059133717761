// Console users of several methods, plus proofs for linking further methods.
import { now } from '#lib/kit/clock.ts';
import { readConsoleActor, startConsoleSession } from '#lib/sessions/console.ts';
import { storeProvedSignIn } from '#lib/sessions/page-state.ts';
import { findOrCreateIdentity } from '#lib/store/hot/person-facts.ts';
import { givenEmptyRegistry, givenPerson, type Person, sql } from '../data/registry.ts';

const FROM = { ip: null, userAgent: null, requestId: 'r1' };

/**
 * Creates an empty registry with a broker method `brk` and an external method `ext`, in addition to the local
 * method.
 */
export async function givenMethods(): Promise<void> {
  await givenEmptyRegistry();
  await sql(
    `insert into auth_methods (id, type, name) values ('brk', 'broker', 'Broker'), ('ext', 'external', 'Staff')`,
  );
}

const epochOf = async (method: string) =>
  String((await sql<{ epoch: string }>('select epoch from auth_methods where id = $1', [method]))[0]?.epoch);

/** Creates a user whom a method's subject identifies. */
export async function givenStranger(subject: string, { method = 'brk', email = null as string | null } = {}) {
  const told = { email, emailVerified: true, name: null, claims: {}, saidAt: null };
  const asked = { authMethodId: method, methodEpoch: await epochOf(method), subject };
  const found = await findOrCreateIdentity({ ...asked, ...told });
  if (!found) throw new Error('no such person');
  return found;
}

export type AtConsole = { actor: Person & { session: { idHash: Buffer } }; cookie: string };

/** Creates a console user who has just signed in. */
export async function atConsole(
  personId: string,
  personEpoch = '0',
  authMethodId = 'local',
): Promise<AtConsole> {
  const started = await startConsoleSession({
    ...FROM,
    cookieHeader: undefined,
    authMethodId,
    personId,
    personEpoch,
    methodEpoch: null,
  });
  const cookie = started?.cookie.split(';')[0] ?? '';
  const actor = await readConsoleActor(cookie, { id: 'r1', ip: null });
  if (!actor) throw new Error('not signed in');
  return { actor: actor as AtConsole['actor'], cookie };
}

/** Creates a console user with a password. */
export async function givenLocal(name: string): Promise<AtConsole> {
  const { id } = await givenPerson(name);
  const [row] = await sql<{ epoch: string }>('select epoch from people where id = $1', [id]);
  return atConsole(id, String(row?.epoch));
}

export async function proofOf(
  personId: string,
  { actor }: AtConsole,
  { method = 'brk', at = now().getTime(), epoch = undefined as string | undefined } = {},
): Promise<string> {
  const methodEpoch = epoch ?? (await epochOf(method));
  const proved = { authMethodId: method, personId, methodEpoch, at };
  return (await storeProvedSignIn(proved, actor.session.idHash)) ?? '';
}

/** Returns the owners of the identities. */
export const owners = async () =>
  (
    await sql<{ p: string }>(
      'select person_id as p from external_identities order by auth_method_id, subject',
    )
  ).map(({ p }) => p);
