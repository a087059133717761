import { rmSync } from 'node:fs';
import path from 'node:path';
import { OPERATOR } from '#lib/management/policy.ts';
import { invalidateIssued } from '#lib/management/service.ts';
import { Browser } from '#testing/service/browser.ts';
import { codeOf, type Tokens } from '../../support/client.ts';
import { type Fault, PLAIN } from '../../support/context.ts';

export const olderBackup: Fault = {
  name: 'older-backup',
  title: 'an older backup put back, and everything issued before invalidated',
  async run(context) {
    const copy = path.join(context.folder, 'backup');
    context.onEnd(() => rmSync(copy, { recursive: true, force: true }));
    const instance = await context.instance('only');
    const client = context.client(instance);
    const person = context.person(0);
    const signIn = () => client.signIn(person.email, person.password) as Promise<Tokens>;
    const spent = await signIn();
    const revoked = await signIn();
    const browser = new Browser(instance.door);
    await codeOf(browser, PLAIN, person);
    await context.postgres.backup(copy);
    await context.untilSomebodyGetsIn(instance);

    // this refresh happens after the backup, so the restored database does not contain it
    const current = (await client.refresh(spent)) as Tokens;
    await client.revoke(revoked);
    const later = await signIn();
    await instance.kill();
    await context.postgres.restore(copy);
    const invalidate = () => invalidateIssued(OPERATOR, { before: new Date() });
    const ended = await context.inside(invalidate, 'owner');
    context.ledger.forget();

    await instance.start();
    const recoverySeconds = await context.untilSomebodyGetsIn(instance);
    const broken: string[] = [];
    for (const [name, tokens] of Object.entries({ spent, revoked, current, later })) {
      if (await client.refresh(tokens, true)) broken.push(`a refresh token that was ${name} works`);
      if (await client.isActive(tokens.accessToken, tokens.family))
        broken.push(`an access token that was ${name} is active`);
    }
    if (await codeOf(browser, PLAIN, person, { prompt: 'none' })) broken.push('a session is alive');
    const fresh = await signIn();
    if (!fresh || !(await client.refresh(fresh))) broken.push('a new sign-in does not work');
    return {
      recoverySeconds,
      broken,
      notes: `${ended.families} families and ${ended.sessions} sessions ended`,
    };
  },
};
