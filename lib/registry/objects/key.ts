// A signing key, as it is listed.
import { z } from 'zod';

const moment = z.string().describe('ISO 8601');

export const keyRow = z.strictObject({
  kid: z.string(),
  alg: z.string(),
  state: z.enum(['signs', 'next', 'verifies', 'expired', 'retired']),
  signsFrom: moment,
  retiresAt: moment.nullable(),
});
export type KeyRow = z.output<typeof keyRow>;
