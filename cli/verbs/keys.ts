// keys …: the signing keys.
import { toWire } from '#lib/kit/index.ts';
import {
  listSigningKeys,
  OPERATOR,
  resealSecrets,
  retireSigningKey,
  rotateSigningKeys,
} from '#lib/management/index.ts';
import { type Command, print, printTable } from '../command.ts';

export const keysCommands: Command[] = [
  {
    name: 'keys list',
    args: [],
    about: 'list the signing keys',
    options: { json: { type: 'boolean', about: 'print JSON' } },
    needs: 'migrated',
    async run({ flag }) {
      const keys = await listSigningKeys(OPERATOR);
      if (flag('json')) return print(JSON.stringify(toWire(keys), null, 2));
      printTable(
        ['KID', 'ALG', 'STATE', 'SIGNS FROM', 'RETIRES AT'],
        keys.map((key) => [key.kid, key.alg, key.state, key.signsFrom, key.retiresAt ?? '-']),
      );
    },
  },
  {
    name: 'keys rotate',
    args: [],
    about: 'make new keys; the old ones verify until their tokens have expired',
    needs: 'migrated',
    async run() {
      await rotateSigningKeys(OPERATOR);
      print('rotated');
    },
  },
  {
    name: 'keys retire',
    args: ['KID'],
    about: 'take a key out at once: its tokens are refused from here on',
    needs: 'migrated',
    async run({ args }) {
      await retireSigningKey(OPERATOR, { kid: args[0] as string });
      print(`retired ${args[0]}`);
    },
  },
  {
    name: 'keys reseal',
    args: [],
    about: 'seal stored secrets anew with the first GATEHOUSE_SECRET, so that older ones can be dropped',
    needs: 'migrated',
    async run() {
      const count = await resealSecrets(OPERATOR);
      print(count === 0 ? 'nothing to seal anew' : `sealed ${count} anew`);
    },
  },
];
