// Sample kind of sign-in method: fixed users in a file. It consists of this file and one line in `kinds.ts`.
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import {
  describedPeople,
  type MethodKind,
  secondFactorElsewhere,
  type VerifyPassword,
} from '#lib/catalogue/methods/kind.ts';
import { field } from '#lib/registry/definition.ts';

const people = z.record(z.string(), z.object({ password: z.string(), name: z.string() }));

const verify: VerifyPassword = async ({ config }, username, password) => {
  const listed = people.parse(JSON.parse(await readFile(String(config['path']), 'utf8')));
  const person = Object.hasOwn(listed, username) ? listed[username] : undefined;
  if (person?.password !== password) return { kind: 'refused' };
  return { kind: 'accepted', profile: { sub: username, name: person.name } };
};

export const peopleFileKind = {
  type: 'people_file',
  capabilities: { asksPassword: true, redirects: false, hasAccounts: false, tellsProfile: false },
  words: { label: 'People in a file', note: 'A fixed list of people.', catalogue: 'a list of people' },
  config: z.strictObject({
    path: field(z.string().min(1).describe('The file with the people'), 'Path of the file'),
    ...describedPeople,
    second_factor: secondFactorElsewhere,
  }),
  secret: null,
  verify,
} as const satisfies MethodKind;
