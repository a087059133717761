// Users with several sign-in methods. Only an identity that was proved can be linked, and attempts to take over an
// account fail.
import { beforeEach, describe, expect, it, test } from 'vitest';
import { disablePerson } from '#lib/catalogue/people/operations.ts';
import { now } from '#lib/kit/clock.ts';
import { endConsoleSession } from '#lib/sessions/console.ts';
import {
  countLiveFamilies,
  events,
  givenClient,
  givenFamily,
  givenPerson,
  mailTo,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import {
  type AtConsole,
  atConsole,
  givenLocal,
  givenMethods,
  givenStranger,
  owners,
  proofOf,
} from '#testing/in-process/links.ts';
import { linkIdentity, listMyLinks, readJoin } from './links.ts';
import { OPERATOR } from './policy.ts';

beforeEach(givenMethods);
const givenAlice = () => givenLocal('alice');

describe('linking a sign-in method', () => {
  it('linking a fresh identity moves it to the user, deletes its placeholder user and sends a mail', async () => {
    const alice = await givenAlice();
    const stranger = await givenStranger('a-1', { email: 'alice@work.example' });
    const proof = await proofOf(stranger.personId, alice);
    expect(await readJoin(alice.actor, { proof })).toEqual({
      method: 'Broker',
      label: 'alice@work.example',
      other: null,
    });
    await linkIdentity(alice.actor, { proof });
    expect(await owners()).toEqual([alice.actor.id]);
    expect(await sql('select id from people')).toEqual([{ id: alice.actor.id }]);
    expect((await givenStranger('a-1')).personId).toBe(alice.actor.id);
    expect(await events('person.identity_linked')).toMatchObject([
      { person_id: alice.actor.id, details: {} },
    ]);
    const mail = (await mailTo('alice@example.com')).find(({ subject }) => subject.endsWith('was added'));
    expect([mail?.subject, mail?.text]).toEqual([
      'Gatehouse: a sign-in method was added',
      // the name of the method, as on the page that sent the request
      expect.stringMatching(/\bBroker\b/),
    ]);
    const { identities, addable } = await listMyLinks(alice.actor);
    expect(identities.map(({ authMethodId }) => authMethodId)).toEqual(['brk']);
    expect(addable.map(({ id }) => id)).toEqual(['ext']);
  });

  it('linking a known account shows its details first, then disables the account and ends its access', async () => {
    const alice = await givenAlice();
    const known = await givenStranger('k-1');
    await givenClient(OPERATOR);
    await givenFamily({ ...alice.actor, id: known.personId });
    await givenFamily(alice.actor);
    const proof = await proofOf(known.personId, alice);
    expect((await readJoin(alice.actor, { proof })).other).toMatchObject({ consents: 1 });
    await linkIdentity(alice.actor, { proof });
    const [row] = await sql('select disabled_at is not null as disabled from people where id = $1', [
      known.personId,
    ]);
    expect(row).toEqual({ disabled: true });
    const living = await sql('select person_id from token_families where revoked_at is null');
    expect(living).toEqual([{ person_id: alice.actor.id }]);
    expect(await events('person.identity_linked')).toMatchObject([{ details: { joined: known.personId } }]);
  });

  it('a token family that one of twenty concurrent sign-ins receives during linking is revoked', async () => {
    const alice = await givenAlice();
    const known = await givenStranger('k-2');
    await givenClient(OPERATOR);
    await givenFamily({ ...alice.actor, id: known.personId });
    const proof = await proofOf(known.personId, alice);
    const sign = () =>
      atConsole(known.personId, known.personEpoch, 'brk').then(
        () => null,
        () => null,
      );
    await Promise.all([linkIdentity(alice.actor, { proof }), ...Array.from({ length: 20 }, sign)]);
    expect(await countLiveFamilies()).toBe(0);
    const open = 'select 1 from sessions s join people p on p.id = s.person_id and s.person_epoch = p.epoch';
    expect(
      await sql(`${open} where s.ended_at is null and p.id = $1 and p.disabled_at is null`, [known.personId]),
    ).toEqual([]);
  });
});

describe('account takeover by a link is rejected', () => {
  test('a broker sign-in with the email address of an existing user creates a separate user', async () => {
    const alice = await givenAlice();
    const { personId } = await givenStranger('x-1', { email: 'alice@example.com' });
    expect(personId).not.toBe(alice.actor.id);
  });

  type Attempt = (
    alice: AtConsole,
    strangerId: string,
  ) => Promise<{ actor: AtConsole['actor']; proof: string }>;
  const attempts: [string, Attempt][] = [
    [
      'the proof of another console session',
      async (alice, id) => {
        const { id: other } = await givenPerson('mallory');
        const mallory = await atConsole(
          other,
          String((await sql<{ epoch: string }>('select epoch from people where id = $1', [other]))[0]?.epoch),
        );
        return { actor: alice.actor, proof: await proofOf(id, mallory) };
      },
    ],
    [
      'a proof of eleven minutes ago',
      async (alice, id) => ({
        actor: alice.actor,
        proof: await proofOf(id, alice, { at: now().getTime() - 11 * 60_000 }),
      }),
    ],
    [
      'a proof that was changed',
      async (alice, id) => {
        const proof = await proofOf(id, alice);
        return { actor: alice.actor, proof: `${proof.slice(0, -2)}${proof.endsWith('AA') ? 'BB' : 'AA'}` };
      },
    ],
    ['no proof', async (alice) => ({ actor: alice.actor, proof: '' })],
    [
      'a console session that has ended meanwhile',
      async (alice, id) => {
        const proof = await proofOf(id, alice);
        await endConsoleSession(alice.cookie, { requestId: 'r2', ip: null });
        return { actor: alice.actor, proof };
      },
    ],
    [
      'somebody who was signed out everywhere meanwhile',
      async (alice, id) => {
        const proof = await proofOf(id, alice);
        await sql('update people set epoch = next_epoch() where id = $1', [alice.actor.id]);
        return { actor: alice.actor, proof };
      },
    ],
    [
      'a sign-in at the console of sixteen minutes ago',
      async (alice, id) => ({
        actor: { ...alice.actor, signedInAt: new Date(now().getTime() - 16 * 60_000) },
        proof: await proofOf(id, alice),
      }),
    ],
    [
      'an access token of the management API',
      async (alice, id) => {
        const { session: _, ...bare } = alice.actor;
        return { actor: bare as AtConsole['actor'], proof: await proofOf(id, alice) };
      },
    ],
    [
      'a broker that the method was handed over from',
      async (alice, id) => {
        const proof = await proofOf(id, alice);
        await sql("update auth_methods set epoch = next_epoch() where id = 'brk'");
        return { actor: alice.actor, proof };
      },
    ],
    [
      'somebody who is disabled',
      async (alice, id) => {
        await disablePerson(OPERATOR, { id });
        return { actor: alice.actor, proof: await proofOf(id, alice) };
      },
    ],
    [
      'a proof for a person of the local store, who has a password of their own',
      async (alice) => {
        const { id } = await givenPerson('victim', 'administrator');
        return { actor: alice.actor, proof: await proofOf(id, alice) };
      },
    ],
    [
      'a second identity of a method that signs them in already',
      async (alice, id) => {
        const { personId } = await givenStranger('first');
        await linkIdentity(alice.actor, { proof: await proofOf(personId, alice) });
        return { actor: alice.actor, proof: await proofOf(id, alice) };
      },
    ],
    [
      'an identity that somebody else has joined since',
      async (alice, id) => {
        const mallory = await givenLocal('mallory');
        await linkIdentity(mallory.actor, { proof: await proofOf(id, mallory) });
        return { actor: alice.actor, proof: await proofOf(id, alice) };
      },
    ],
    [
      'a method that the proof does not know them by',
      async (alice, id) => ({ actor: alice.actor, proof: await proofOf(id, alice, { method: 'ext' }) }),
    ],
  ];
  test.each(attempts)('the link of an identity is rejected for %s', async (_, attempt) => {
    const alice = await givenAlice();
    const { personId } = await givenStranger('s-1');
    const { actor, proof } = await attempt(alice, personId);
    const before = await owners();
    const refused = await refusal(linkIdentity(actor, { proof }));
    expect(refused?.kind).toMatch(/^(conflict|forbidden|reauthenticate)$/);
    expect(await owners()).toEqual(before);
  });

  test('if two users link one identity concurrently, one succeeds', async () => {
    for (let round = 0; round < 5; round += 1) {
      await sql('delete from people');
      const [alice, bob] = [await givenAlice(), await givenLocal('bob')];
      const { personId } = await givenStranger('both');
      const joins = [alice, bob].map(async (one) =>
        linkIdentity(one.actor, { proof: await proofOf(personId, one) }),
      );
      const ended = await Promise.allSettled(joins);
      expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await owners()).toHaveLength(1);
    }
  });

  test('two users can link each other’s accounts concurrently without a deadlock', async () => {
    const [one, two] = [await givenStranger('one'), await givenStranger('two', { method: 'ext' })];
    const first = await atConsole(one.personId, one.personEpoch, 'brk');
    const second = await atConsole(two.personId, two.personEpoch, 'ext');
    const ended = await Promise.allSettled([
      linkIdentity(first.actor, { proof: await proofOf(two.personId, first, { method: 'ext' }) }),
      linkIdentity(second.actor, { proof: await proofOf(one.personId, second) }),
    ]);
    expect(ended.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(new Set(await owners()).size).toBe(1);
  });
});
