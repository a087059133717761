// One line of tokens.jsonl: a refresh token of another service, which its client still uses.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { issueInWords } from '#lib/registry/fields/definition.ts';
import { authMethodId, clientId, registryId, scopeName } from '#lib/registry/fields/values.ts';
import { lineMoment, lineSubject } from './person-line.ts';

const line = z
  .strictObject({
    token: z.string('must be a string').min(16, 'must have 16 characters or more').max(8192).optional(),
    sha256: z
      .string('must be a string')
      .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
      .optional(),
    client_id: clientId,
    api: registryId,
    auth_method: authMethodId,
    subject: lineSubject,
    scopes: z.array(scopeName, 'must be a list').max(500, 'must not be more than 500'),
    auth_time: lineMoment.nullish().transform((given) => given ?? null),
    expires_at: lineMoment,
  })
  .refine(({ token, sha256 }) => (token === undefined) !== (sha256 === undefined), {
    error: 'must have either token or sha256',
  });
/** As it is written. */
export type TokenLine = z.input<typeof line>;
/** As it was read: the token only as its SHA-256. */
export type ImportedToken = Omit<z.output<typeof line>, 'token'> & { sha256: string };

/** The text of a line, or each thing that is wrong with it. A token is in none of these sentences. */
export function readTokenLine(text: string): { token: ImportedToken } | { faults: string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { faults: ['is not JSON'] };
  }
  const parsed = line.safeParse(value, { reportInput: true });
  if (!parsed.success)
    return {
      faults: parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issueInWords(issue)}`.trim()),
    };
  const { token, sha256, ...rest } = parsed.data;
  return {
    token: {
      ...rest,
      sha256:
        sha256 ??
        createHash('sha256')
          .update(token ?? '')
          .digest('hex'),
    },
  };
}
