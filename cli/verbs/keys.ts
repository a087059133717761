// keys …: the signing keys.
import { utcMinute } from '#lib/kit/utc.ts';
import { OPERATOR } from '#lib/management/core/policy.ts';
import { resealSecrets } from '#lib/management/registry/keys.ts';
import { type Command, listVerb, print, verb } from '../command.ts';
import type { Json, Service } from '../service.ts';

const minuteOf = (instant: unknown) => utcMinute(new Date(String(instant)));

const listed = async (service: Service) => (await service.call('GET', '/keys'))['rows'] as Json[];

export const keysCommands: Command[] = [
  listVerb(
    'keys list',
    'list the signing keys',
    { KID: 'kid', ALG: 'alg', STATE: 'state', 'SIGNS FROM': 'signs_from', 'RETIRES AT': 'retires_at' },
    ({ service }) => listed(service),
  ),
  verb(
    'keys rotate',
    'make new keys; the old ones verify until their tokens have expired',
    async ({ service }) => {
      await service.call('POST', '/keys/rotation');
      for (const row of await listed(service)) {
        if (row['state'] === 'next')
          print(`${row['alg']} ${row['kid']} signs from ${minuteOf(row['signs_from'])}`);
        if (row['state'] === 'signs')
          print(
            `${row['alg']} ${row['kid']} ${row['retires_at'] ? `is published until ${minuteOf(row['retires_at'])}` : 'signs'}`,
          );
      }
    },
  ),
  verb(
    'keys retire KID',
    'take a key out at once: its tokens are refused from then on',
    async ({ args: [kid = ''], service }) => {
      await service.call('DELETE', `/keys/${encodeURIComponent(kid)}`);
      print(`retired ${kid}`);
    },
  ),
  verb(
    'keys reseal',
    'seal stored secrets again with the first GATEHOUSE_SECRET, so that older ones can be dropped',
    async () => {
      const count = await resealSecrets(OPERATOR);
      print(count === 0 ? 'nothing to seal again' : `sealed ${count} again`);
    },
  ),
];
