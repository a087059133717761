// A failure that cannot be rolled back: PostgreSQL commits, but the client receives no response.
import type { Fault } from '../../support/context.ts';
import { Tap } from '../../support/tap.ts';

export const killBetweenCommitAndAnswer: Fault = {
  name: 'kill-between-commit-and-answer',
  title: 'kill -9 between commit and answer',
  async run(context) {
    const rounds = context.quick ? 2 : 10;
    const tap = new Tap(context.postgres.port);
    context.onEnd(() => tap.close());
    const databaseUrl = context.postgres.urlOf(context.database, 'service', await tap.listen());
    const instance = await context.instance('only', { databaseUrl });
    const broken: string[] = [];
    let worst = 0;
    for (let round = 0; round < rounds; round += 1) {
      const client = context.client(instance);
      const before = await client.signIn(context.person(round).email, context.person(round).password);
      if (!before) return { broken: ['nobody could sign in'] };
      const caught = tap.catch('refresh-rotate');
      const unanswered = client.refresh(before);
      await caught;
      await instance.kill();
      if (await unanswered) broken.push('an answer arrived that should not have');
      instance.spawn();
      worst = Math.max(worst, await context.untilSomebodyGetsIn(instance));
      // the token is used and its successor was lost: a retry must fail without creating a second successor
      if (await client.refresh(before)) broken.push('a spent token worked again');
      const again = await client.signIn(context.person(round).email, context.person(round).password);
      if (!again || !(await client.refresh(again))) broken.push('a new sign-in does not work');
    }
    return { recoverySeconds: worst, broken, notes: `${rounds} rounds` };
  },
};
