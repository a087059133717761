// keys …: the signing keys.
import { OPERATOR, resealSecrets } from '#lib/management/index.ts';
import { type Command, listVerb, print, verb } from '../command.ts';
import type { Json } from '../service.ts';

export const keysCommands: Command[] = [
  listVerb(
    'keys list',
    'list the signing keys',
    { KID: 'kid', ALG: 'alg', STATE: 'state', 'SIGNS FROM': 'signs_from', 'RETIRES AT': 'retires_at' },
    async ({ service }) => (await service.call('GET', '/keys'))['rows'] as Json[],
  ),
  verb(
    'keys rotate',
    'make new keys; the old ones verify until their tokens have expired',
    async ({ service }) => {
      await service.call('POST', '/keys/rotation');
      print('rotated');
    },
  ),
  verb(
    'keys retire KID',
    'take a key out at once: its tokens are refused from here on',
    async ({ args: [kid = ''], service }) => {
      await service.call('DELETE', `/keys/${encodeURIComponent(kid)}`);
      print(`retired ${kid}`);
    },
  ),
  verb(
    'keys reseal',
    'seal stored secrets anew with the first GATEHOUSE_SECRET, so that older ones can be dropped',
    async () => {
      const count = await resealSecrets(OPERATOR);
      print(count === 0 ? 'nothing to seal anew' : `sealed ${count} anew`);
    },
  ),
];
