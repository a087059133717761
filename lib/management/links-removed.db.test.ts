// Unlinking sign-in methods: sessions and tokens end, and the last method cannot be removed.
import { beforeEach, describe, expect, it } from 'vitest';
import { readConsoleActor } from '#lib/sessions/console.ts';
import { countLiveFamilies, events, givenClient, givenFamily, refusal, sql } from '#testing/data/registry.ts';
import {
  type AtConsole,
  givenLocal,
  givenMethods,
  givenStranger,
  owners,
  proofOf,
} from '#testing/in-process/links.ts';
import { linkIdentity, startLink, unlinkIdentity } from './links.ts';
import { OPERATOR } from './policy.ts';

const METHODS = ['brk', 'ext'];
beforeEach(givenMethods);

describe('unlinking a sign-in method', () => {
  async function givenBoth(): Promise<AtConsole> {
    const alice = await givenLocal('alice');
    for (const method of METHODS) {
      const { personId } = await givenStranger('a', { method });
      await linkIdentity(alice.actor, { proof: await proofOf(personId, alice, { method }) });
    }
    return alice;
  }

  it('after a sign-in method is unlinked, its sessions and tokens end, and a later sign-in with it belongs to another user', async () => {
    const alice = await givenBoth();
    await givenClient(OPERATOR);
    await givenFamily(alice.actor);
    await unlinkIdentity(alice.actor, { authMethodId: 'brk' });
    expect(await countLiveFamilies()).toBe(0);
    expect(await readConsoleActor(alice.cookie, null)).toBeNull();
    expect((await givenStranger('a')).personId).not.toBe(alice.actor.id);
    expect(await events('person.identity_unlinked')).toMatchObject([{ person_id: alice.actor.id }]);
  });

  it('unlinking rejects the session’s method, unknown methods and the last method', async () => {
    const alice = await givenBoth();
    const here = { ...alice.actor, session: { ...alice.actor.session, authMethodId: 'brk' } };
    expect((await refusal(unlinkIdentity(here, { authMethodId: 'brk' })))?.message).toContain(
      'signed in with this method now',
    );
    expect((await refusal(unlinkIdentity(here, { authMethodId: 'none' })))?.kind).toBe('not-found');
    await sql('update people set password_hash = null where id = $1', [alice.actor.id]);
    await sql("delete from external_identities where auth_method_id = 'ext'");
    expect((await refusal(unlinkIdentity(alice.actor, { authMethodId: 'brk' })))?.message).toContain(
      'because it is your only one',
    );
  });

  it('if two methods are unlinked concurrently and no password exists, one method remains', async () => {
    const alice = await givenBoth();
    await sql('update people set password_hash = null where id = $1', [alice.actor.id]);
    await Promise.allSettled(METHODS.map((authMethodId) => unlinkIdentity(alice.actor, { authMethodId })));
    expect(await owners()).toHaveLength(1);
  });

  it('a method that is already linked is rejected', async () => {
    const alice = await givenBoth();
    expect((await refusal(startLink(alice.actor, { authMethodId: 'brk' })))?.kind).toBe('conflict');
    expect((await refusal(startLink(alice.actor, { authMethodId: 'local' })))?.kind).toBe('conflict');
  });
});
