// Which audience the assertions of a client name (RFC 7523 §3, `aud`), for its page in the console. Only verified
// assertions count, and only a change is written: PostgreSQL compares, and each process remembers what it noted.
import { log } from '#lib/kit/log.ts';
import { inBackground, processWide } from '#lib/kit/process.ts';
import { statement } from '../statement.ts';

type AssertionAudience = 'issuer' | 'token_endpoint';

const assertionAudience = statement({
  name: 'client-assertion-note',
  takes: { clientId: 'text', audience: 'text' },
  text: (
    value,
  ) => `insert into client_assertions as noted (client_id, audience) values (${value.clientId}, ${value.audience})
  on conflict (client_id) do update set audience = excluded.audience, since = now() where noted.audience <> excluded.audience`,
});

/** Another process may have noted another audience meanwhile. */
const NOTE_EVERY_MS = 600_000;
/** Limits the writes of a client whose assertions alternate between audiences. */
const NOTE_CHANGE_EVERY_MS = 60_000;
const NOTED_MAX = 20_000;
type Noted = Map<string, { audience: AssertionAudience; at: number }>;
const slot = processWide<Noted>('assertion-audiences');

/** No request waits for it. */
export function noteAssertionAudience(clientId: string, audience: AssertionAudience): void {
  slot.value ??= new Map();
  const noted = slot.value;
  const at = performance.now();
  const last = noted.get(clientId);
  if (last && at - last.at < (last.audience === audience ? NOTE_EVERY_MS : NOTE_CHANGE_EVERY_MS)) return;
  if (noted.size >= NOTED_MAX) noted.clear();
  noted.set(clientId, { audience, at });
  const written = assertionAudience({ clientId, audience }).catch((error: Error) => {
    noted.delete(clientId);
    log().warn({ reason: error.message }, 'the audience of an assertion was not noted');
  });
  inBackground(written.then(() => {}));
}
