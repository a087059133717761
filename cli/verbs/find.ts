// find, inspect-token: what a text names, and what a token says.
import { type Command, listVerb, print, verb } from '../command.ts';
import type { Json } from '../service.ts';
import { firstLine } from '../standard-input.ts';
import { WrongUsage } from '../typed.ts';

export const findCommands: Command[] = [
  listVerb(
    'find TEXT',
    'find what a text names: an id, an e-mail address, a client, a key, a request, a redirect host',
    { KIND: 'kind', ID: 'id', API: 'api', NAME: 'name', ABOUT: 'about' },
    async ({ service, args: [q = ''] }) =>
      (await service.call('GET', `/find?${new URLSearchParams({ q })}`))['rows'] as Json[],
    { remote: true },
  ),
  verb(
    'inspect-token',
    'say what a token says, whose key signed it, and whether it is valid',
    async ({ service }) => {
      const token = await firstLine();
      if (token === null) throw new WrongUsage('inspect-token reads the token from standard input');
      print(JSON.stringify(await service.call('POST', '/token-inspections', { token }), null, 2));
    },
    {
      notes: 'The token comes on standard input, so that no shell history has it. It is not kept.',
      remote: true,
    },
  ),
];
