// Where a person is signed in, and how they signed in before.
import { z } from 'zod';

export const sessionRow = z.strictObject({
  id: z.string().describe('SHA-256 of the session’s id, hexadecimal: it names the session and opens nothing'),
  kind: z.enum(['sign-in', 'console']),
  personId: z.string(),
  personLabel: z.string(),
  authMethodId: z.string(),
  methodName: z.string(),
  authTime: z.date(),
  lastSeenAt: z.date(),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  name: z.string().nullable().describe('the person’s own name for the device'),
  current: z.boolean().optional().describe('in a list of one’s own: the session of this request'),
});
export type SessionRow = z.output<typeof sessionRow>;

export const signInRow = z.strictObject({
  id: z.string(),
  at: z.date(),
  kind: z.enum(['sign-in', 'console', 'password-grant']),
  authMethodId: z.string().nullable(),
  methodName: z.string().nullable(),
  clientId: z.string().nullable(),
  ip: z.string().nullable(),
});
export type SignInRow = z.output<typeof signInRow>;
