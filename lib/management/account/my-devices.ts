// The names that a person gives to where they are signed in, and to the browsers that they trust.
import { readableLine } from '#lib/kit/text/readable-text.ts';
import { isHash, isUuid } from '#lib/store/database/list.ts';
import { nameSession } from '#lib/store/people/session-list.ts';
import { nameTrustedBrowser } from '#lib/store/people/trusted-browsers.ts';
import { operation } from '../core/operation.ts';
import { requirePerson } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, Refused } from '../core/refused.ts';

const LONGEST = 60;

type MyDevice = { device: 'session' | 'browser'; id: string };

/** Without a name the device is called by its browser and system again. The audit log does not have the name. */
export const nameMyDevice = operation(
  'nameMyDevice',
  async ({ actor, db }, { device, id, name: typed }: MyDevice & { name: string }): Promise<void> => {
    const { id: personId } = requirePerson(actor);
    const name = readableLine(typed);
    if (name !== null && name.length > LONGEST) throw faulty([faultAt('name', 'own_account.device_name')]);
    const named = { personId, id, name };
    if (device === 'session') {
      if (!isHash(id) || !(await nameSession(db, named))) throw new Refused('own_account.session_gone');
    } else if (!isUuid(id) || !(await nameTrustedBrowser(db, named))) {
      throw new Refused('second_step.browser_gone');
    }
    await record(actor, { event: 'device.named', personId, details: { device } }, db);
  },
);
